/*
 * scontrol_show_node - scontrol show node and show partition.
 */
#include "base/str.h"
#include "cli/names.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "core/node.h"
#include "show/node.h"
#include "show/part.h"
#include "text/hostlist.h"

static void print_buf(struct buf *out)
{
    say_flush(out);
    buf_clear(out);
}

static int cluster_ask(struct scontrol *s, ProtobufCMessage **reply, const char *what)
{
    struct err err = ERR_INIT;
    Pb__NodeQuery query = PB__NODE_QUERY__INIT;
    int rc = scontrol_call(s, MSG_CLUSTER, &query.base, MSG_CLUSTER_REPLY, reply, &err);
    return rc ? scontrol_fail(s, "%s error: %s", what, scontrol_words(rc, &err)) : 0;
}

/* ---- nodes ---- */

struct node_listing {
    struct scontrol *s;
    struct show_pairs pairs;
    struct buf out;
    bool any;
};

static void node_add(struct node_listing *l, const Pb__Node *n)
{
    struct node_row row = { n, names_user, client_site(l->s->client)->accounting_tres };
    if (l->s->doc.format)
        document_row(&l->s->doc, &row);
    else
        show_pairs_row(&l->pairs, &row, &l->out);
    l->any = true;
}

static const Pb__Node *node_find(const Pb__ClusterList *list, const char *name)
{
    for (size_t i = 0; i < list->n_nodes; i++)
        if (str_eq(list->nodes[i]->def->name, name))
            return list->nodes[i];
    return NULL;
}

static int nodes_add_named(struct node_listing *l, const Pb__ClusterList *list, const char *id)
{
    auto_strs struct strs names = STRS_INIT;
    struct err err = ERR_INIT;
    int rc = 0;
    if (hostlist_expand(id, &names, &err))
        return scontrol_fail(l->s, "%s", err.text);
    for (size_t i = 0; i < names.n; i++) {
        const Pb__Node *n = node_find(list, names.at[i]);
        if (n)
            node_add(l, n);
        else if (!l->s->doc.format && (rc = 1, !l->s->quiet))
            buf_addf(&l->out, "Node %s not found\n", names.at[i]);
    }
    return rc;
}

static void nodes_add_all(struct node_listing *l, const Pb__ClusterList *list)
{
    for (size_t i = 0; i < list->n_nodes; i++)
        if (l->s->future || (list->nodes[i]->state & NODE_STATE_BASE) != NODE_FUTURE)
            node_add(l, list->nodes[i]);
    if (!list->n_nodes && !l->s->quiet)
        buf_adds(&l->out, "No nodes in the system\n");
}

int show_nodes(struct scontrol *s, const char *id)
{
    struct node_listing l = { .s = s };
    struct document *doc = &s->doc;
    ProtobufCMessage *reply;
    int rc = cluster_ask(s, &reply, "slurm_load_node");
    if (rc)
        return rc;
    const Pb__ClusterList *list = (const Pb__ClusterList *)reply;
    show_pairs_init(&l.pairs, &show_node, s->one_line, s->detail);
    if (doc->format) {
        document_begin(doc);
        document_rows_begin(doc, "nodes", &show_node);
    }
    if (id)
        rc = nodes_add_named(&l, list, id);
    else
        nodes_add_all(&l, list);
    if (doc->format) {
        document_rows_end(doc);
        document_time(doc, "last_update", list->now_s);
        doc->warning = l.any ? NULL : "No nodes to dump";
        document_end(doc, s->client);
    } else {
        print_buf(&l.out);
    }
    buf_clear(&l.out);
    show_pairs_clear(&l.pairs);
    client_free(reply);
    return rc;
}

/* ---- partitions ---- */

static bool part_says_all(const struct conf *conf, const char *part)
{
    for (size_t i = 0; i < conf->line.n; i++) {
        const char *name = conf_line_value(conf, &conf->line.at[i], "PartitionName");
        const char *nodes = conf_line_value(conf, &conf->line.at[i], "Nodes");
        if (name && nodes && str_in_list(name, part) && str_ieq(nodes, "ALL"))
            return true;
    }
    return false;
}

static bool part_wanted(const struct scontrol *s, const Pb__Part *p, const char *id)
{
    return id ? str_eq(p->name, id) : !p->hidden || s->all || s->doc.format;
}

static void part_add(struct scontrol *s, const Pb__ClusterList *list, const Pb__Part *p, const struct show_pairs *pairs,
                     struct buf *out)
{
    struct part_row row;
    const struct site *site = client_site(s->client);
    part_row_init(&row, p, list->nodes, list->n_nodes, part_says_all(&site->conf, p->name));
    row.preempt_mode = site->preempt_mode;
    if (pairs)
        show_pairs_row(pairs, &row, out);
    else
        document_row(&s->doc, &row);
    part_row_clear(&row);
}

static int parts_document(struct scontrol *s, const Pb__ClusterList *list, const char *id)
{
    bool any = false;
    document_begin(&s->doc);
    document_rows_begin(&s->doc, "partitions", &show_part);
    for (size_t i = 0; i < list->n_parts; i++)
        if (part_wanted(s, list->parts[i], id)) {
            part_add(s, list, list->parts[i], NULL, NULL);
            any = true;
        }
    document_rows_end(&s->doc);
    document_time(&s->doc, "last_update", list->now_s);
    s->doc.warning = any ? NULL : "No partitions to dump";
    document_end(&s->doc, s->client);
    return 0;
}

static int parts_pairs(struct scontrol *s, const Pb__ClusterList *list, const char *id)
{
    struct buf out = BUF_INIT;
    struct show_pairs pairs;
    bool any = false;
    show_pairs_init(&pairs, &show_part, s->one_line, s->detail);
    for (size_t i = 0; i < list->n_parts; i++)
        if (part_wanted(s, list->parts[i], id)) {
            part_add(s, list, list->parts[i], &pairs, &out);
            any = true;
        }
    if (!any && !s->quiet)
        buf_addf(&out, id ? "Partition %s not found\n" : "No partitions in the system\n", id);
    print_buf(&out);
    show_pairs_clear(&pairs);
    return !any && id;
}

int show_parts(struct scontrol *s, const char *id)
{
    ProtobufCMessage *reply;
    int rc = cluster_ask(s, &reply, "slurm_load_partitions");
    if (rc)
        return rc;
    const Pb__ClusterList *list = (const Pb__ClusterList *)reply;
    rc = s->doc.format ? parts_document(s, list, id) : parts_pairs(s, list, id);
    client_free(reply);
    return rc;
}
