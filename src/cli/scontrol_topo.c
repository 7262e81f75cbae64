/* scontrol_topo - scontrol show topology [NAME] [unit=NAME] [node=NAME]: switches or blocks, one a line. */
#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "show/topology.h"
#include "text/hostlist.h"
#include "text/topology.h"

struct ask {
    const char *name, *unit, *node; /* NULL: not given */
};

/* False, with a message, when there are too many words.  The exit status is 0 all the same, as in Slurm. */
static bool read_ask(int argc, char **argv, struct ask *a)
{
    static const char *const units[] = { "unit=", "switch=", "block=" }, *const nodes[] = { "node=", "nodes=" };
    for (int i = 0; i < argc; i++) {
        const char **to = NULL, *value = argv[i];
        for (size_t k = 0; k < ARRAY_LEN(units); k++)
            if (str_has_iprefix(argv[i], units[k]))
                to = &a->unit, value = argv[i] + strlen(units[k]);
        for (size_t k = 0; k < ARRAY_LEN(nodes); k++)
            if (str_has_iprefix(argv[i], nodes[k]))
                to = &a->node, value = argv[i] + strlen(nodes[k]);
        if (!to && a->name) {
            fprintf(stderr, "Too many arguments (%s), the topology name (%s) is already defined\n", argv[i], a->name);
            return false;
        }
        *(to ? to : &a->name) = value;
    }
    return true;
}

static bool has_node(const Pb__TopoUnit *u, const char *list)
{
    auto_strs struct strs have = STRS_INIT;
    auto_strs struct strs want = STRS_INIT;
    if (hostlist_expand(u->nodes, &have, NULL) || hostlist_expand(list, &want, NULL))
        return false;
    for (size_t i = 0; i < want.n; i++)
        if (!strs_has(&have, want.at[i]))
            return false;
    return want.n > 0;
}

static void put_units(const Pb__Topology *t, const struct ask *a)
{
    auto_buf struct buf out = BUF_INIT;
    struct show_pairs pairs;
    show_pairs_init(&pairs, t->kind == PB__TOPOLOGY_KIND__TOPOLOGY_BLOCK ? &show_block : &show_switch, true, false);
    for (size_t i = 0; i < t->n_units; i++) {
        const Pb__TopoUnit *u = t->units[i];
        if ((a->unit && !str_eq(u->name, a->unit)) || (a->node && !has_node(u, a->node)))
            continue;
        show_pairs_row(&pairs, &(struct topology_row){ u, i }, &out);
    }
    show_pairs_clear(&pairs);
    const char *word = t->kind == PB__TOPOLOGY_KIND__TOPOLOGY_BLOCK ? "block" : "switch";
    if (out.len || (!a->unit && !a->node) || t->kind == PB__TOPOLOGY_KIND__TOPOLOGY_FLAT)
        say_flush(&out);
    else
        say_error("Topology information contains no %s%s%s%s%s", word, a->unit ? " named " : "", a->unit ? a->unit : "",
                  a->node ? " with nodes " : "", a->node ? a->node : "");
}

int show_topology(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct ask a = { 0 };
    Pb__TopologyQuery q = PB__TOPOLOGY_QUERY__INIT;
    ProtobufCMessage *reply;
    if (!read_ask(argc, argv, &a))
        return 0;
    if (a.name)
        q.name = (char *)(uintptr_t)a.name;
    int rc = scontrol_call(s, MSG_TOPOLOGY, &q.base, MSG_TOPOLOGY_REPLY, &reply, &err);
    if (rc)
        return scontrol_fail(s, "slurm_load_topo error: %s", scontrol_words(rc, &err));
    const Pb__TopologyList *list = (const Pb__TopologyList *)reply;
    if (list->n_topologies)
        put_units(list->topologies[0], &a);
    else
        scontrol_fail(s, "slurm_load_topo error: %s", "Requested topology configuration is not available");
    client_free(reply);
    return 0;
}
