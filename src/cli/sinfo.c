/*
 * sinfo - the partitions and the states of their nodes.
 *
 * Nodes share a line when the columns that are shown print the same for them: that text, for a node alone, is its key.
 */
#include <time.h>

#include "base/map.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/names.h"
#include "cli/node_states.h"
#include "cli/query_sets.h"
#include "cli/resv_list.h"
#include "cli/say.h"
#include "client/client.h"
#include "core/node.h"
#include "show/node_group.h"
#include "text/hostlist.h"
#include "text/opt.h"
#include "text/strs.h"

#define MIN_NAME_WIDTH 9

struct sinfo {
    const char *format, *long_format, *iterate, *nodes, *partitions, *sort, *states;
    int all, dead, exact, federation, future, help, help_names, help_format, help_states, hide, reasons, local,
        long_list, noconvert, by_node;
    int no_header, reservations, responding, summarize, usage, version;
    unsigned verbose, every_s;
    struct strs node_names, part_names, state_words;
    struct show_columns columns;
    struct document doc;
};

/* The lines of one answer. */
struct table {
    const struct sinfo *o;
    const Pb__ClusterList *list;
    struct part_row *part; /* of each partition of the list */
    bool hosts, addresses; /* are columns */
    VEC(struct node_group *) row;
    struct smap by_key;
    VEC(char *) key;
};

#define AT(member) .at = offsetof(struct sinfo, member)
#define ENV(name) .env = { name }

static int set_format(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sinfo *s = into;
    s->format = arg;
    s->long_format = NULL;
    return 0;
}

