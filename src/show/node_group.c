/* node_group - the fields of sinfo; see node_group.h. */
#include "show/node_group.h"

#include <ctype.h>

#include "base/str.h"
#include "core/node.h"
#include "show/row.h"
#include "text/hostlist.h"
#include "text/time.h"

#define GROUP(row) ((const struct node_group *)(row))
#define FIRST(row) (GROUP(row)->first)
#define PART(row) (GROUP(row)->part->part)

/* ---- adding up ---- */

static void numbers_of(const Pb__Node *n, uint64_t v[NUM_COUNT])
{
    const Pb__NodeHw *hw = n->hw;
    v[NUM_CPUS] = hw->cpus;
    v[NUM_SOCKETS] = hw->sockets;
    v[NUM_CORES] = hw->cores;
    v[NUM_THREADS] = hw->threads;
    v[NUM_MEMORY] = hw->mem_mb;
    v[NUM_DISK] = hw->tmp_mb;
    v[NUM_WEIGHT] = n->weight;
    v[NUM_LOAD] = n->load_centi;
    v[NUM_FREE] = n->free_mem_mb;
}

static void add_use(struct node_group *g, const Pb__Node *n)
{
    uint32_t state = node_state_shown(n), base = state & NODE_STATE_BASE;
    uint32_t cpus = n->hw->cpus, used = MIN(n->alloc_cpus, cpus);
    bool out = base == NODE_DOWN || base == NODE_UNKNOWN || base == NODE_FUTURE || (state & (NODE_DRAIN | NODE_FAIL));
    bool busy = base == NODE_ALLOCATED || base == NODE_MIXED || (state & NODE_COMPLETING);
    g->total++;
    g->allocated += busy;
    g->idle += !busy && !out;
    g->other += !busy && out;
    g->cpus_total += cpus;
    g->cpus_allocated += used;
    g->cpus_idle += out ? 0 : cpus - used;
    g->cpus_other += out ? cpus - used : 0;
    g->mem_allocated_mb += n->alloc_mem_mb;
}

void node_group_add(struct node_group *g, const Pb__Node *n)
{
    uint64_t v[NUM_COUNT];
    numbers_of(n, v);
    for (int i = 0; i < NUM_COUNT; i++) {
        g->low[i] = g->first ? MIN(g->low[i], v[i]) : v[i];
        g->high[i] = g->first ? MAX(g->high[i], v[i]) : v[i];
    }
    g->no_load |= !n->has_load;
    if (!g->first)
        g->first = n;
    vec_push(&g->node, n);
    add_use(g, n);
}

void node_group_clear(struct node_group *g)
{
    vec_clear(&g->node);
}

/* ---- numbers ---- */

GET_NUMBER(get_low, GROUP(row)->low[f->at])
GET_NUMBER(get_high, GROUP(row)->high[f->at])

static void put_range(struct buf *out, const struct node_group *g, size_t i)
{
    buf_addf(out, "%llu%s", (unsigned long long)g->low[i], g->low[i] == g->high[i] ? "" : "+");
}

GET(get_range) { put_range(show_make(v), GROUP(row), f->at); }

GET(get_sct)
{
    struct buf *out = show_make(v);
    put_range(out, GROUP(row), NUM_SOCKETS);
    buf_addc(out, ':');
    put_range(out, GROUP(row), NUM_CORES);
    buf_addc(out, ':');
    put_range(out, GROUP(row), NUM_THREADS);
}

/* Load and free memory are unknown unless every node has reported. */
static bool load_known(const struct node_group *g)
{
    return g->first && !g->no_load;
}

GET(get_load)
{
    const struct node_group *g = GROUP(row);
    if (!load_known(g))
        return;
    struct buf *out = show_make(v);
    buf_addf(out, "%.2f", (double)g->low[NUM_LOAD] / 100);
    if (g->low[NUM_LOAD] != g->high[NUM_LOAD])
        buf_addf(out, "-%.2f", (double)g->high[NUM_LOAD] / 100);
}

GET(get_free)
{
    const struct node_group *g = GROUP(row);
    if (!load_known(g))
        return;
    struct buf *out = show_make(v);
    buf_addf(out, "%llu", (unsigned long long)g->low[NUM_FREE]);
    if (g->low[NUM_FREE] != g->high[NUM_FREE])
        buf_addf(out, "-%llu", (unsigned long long)g->high[NUM_FREE]);
}

GET(get_free_low)
{
    if (load_known(GROUP(row)))
        show_set_number(v, (int64_t)GROUP(row)->low[NUM_FREE]);
}

GET(get_free_high)
{
    if (load_known(GROUP(row)))
        show_set_number(v, (int64_t)GROUP(row)->high[NUM_FREE]);
}

GET_NUMBER(get_allocated, GROUP(row)->allocated)
GET_NUMBER(get_idle, GROUP(row)->idle)
GET_NUMBER(get_other, GROUP(row)->other)
GET_NUMBER(get_total, GROUP(row)->total)
GET_NUMBER(get_cpus_allocated, GROUP(row)->cpus_allocated)
GET_NUMBER(get_cpus_idle, GROUP(row)->cpus_idle)
GET_NUMBER(get_cpus_other, GROUP(row)->cpus_other)
GET_NUMBER(get_cpus_total, GROUP(row)->cpus_total)
GET_NUMBER(get_mem_allocated, GROUP(row)->mem_allocated_mb)
GET_NUMBER(get_alloc_mem, FIRST(row) ? FIRST(row)->alloc_mem_mb : 0)

GET(get_cpu_states)
{
    const struct node_group *g = GROUP(row);
    buf_addf(show_make(v), "%u/%u/%u/%u", g->cpus_allocated, g->cpus_idle, g->cpus_other, g->cpus_total);
}

GET(get_node_states)
{
    const struct node_group *g = GROUP(row);
    buf_addf(show_make(v), "%u/%u/%u/%u", g->allocated, g->idle, g->other, g->total);
}

GET(get_node_ai) { buf_addf(show_make(v), "%u/%u", GROUP(row)->allocated, GROUP(row)->idle); }

/* ---- nodes: values that are not summed up are those of the first node ---- */

GET(get_nodes)
{
    const struct node_group *g = GROUP(row);
    if (g->node.n == 1) {
        show_set_text(v, g->first->def->name);
        return;
    }
    auto_free char **names = mem_array(g->node.n + 1, sizeof(*names));
    for (size_t i = 0; i < g->node.n; i++)
        names[i] = g->node.at[i]->def->name;
    auto_free char *all = hostlist_compress_sorted(names, g->node.n);
    buf_adds(show_make(v), all);
}

GET(get_node_names)
{
    const struct node_group *g = GROUP(row);
    struct buf *out = show_make(v);
    for (size_t i = 0; i < g->node.n; i++)
        buf_addf(out, "%s%s", i ? "," : "", g->node.at[i]->def->name);
}

static const char *host_of(const Pb__Node *n)
{
    return n ? str_or(n->def->hostname, n->def->name) : NULL;
}

static const char *address_of(const Pb__Node *n)
{
    return n ? str_or(n->def->addr, n->def->name) : NULL;
}

GET_TEXT(get_host, host_of(FIRST(row)))
GET_TEXT(get_address, address_of(FIRST(row)))
GET_TEXT(get_host_list, GROUP(row)->hosts ? host_of(FIRST(row)) : NULL)
GET_TEXT(get_address_list, GROUP(row)->addresses ? address_of(FIRST(row)) : NULL)
GET_NUMBER(get_port, FIRST(row) ? FIRST(row)->def->port : 0)
GET_TEXT(get_features, FIRST(row) ? FIRST(row)->def->features : NULL)
GET_TEXT(get_active, FIRST(row) ? FIRST(row)->features_active : NULL)
GET_TEXT(get_gres, FIRST(row) ? FIRST(row)->def->gres : NULL)
GET_TEXT(get_comment, FIRST(row) ? FIRST(row)->comment : NULL)
GET_TEXT(get_extra, FIRST(row) ? FIRST(row)->extra : NULL)
GET_TEXT(get_version, FIRST(row) ? FIRST(row)->version : NULL)
GET_TEXT(get_resv, FIRST(row) ? FIRST(row)->reservation : NULL)
GET_TEXT(get_spec_list, FIRST(row) ? FIRST(row)->spec_list : NULL)
GET_NUMBER(get_mem_spec, FIRST(row) ? FIRST(row)->def->mem_spec_mb : 0)

GET(get_gres_used)
{
    if (FIRST(row))
        node_put_gres_used(show_make(v), FIRST(row));
}

GET_TEXT(get_reason, FIRST(row) ? FIRST(row)->reason : NULL)
GET_COUNT(get_reason_time, FIRST(row) && node_has_reason(FIRST(row)) ? FIRST(row)->reason_s : 0)

GET(get_reason_user)
{
    const Pb__Node *n = FIRST(row);
    if (n && node_has_reason(n) && n->reason_s)
        node_put_reason_user(show_make(v), n, GROUP(row)->user);
}

GET(get_reason_user_long)
{
    get_reason_user(v, f, row);
    if (v->state == SHOW_SET)
        buf_addf(v->scratch, "(%u)", FIRST(row)->reason_uid);
}