static int set_long_format(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sinfo *s = into;
    s->long_format = arg;
    s->format = NULL;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 'a', "all",           OPT_FLAG, AT(all), NULL, "hidden partitions too", ENV("SINFO_ALL") },
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAMES", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAMES", NULL },
    { 1, 'd', "dead",          OPT_FLAG, AT(dead), NULL, "only nodes that do not answer" },
    { 1, 'e', "exact",         OPT_FLAG, AT(exact), NULL, "nodes share a line only when they are configured alike" },
    { 1, 0,   "federation",    OPT_FLAG, AT(federation), NULL,
              "the federation, of which this cluster is the only member",
              ENV("SINFO_FEDERATION") },
    { 1, 'O', "Format",        OPT_CALL, 0, "FIELDS", "columns by name: NAME[:[.]WIDTH],...", set_long_format },
    { 1, 'o', "format",        OPT_CALL, 0, "FORMAT", "columns by letter: %[[.]WIDTH]LETTER...", set_format,
              ENV("SINFO_FORMAT") },
    { 1, 'F', "future",        OPT_FLAG, AT(future), NULL, "nodes in state FUTURE too", ENV("SCONTROL_FUTURE") },
    { 1, 0,   "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "helpFormat",    OPT_FLAG, AT(help_names), NULL, "the names that --Format knows" },
    { 1, 0,   "helpformat",    OPT_FLAG, AT(help_format), NULL, "the letters that --format knows" },
    { 1, 0,   "helpstate",     OPT_FLAG, AT(help_states), NULL, "the states that --states knows" },
    { 1, 0,   "hide",          OPT_FLAG, AT(hide), NULL, "no hidden partitions" },
    { 1, 'i', "iterate",       OPT_TEXT, AT(iterate), "SECONDS", "again every SECONDS" },
    { 1, 'R', "list-reasons",  OPT_FLAG, AT(reasons), NULL, "why nodes are down, drained or failing" },
    { 1, 0,   "local",         OPT_FLAG, AT(local), NULL, "this cluster alone", ENV("SINFO_LOCAL") },
    { 1, 'l', "long",          OPT_FLAG, AT(long_list), NULL, "more columns, and the date" },
    { 1, 0,   "noconvert",     OPT_FLAG, AT(noconvert), NULL, "amounts in the unit they were given in" },
    { 1, 'N', "Node",          OPT_FLAG, AT(by_node), NULL, "one line for each node and partition" },
    { 1, 'n', "nodes",         OPT_TEXT, AT(nodes), "NODES", "these nodes" },
    { 1, 'h', "noheader",      OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 'p', "partition",     OPT_TEXT, AT(partitions), "NAMES", "these partitions", ENV("SINFO_PARTITION") },
    { 1, 'T', "reservation",   OPT_FLAG, AT(reservations), NULL, "reservations, when and where" },
    { 1, 'r', "responding",    OPT_FLAG, AT(responding), NULL, "only nodes that answer" },
    { 1, 'S', "sort",          OPT_TEXT, AT(sort), "LETTERS", "order by these columns, a - before one turns it around",
              ENV("SINFO_SORT") },
    { 1, 't', "states",        OPT_TEXT, AT(states), "STATES", "nodes in these states" },
    { 1, 's', "summarize",     OPT_FLAG, AT(summarize), NULL, "one line for each partition" },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say what is being asked for" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    DOCUMENT_OPTS(offsetof(struct sinfo, doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set sinfo_set = { "sinfo", 0, options, "[OPTIONS]", true };

/* ---- which nodes ---- */

/* Is the state one of the words of -t?  A word may join states of which all must hold: "idle&maint". */
static bool state_wanted(const struct sinfo *o, uint32_t state)
{
    for (size_t i = 0; i < o->state_words.n; i++) {
        auto_strs struct strs all = STRS_INIT;
        strs_split(&all, o->state_words.at[i], "&");
        bool yes = all.n > 0;
        for (size_t k = 0; k < all.n; k++)
            yes &= node_state_is(all.at[k], state) > 0;
        if (yes)
            return true;
    }
    return !o->states || str_ieq(o->states, "all");
}

static bool needs_reason(uint32_t state)
{
    uint32_t base = state & NODE_STATE_BASE;
    return base == NODE_DOWN || (state & (NODE_DRAIN | NODE_FAIL | NODE_NO_RESPOND));
}

static bool node_wanted(const struct sinfo *o, const Pb__Node *n)
{
    uint32_t state = node_state_shown(n);
    if ((state & NODE_STATE_BASE) == NODE_FUTURE && !o->future)
        return false;
    if (o->nodes && !strs_has(&o->node_names, n->def->name))
        return false;
    if ((o->dead && !(state & NODE_NO_RESPOND)) || (o->responding && (state & NODE_NO_RESPOND)))
        return false;
    if (o->reasons && (!node_has_reason(n) || (!o->states && !needs_reason(state) && !n->reason_s)))
        return false;
    return state_wanted(o, state);
}

static bool part_wanted(const struct sinfo *o, const Pb__Part *p)
{
    if (o->partitions)
        return strs_has(&o->part_names, p->name);
    return o->all || !p->hidden;
}

/* ---- lines ---- */

/* What the matching columns print for a node alone.  JSON tells devices in use apart, too. */
static void group_add_key(const struct sinfo *o, const struct node_group *alone, struct buf *key)
{
    for (size_t i = 0; i < o->columns.column.n; i++) {
        const struct show_field *f = o->columns.column.at[i].field;
        if (!f || f->group == MATCH_NONE || (f->group == MATCH_RANGE && !o->exact))
            continue;
        show_text(key, f, alone, SHOW_COLUMN);
        buf_addc(key, '\x1f');
    }
    if (o->by_node && alone->first)
        buf_adds(key, alone->first->def->name);
    if (o->doc.format && alone->first)
        node_put_gres_used(key, alone->first);
    buf_addc(key, alone->first ? 'n' : '-');
}

static struct node_group *group_for(struct table *t, uint32_t part_index, const Pb__Node *n)
{
    auto_buf struct buf key = BUF_INIT;
    struct node_group alone = { .part = &t->part[part_index], .user = names_user };
    if (n)
        node_group_add(&alone, n);
    group_add_key(t->o, &alone, &key);
    node_group_clear(&alone);
    struct node_group *g = smap_get(&t->by_key, key.s);
    if (g)
        return g;
    g = NEW(struct node_group);
    g->part = &t->part[part_index];
    g->part_index = part_index;
    g->user = names_user;
    g->hosts = t->hosts;
    g->addresses = t->addresses;
    vec_push(&t->row, g);
    vec_push(&t->key, buf_take(&key));
    smap_put(&t->by_key, t->key.at[t->key.n - 1], g);
    return g;
}

/* A node in several partitions that share a line counts once. */
static bool group_has_node(const struct node_group *g, const Pb__Node *n, uint32_t part_index)
{
    if (g->part_index == part_index)
        return false;
    for (size_t i = 0; i < g->node.n; i++)
        if (g->node.at[i] == n)
            return true;
    return false;
}

/* A partition without nodes is worth a line only where something of it is shown. */
static bool shows_part(const struct sinfo *o)
{
    for (size_t i = 0; i < o->columns.column.n; i++)
        if (o->columns.column.at[i].field && o->columns.column.at[i].field->group == MATCH_PART)
            return true;
    return false;
}

static void table_add_part(struct table *t, uint32_t index)
{
    const Pb__Part *part = t->list->parts[index];
    bool any = false;
    for (size_t i = 0; i < t->list->n_nodes; i++) {
        const Pb__Node *n = t->list->nodes[i];
        if (!str_in_list(n->parts, part->name) || !node_wanted(t->o, n))
            continue;
        any = true;
        struct node_group *g = group_for(t, index, n);
        if (!group_has_node(g, n, index))
            node_group_add(g, n);
    }
    if (!any && !t->o->by_node && shows_part(t->o))
        group_for(t, index, NULL);
}

/* ---- order ---- */

static int cmp_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* `configured`: partitions in the order of the configuration, not of their names. */
static int cmp_by(char letter, bool configured, const struct node_group *a, const struct node_group *b)
{
    const struct show_field *f = show_find_letter(&show_node_group, letter);
    if (configured && (letter == 'P' || letter == 'R'))
        return cmp_numbers(a->part_index, b->part_index);
    if (letter == 'N')
        return a->first && b->first ? hostlist_cmp(a->first->def->name, b->first->def->name)
                                    : cmp_numbers(!!a->first, !!b->first);
    return f ? show_cmp(f, a, b) : 0;
}

static int cmp_rows(const void *pa, const void *pb, void *arg)
{
    const struct node_group *a = *(struct node_group *const *)pa, *b = *(struct node_group *const *)pb;
    const char *spec = arg;
    bool down = false, configured = false;
    for (; *spec; spec++) {
        if (strchr("-#+,", *spec)) {
            down = *spec == '-' || (down && *spec != ',');
            configured = *spec == '#' || (configured && *spec != ',');
            continue;
        }
        int order = cmp_by(*spec, configured, a, b);
        if (order)
            return down ? -order : order;
        down = configured = false;
    }
    return cmp_numbers(a->part_index, b->part_index);
}

/* ---- columns ---- */

static void bad_letter(const char *what)
{
    fprintf(stderr, "Invalid node format specification: %s\n", what);
}

static void bad_name(const char *what)
{
    say_error("Invalid job format specification: %s", what);
}

static void name_widths(const Pb__ClusterList *list, int *part, int *node)
{
    *part = *node = MIN_NAME_WIDTH;
    for (size_t i = 0; i < list->n_parts; i++)
        *part = MAX(*part, (int)strlen(list->parts[i]->name) + list->parts[i]->is_default);
    for (size_t i = 0; i < list->n_nodes; i++)
        *node = MAX(*node, (int)strlen(list->nodes[i]->def->name));
}

/* The default columns, as wide as the names of this cluster need. */
static char *ready_format(const struct sinfo *o, const Pb__ClusterList *list)
{
    int part, node;
    name_widths(list, &part, &node);
    if (o->summarize)
        return mem_printf("%%%dP %%.5a %%.10l %%.16F %%N", part);
    if (o->reasons)
        return mem_str(o->long_list ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N");
    if (o->by_node)
        return o->long_list
                   ? mem_printf("%%%dN %%.6D %%.%dP %%.11T %%4c %%.8z %%.6m %%.8d %%.6w %%.8f %%20E", node, part)
                   : mem_printf("%%%dN %%.6D %%.%dP %%6t", node, part);
    return o->long_list ? mem_printf("%%%dP %%.5a %%.10l %%.10s %%.4r %%.8h %%.10g %%.6D %%.11T %%.11i %%N", part)
                        : mem_printf("%%%dP %%.5a %%.10l %%.6D %%.6t %%N", part);
}

static void sinfo_choose_columns(struct sinfo *o, const Pb__ClusterList *list)
{
    if (o->columns.column.n || o->columns.before)
        return;
    if (o->long_format)
        show_columns_names(&o->columns, &show_node_group, o->long_format, bad_name);
    else if (o->format)
        show_columns_letters(&o->columns, &show_node_group, o->format, bad_letter);
    else {
        auto_free char *ready = ready_format(o, list);
        show_columns_letters(&o->columns, &show_node_group, ready, bad_letter);
    }
}

/* ---- the answer ---- */

static void put_date(struct buf *out)
{
    char text[64];
    time_t now = time(NULL);
    struct tm tm;
    strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", localtime_r(&now, &tm));
    buf_addf(out, "%s\n", text);
}

static void sinfo_print_columns(struct table *t)
{
    const struct sinfo *o = t->o;
    struct buf out = BUF_INIT;
    if (o->long_list || o->every_s)
        put_date(&out);
    if (!o->no_header)
        show_columns_head(&o->columns, &out);
    for (size_t i = 0; i < t->row.n; i++)
        show_columns_row(&o->columns, t->row.at[i], &out);
    if (o->every_s)
        buf_addc(&out, '\n');
    say_flush(&out);
    buf_clear(&out);
}

static void sinfo_print_document(struct table *t, struct document *d, const struct client *c)
{
    document_begin(d);
    document_rows_begin(d, "sinfo", &show_node_group);
    for (size_t i = 0; i < t->row.n; i++)
        document_row(d, t->row.at[i]);
    document_rows_end(d);
    document_end(d, c);
}

static bool shows_field(const struct sinfo *o, const char *name)
{
    return show_columns_has(&o->columns, show_find(&show_node_group, name, strlen(name)));
}

static void table_init(struct table *t, struct sinfo *o, const Pb__ClusterList *list, const struct client *c)
{
    *t = (struct table){ .o = o, .list = list };
    t->hosts = shows_field(o, "NodeHost");
    t->addresses = shows_field(o, "NodeAddr");
    t->part = mem_array(list->n_parts + 1, sizeof(*t->part));
    for (uint32_t i = 0; i < list->n_parts; i++) {
        t->part[i].part = list->parts[i];
        if (o->doc.format) /* columns need no sums */
            part_row_init(&t->part[i], list->parts[i], list->nodes, list->n_nodes, false);
        t->part[i].preempt_mode = client_site(c)->preempt_mode;
    }
    for (uint32_t i = 0; i < list->n_parts; i++)
        if (part_wanted(o, list->parts[i]))
            table_add_part(t, i);
    const char *sort = o->sort ? o->sort : o->by_node ? "N" : o->reasons ? "-H" : "#P,-t";
    if (t->row.n > 1)
        qsort_r(t->row.at, t->row.n, sizeof(*t->row.at), cmp_rows, (void *)(uintptr_t)sort);
}

static void table_clear(struct table *t)
{
    for (size_t i = 0; i < t->row.n; i++) {
        node_group_clear(t->row.at[i]);
        free(t->row.at[i]);
        free(t->key.at[i]);
    }
    for (size_t i = 0; i < t->list->n_parts; i++)
        part_row_clear(&t->part[i]);
    free(t->part);
    vec_clear(&t->row);
    vec_clear(&t->key);
    smap_clear(&t->by_key);
}

static void sinfo_show(struct sinfo *o, const Pb__ClusterList *list, const struct client *c)
{
    struct table t;
    sinfo_choose_columns(o, list);
    table_init(&t, o, list, c);
    if (o->doc.format)
        sinfo_print_document(&t, &o->doc, c);
    else
        sinfo_print_columns(&t);
    table_clear(&t);
}

static int sinfo_fail(int rc, const struct err *err)
{
    fprintf(stderr, "slurm_load_partitions: %s\n", rc >= 1000 || !err->text[0] ? err_text(rc) : err->text);
    return 1;
}

static int sinfo_ask(struct sinfo *o)
{
    struct err err = ERR_INIT;
    struct client *c;
    int rc = client_open(&c, &err);
    if (rc)
        return sinfo_fail(rc, &err);
    for (;;) {
        Pb__NodeQuery query = PB__NODE_QUERY__INIT;
        ProtobufCMessage *reply;
        rc = client_call(c, MSG_CLUSTER, &query.base, MSG_CLUSTER_REPLY, &reply, &err);
        if (rc) {
            rc = sinfo_fail(rc, &err);
        } else {
            sinfo_show(o, (const Pb__ClusterList *)reply, c);
            client_free(reply);
        }
        if (!o->every_s)
            break;
        sleep(o->every_s);
    }
    client_close(c);
    return rc;
}

static int sinfo_ask_resvs(const struct sinfo *o)
{
    struct err err = ERR_INIT;
    struct client *c;
    struct buf out = BUF_INIT;
    Pb__PartQuery query = PB__PART_QUERY__INIT;
    ProtobufCMessage *reply;
    int rc = client_open(&c, &err);
    if (rc)
        return sinfo_fail(rc, &err);
    rc = client_call(c, MSG_RESVS, &query.base, MSG_RESVS_REPLY, &reply, &err);
    client_close(c);
    if (rc)
        return sinfo_fail(rc, &err);
    resv_list_text((const Pb__ResvList *)reply, !o->no_header, &out);
    say_flush(&out);
    buf_clear(&out);
    client_free(reply);
    return 0;
}

/* ---- options ---- */

/* Print what --help and its like ask for; -1: none of them was given. */
static int sinfo_help(const struct sinfo *o)
{
    struct buf out = BUF_INIT;
    if (o->help)
        opt_help(&sinfo_set, &out);
    else if (o->usage)
        buf_adds(&out, "Usage: sinfo [-abdelNRrsTv] [-i seconds] [-t states] [-p partition] [-n nodes]\n"
                       "             [-S fields] [-o format] [-O Format] [--federation] [--local]\n");
    else if (o->version)
        say_version(&out);
    else if (o->help_format)
        show_help_letters(&show_node_group, &out);
    else if (o->help_names)
        show_help_names(&show_node_group, &out);
    else if (o->help_states) {
        node_state_names(&out, "\n");
        buf_addc(&out, '\n');
    } else
        return -1;
    say_flush(&out);
    buf_clear(&out);
    return 0;
}

static int check_states(const struct sinfo *o)
{
    for (size_t i = 0; i < o->state_words.n; i++) {
        auto_strs struct strs all = STRS_INIT;
        strs_split(&all, o->state_words.at[i], "&");
        for (size_t k = 0; k < all.n; k++)
            if (node_state_is(all.at[k], 0) < 0) {
                auto_buf struct buf names = BUF_INIT;
                node_state_names(&names, ",");
                say_error("Bad state string: \"%s\"", all.at[k]);
                say_error("valid states: %s", names.s);
                return 1;
            }
    }
    return 0;
}

static int sinfo_read_lists(struct sinfo *o)
{
    struct err err = ERR_INIT;
    if (o->partitions)
        strs_split(&o->part_names, o->partitions, ",");
    if (o->states && !str_ieq(o->states, "all"))
        strs_split(&o->state_words, o->states, ",");
    if (o->nodes && hostlist_expand(o->nodes, &o->node_names, &err)) {
        say_error("%s", err.text);
        return 1;
    }
    if (o->iterate) {
        long n = strtol(o->iterate, NULL, 10);
        if (n <= 0 || n > INT32_MAX) {
            say_error("Error: invalid entry for --iterate=%s", o->iterate);
            return 1;
        }
        o->every_s = (unsigned)n;
    }
    return check_states(o);
}

static int sinfo_read_options(struct sinfo *o, int argc, char **argv)
{
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&sinfo_set, o, &err);
    if (!rc)
        rc = opt_argv(&sinfo_set, argc, argv, &first, o, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    rc = sinfo_help(o);
    if (rc < 0)
        rc = document_check(&o->doc, 1);
    if (rc < 0 && sinfo_read_lists(o))
        rc = 1;
    return rc;
}

int cli_sinfo(int argc, char **argv)
{
    struct sinfo o = { 0 };
    int rc = sinfo_read_options(&o, argc, argv);
    if (rc < 0 && o.reservations)
        rc = sinfo_ask_resvs(&o);
    if (rc < 0)
        rc = sinfo_ask(&o);
    strs_clear(&o.node_names);
    strs_clear(&o.part_names);
    strs_clear(&o.state_words);
    show_columns_clear(&o.columns);
    return rc;
}