GET_TEXT(get_state, FIRST(row) ? node_state_name(node_state_shown(FIRST(row)), false) : NULL)
GET_TEXT(get_state_short, FIRST(row) ? node_state_name(node_state_shown(FIRST(row)), true) : NULL)
GET_NUMBER(get_state_number, FIRST(row) ? node_state_shown(FIRST(row)) : 0)

GET(get_states)
{
    if (FIRST(row))
        node_put_states(show_make(v), FIRST(row));
}

GET(get_state_full)
{
    char flags[160];
    if (!FIRST(row))
        return;
    node_state_flags(node_state_shown(FIRST(row)), flags, sizeof(flags));
    for (char *p = flags; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    buf_adds(show_make(v), flags);
}

/* ---- the partition ---- */

static const void *part_at(const void *of, size_t i, void *room)
{
    return of;
}

GET(get_part_record)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 1, GROUP(row)->part, part_at };
}

GET(get_part)
{
    buf_addf(show_make(v), "%s%s", PART(row)->name, PART(row)->is_default ? "*" : "");
}

GET_TEXT(get_part_name, PART(row)->name)
GET_TEXT(get_available, part_state_short(PART(row)))

/* Lists for which ALL, as configured or by default, is shown as "all". */
static const char *not_all(const char *text)
{
    return str_ieq(text, "all") ? NULL : text;
}

GET_TEXT(get_groups, not_all(PART(row)->allow_groups))
GET_TEXT(get_alloc_nodes, not_all(PART(row)->alloc_nodes))
GET_TEXT(get_shared, part_oversubscribe(PART(row)))
GET_TEXT(get_preempt, str_or(PART(row)->preempt_mode, GROUP(row)->part->preempt_mode))
GET_NUMBER(get_root, PART(row)->root_only)
GET_NUMBER(get_tier, PART(row)->priority_tier)
GET_NUMBER(get_factor, PART(row)->priority_job_factor)

static void set_minutes(struct show_value *v, uint32_t minutes)
{
    if (minutes == TIME_INFINITE)
        show_set_infinite(v);
    else if (minutes && minutes != TIME_NO_VAL)
        show_set_number(v, minutes);
}

GET(get_max_time) { set_minutes(v, PART(row)->max_time_min); }
GET(get_default_time) { set_minutes(v, PART(row)->default_time_min); }
GET_NUMBER(get_max_time_number, PART(row)->max_time_min)

GET(get_size)
{
    const Pb__Part *p = PART(row);
    uint32_t low = MAX(p->min_nodes, 1);
    struct buf *out = show_make(v);
    if (!p->max_nodes || p->max_nodes == TIME_INFINITE)
        buf_addf(out, "%u-infinite", low);
    else if (p->max_nodes == low)
        buf_addf(out, "%u", low);
    else
        buf_addf(out, "%u-%u", low, p->max_nodes);
}

GET(get_max_cpus)
{
    uint32_t n = PART(row)->max_cpus_per_node;
    if (!n || n == TIME_INFINITE)
        show_set_infinite(v);
    else
        show_set_number(v, n);
}

/* clang-format off */
#define COLUMN(name_, letter_, head_, match_, type_, get_, ...)                                             \
    {                                                                                                       \
        .name = name_, .letter = letter_, .head = head_, .group = MATCH_##match_, .type = SHOW_##type_,     \
        .get = get_, __VA_ARGS__                                                                            \
    }
#define NUMBER(name_, letter_, head_, n_) \
    COLUMN(name_, letter_, head_, RANGE, TEXT, get_range, .at = n_, .sort = get_low)
#define JSON(path_, type_, get_, ...) { .json = path_, .type = SHOW_##type_, .get = get_, __VA_ARGS__ }
static const struct show_field fields[] = {
    COLUMN("AllocMem",           0,  "ALLOCMEM",          NODE,  NUMBER,  get_alloc_mem),
    COLUMN("AllocNodes",        'S', "ALLOCNODES",        PART,  TEXT,    get_alloc_nodes, .none = "all"),
    COLUMN("Available",         'a', "AVAIL",             PART,  TEXT,    get_available),
    COLUMN("Cluster",           'V', "CLUSTER",           NONE,  TEXT,    show_get_unset, .none = "N/A"),
    COLUMN("Comment",            0,  "COMMENT",           NODE,  TEXT,    get_comment),
    NUMBER("Cores",             'Y', "CORES",             NUM_CORES),
    NUMBER("CPUs",              'c', "CPUS",              NUM_CPUS),
    COLUMN("CPUsLoad",          'O', "CPU_LOAD",          NONE,  TEXT,    get_load, .none = "N/A", .at = NUM_LOAD,
           .sort = get_low),
    COLUMN("CPUsState",         'C', "CPUS(A/I/O/T)",     NONE,  TEXT,    get_cpu_states, .sort = get_cpus_allocated),
    COLUMN("DefaultTime",       'L', "DEFAULTTIME",       PART,  MINUTES, get_default_time, .none = "n/a",
           .infinite = "infinite"),
    NUMBER("Disk",              'd', "TMP_DISK",          NUM_DISK),
    COLUMN("Extra",              0,  "EXTRA",             NODE,  TEXT,    get_extra),
    COLUMN("Features",          'f', "AVAIL_FEATURES",    NODE,  TEXT,    get_features),
    COLUMN("features_act",      'b', "ACTIVE_FEATURES",   NODE,  TEXT,    get_active),
    COLUMN("FreeMem",           'e', "FREE_MEM",          NONE,  TEXT,    get_free, .none = "N/A", .at = NUM_FREE,
           .sort = get_low),
    COLUMN("Gres",              'G', "GRES",              NODE,  TEXT,    get_gres),
    COLUMN("GresUsed",           0,  "GRES_USED",         NODE,  TEXT,    get_gres_used),
    COLUMN("Groups",            'g', "GROUPS",            PART,  TEXT,    get_groups, .none = "all"),
    COLUMN("MaxCPUsPerNode",    'B', "MAX_CPUS_PER_NODE", PART,  NUMBER,  get_max_cpus),
    NUMBER("Memory",            'm', "MEMORY",            NUM_MEMORY),
    COLUMN("NodeAddr",          'o', "NODE_ADDR",         NODE,  TEXT,    get_address, .none = ""),
    COLUMN("NodeAI",            'A', "NODES(A/I)",        NONE,  TEXT,    get_node_ai, .sort = get_allocated),
    COLUMN("NodeAIOT",          'F', "NODES(A/I/O/T)",    NONE,  TEXT,    get_node_states, .sort = get_allocated),
    COLUMN("NodeHost",          'n', "HOSTNAMES",         NODE,  TEXT,    get_host, .none = ""),
    COLUMN("NodeList",          'N', "NODELIST",          NONE,  TEXT,    get_nodes, .none = ""),
    COLUMN("Nodes",             'D', "NODES",             NONE,  NUMBER,  get_total),
    COLUMN("OverSubscribe",     'h', "OVERSUBSCRIBE",     PART,  TEXT,    get_shared),
    COLUMN("Partition",         'P', "PARTITION",         PART,  TEXT,    get_part),
    COLUMN("PartitionName",     'R', "PARTITION",         PART,  TEXT,    get_part_name),
    COLUMN("Port",               0,  "PORT",              NODE,  NUMBER,  get_port, .json = "port"),
    COLUMN("PreemptMode",       'M', "PREEMPT_MODE",      PART,  TEXT,    get_preempt, .none = "OFF"),
    COLUMN("PriorityJobFactor", 'I', "PRIO_JOB_FACTOR",   PART,  NUMBER,  get_factor),
    COLUMN("PriorityTier",      'p', "PRIO_TIER",         PART,  NUMBER,  get_tier),
    COLUMN("Reason",            'E', "REASON",            NODE,  TEXT,    get_reason, .none = "none"),
    COLUMN("Reservation",       'i', "RESERVATION",       NODE,  TEXT,    get_resv, .none = ""),
    COLUMN("Root",              'r', "ROOT",              PART,  BOOL,    get_root, .none = "no", .yes = "yes"),
    COLUMN("Size",              's', "JOB_SIZE",          PART,  TEXT,    get_size),
    NUMBER("Sockets",           'X', "SOCKETS",           NUM_SOCKETS),
    COLUMN("SocketCoreThread",  'z', "S:C:T",             RANGE, TEXT,    get_sct, .at = NUM_SOCKETS, .sort = get_low),
    COLUMN("StateCompact",      't', "STATE",             NODE,  TEXT,    get_state_short, .none = "n/a",
           .sort = get_state_number),
    COLUMN("StateComplete",      0,  "STATECOMPLETE",     NODE,  TEXT,    get_state_full, .none = "n/a"),
    COLUMN("StateLong",         'T', "STATE",             NODE,  TEXT,    get_state, .none = "n/a",
           .sort = get_state_number),
    NUMBER("Threads",           'Z', "THREADS",           NUM_THREADS),
    COLUMN("Time",              'l', "TIMELIMIT",         PART,  MINUTES, get_max_time, .none = "infinite",
           .infinite = "infinite",
           .sort = get_max_time_number),
    COLUMN("TimeStamp",         'H', "TIMESTAMP",         NODE,  TIME,    get_reason_time, .none = "Unknown"),
    COLUMN("User",              'u', "USER",              NODE,  TEXT,    get_reason_user, .none = "Unknown"),
    COLUMN("UserLong",          'U', "USER",              NODE,  TEXT,    get_reason_user_long, .none = "Unknown"),
    COLUMN("Version",           'v', "VERSION",           NODE,  TEXT,    get_version),
    NUMBER("Weight",            'w', "WEIGHT",            NUM_WEIGHT),
    COLUMN("Share",              0,  "OVERSUBSCRIBE",     PART,  TEXT,    get_shared, .flags = SHOW_ALIAS),
    JSON("node.state",             LIST,       get_states),
    JSON("nodes.allocated",        NUMBER,     get_allocated),
    JSON("nodes.idle",             NUMBER,     get_idle),
    JSON("nodes.other",            NUMBER,     get_other),
    JSON("nodes.total",            NUMBER,     get_total),
    JSON("nodes.hostnames",        LIST,       get_host_list),
    JSON("nodes.addresses",        LIST,       get_address_list),
    JSON("nodes.nodes",            LIST,       get_node_names),
    JSON("cpus.allocated",         NUMBER,     get_cpus_allocated),
    JSON("cpus.idle",              NUMBER,     get_cpus_idle),
    JSON("cpus.other",             NUMBER,     get_cpus_other),
    JSON("cpus.total",             NUMBER,     get_cpus_total),
    JSON("cpus.minimum",           NUMBER,     get_low, .at = NUM_CPUS),
    JSON("cpus.maximum",           NUMBER,     get_high, .at = NUM_CPUS),
    JSON("cpus.load.minimum",      NUMBER,     get_low, .at = NUM_LOAD),
    JSON("cpus.load.maximum",      NUMBER,     get_high, .at = NUM_LOAD),
    JSON("cpus.per_node.max",      NUMBER_SET, get_max_cpus),
    JSON("sockets.minimum",        NUMBER,     get_low, .at = NUM_SOCKETS),
    JSON("sockets.maximum",        NUMBER,     get_high, .at = NUM_SOCKETS),
    JSON("cores.minimum",          NUMBER,     get_low, .at = NUM_CORES),
    JSON("cores.maximum",          NUMBER,     get_high, .at = NUM_CORES),
    JSON("threads.minimum",        NUMBER,     get_low, .at = NUM_THREADS),
    JSON("threads.maximum",        NUMBER,     get_high, .at = NUM_THREADS),
    JSON("disk.minimum",           NUMBER,     get_low, .at = NUM_DISK),
    JSON("disk.maximum",           NUMBER,     get_high, .at = NUM_DISK),
    JSON("memory.minimum",         NUMBER,     get_low, .at = NUM_MEMORY),
    JSON("memory.maximum",         NUMBER,     get_high, .at = NUM_MEMORY),
    JSON("memory.free.minimum",    NUMBER_SET, get_free_low),
    JSON("memory.free.maximum",    NUMBER_SET, get_free_high),
    JSON("memory.allocated",       NUMBER,     get_mem_allocated),
    JSON("weight.minimum",         NUMBER,     get_low, .at = NUM_WEIGHT),
    JSON("weight.maximum",         NUMBER,     get_high, .at = NUM_WEIGHT),
    JSON("features.total",         TEXT,       get_features),
    JSON("features.active",        TEXT,       get_active),
    JSON("gres.total",             TEXT,       get_gres),
    JSON("gres.used",              TEXT,       get_gres_used),
    JSON("cluster",                TEXT,       show_get_unset),
    JSON("comment",                TEXT,       get_comment),
    JSON("extra",                  TEXT,       get_extra),
    JSON("reason.description",     TEXT,       get_reason),
    JSON("reason.time",            TIME,       get_reason_time, .flags = SHOW_PLAIN),
    JSON("reason.user",            TEXT,       get_reason_user, .until = 44),
    JSON("reservation",            TEXT,       get_resv),
    JSON("reason_set_by_user",     TEXT,       get_reason_user, .since = 45),
    JSON("resource_spec.cpus",     TEXT,       get_spec_list),
    JSON("resource_spec.memory",   NUMBER,     get_mem_spec),
    JSON("partition",              RECORD,     get_part_record, .sub = &show_part),
    { 0 },
};
/* clang-format on */

const struct show_table show_node_group = { "node_group", fields, "", NULL };
