/*
 * fields_node - the columns of sinfo, one row of the table each.
 */
#include "cli/fields_node.h"

#include <ctype.h>

#include "base/str.h"
#include "cli/fields_job.h"
#include "cli/names.h"
#include "core/node.h"
#include "text/hostlist.h"
#include "text/strs.h"
#include "text/time.h"

#define ROW(p) ((const struct node_row *)(p))
#define NODE(p) (ROW(p)->first)
#define PART(p) (ROW(p)->part)
#define PUT(name) static void name(struct buf *out, const struct field *f, const void *row)

/* ---- adding up ---- */

uint32_t node_state_of(const Pb__Node *n)
{
    return n->state & ~NODE_REGISTERED;
}

bool node_has_reason(const Pb__Node *n)
{
    return !str_empty(n->reason);
}

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

static void add_use(struct node_row *r, const Pb__Node *n)
{
    uint32_t state = node_state_of(n), base = state & NODE_STATE_BASE;
    uint32_t cpus = n->hw->cpus, used = MIN(n->alloc_cpus, cpus);
    bool out = base == NODE_DOWN || base == NODE_UNKNOWN || base == NODE_FUTURE || (state & (NODE_DRAIN | NODE_FAIL));
    bool busy = base == NODE_ALLOCATED || base == NODE_MIXED || (state & NODE_COMPLETING);
    r->total++;
    r->allocated += busy;
    r->idle += !busy && !out;
    r->other += !busy && out;
    r->cpus_total += cpus;
    r->cpus_allocated += used;
    r->cpus_idle += out ? 0 : cpus - used;
    r->cpus_other += out ? cpus - used : 0;
}

void node_row_add(struct node_row *r, const Pb__Node *n)
{
    uint64_t v[NUM_COUNT];
    numbers_of(n, v);
    for (int i = 0; i < NUM_COUNT; i++) {
        r->low[i] = r->first ? MIN(r->low[i], v[i]) : v[i];
        r->high[i] = r->first ? MAX(r->high[i], v[i]) : v[i];
    }
    r->no_load |= !n->has_load;
    if (!r->first)
        r->first = n;
    vec_push(&r->node, n);
    add_use(r, n);
}

void node_row_clear(struct node_row *r)
{
    vec_clear(&r->node);
}

/* ---- nodes ---- */

static void range(struct buf *out, const struct node_row *r, enum node_number i)
{
    buf_addf(out, "%llu%s", (unsigned long long)r->low[i], r->low[i] == r->high[i] ? "" : "+");
}

PUT(put_cpus) { range(out, ROW(row), NUM_CPUS); }
PUT(put_sockets) { range(out, ROW(row), NUM_SOCKETS); }
PUT(put_cores) { range(out, ROW(row), NUM_CORES); }
PUT(put_threads) { range(out, ROW(row), NUM_THREADS); }
PUT(put_memory) { range(out, ROW(row), NUM_MEMORY); }
PUT(put_disk) { range(out, ROW(row), NUM_DISK); }
PUT(put_weight) { range(out, ROW(row), NUM_WEIGHT); }

PUT(put_sct)
{
    put_sockets(out, f, row);
    buf_addc(out, ':');
    put_cores(out, f, row);
    buf_addc(out, ':');
    put_threads(out, f, row);
}

PUT(put_load)
{
    const struct node_row *r = ROW(row);
    if (!r->first || r->no_load) {
        buf_adds(out, "N/A");
        return;
    }
    buf_addf(out, "%.2f", (double)r->low[NUM_LOAD] / 100);
    if (r->low[NUM_LOAD] != r->high[NUM_LOAD])
        buf_addf(out, "-%.2f", (double)r->high[NUM_LOAD] / 100);
}

PUT(put_free)
{
    const struct node_row *r = ROW(row);
    if (!r->first || r->no_load) {
        buf_adds(out, "N/A");
        return;
    }
    buf_addf(out, "%llu", (unsigned long long)r->low[NUM_FREE]);
    if (r->low[NUM_FREE] != r->high[NUM_FREE])
        buf_addf(out, "-%llu", (unsigned long long)r->high[NUM_FREE]);
}

PUT(put_cpu_states)
{
    const struct node_row *r = ROW(row);
    buf_addf(out, "%u/%u/%u/%u", r->cpus_allocated, r->cpus_idle, r->cpus_other, r->cpus_total);
}

PUT(put_node_states)
{
    const struct node_row *r = ROW(row);
    buf_addf(out, "%u/%u/%u/%u", r->allocated, r->idle, r->other, r->total);
}

PUT(put_node_ai) { buf_addf(out, "%u/%u", ROW(row)->allocated, ROW(row)->idle); }
PUT(put_count) { buf_addf(out, "%u", ROW(row)->total); }
PUT(put_alloc_mem) { buf_addf(out, "%llu", NODE(row) ? (unsigned long long)NODE(row)->alloc_mem_mb : 0); }

static void list(struct buf *out, const struct node_row *r)
{
    if (r->node.n == 1) {
        buf_adds(out, r->first->def->name);
        return;
    }
    auto_free char **names = mem_array(r->node.n, sizeof(*names));
    for (size_t i = 0; i < r->node.n; i++)
        names[i] = r->node.at[i]->def->name;
    auto_free char *all = hostlist_compress_sorted(names, r->node.n);
    buf_adds(out, all);
}

PUT(put_nodes) { list(out, ROW(row)); }
/* Nodes with different hosts have different rows. */
PUT(put_hosts) { buf_adds(out, NODE(row) ? str_or(NODE(row)->def->hostname, NODE(row)->def->name) : ""); }
PUT(put_addrs) { buf_adds(out, NODE(row) ? str_or(NODE(row)->def->addr, NODE(row)->def->name) : ""); }

static void text(struct buf *out, const Pb__Node *n, const char *s)
{
    buf_adds(out, n && !str_empty(s) ? s : "(null)");
}

PUT(put_features) { text(out, NODE(row), NODE(row) ? NODE(row)->def->features : NULL); }
PUT(put_active) { text(out, NODE(row), NODE(row) ? NODE(row)->features_active : NULL); }
PUT(put_gres) { text(out, NODE(row), NODE(row) ? NODE(row)->def->gres : NULL); }
PUT(put_comment) { text(out, NODE(row), NODE(row) ? NODE(row)->comment : NULL); }
PUT(put_extra) { text(out, NODE(row), NODE(row) ? NODE(row)->extra : NULL); }
PUT(put_version) { text(out, NODE(row), NODE(row) ? NODE(row)->version : NULL); }
PUT(put_port) { buf_addf(out, "%u", NODE(row) ? NODE(row)->def->port : 0); }
PUT(put_word) { buf_adds(out, f->none); }
PUT(put_resv) { buf_adds(out, NODE(row) ? NODE(row)->reservation : ""); }

void node_put_gres_used(struct buf *out, const Pb__Node *n)
{
    for (size_t i = 0; i < n->n_alloc_gres; i++) {
        const Pb__Gres *g = n->alloc_gres[i];
        buf_addf(out, "%s%s%s%s:%llu", i ? "," : "", g->name, *g->type ? ":" : "", g->type,
                 (unsigned long long)g->count);
    }
}

PUT(put_gres_used)
{
    size_t start = out->len;
    if (NODE(row))
        node_put_gres_used(out, NODE(row));
    if (out->len == start)
        buf_adds(out, "(null)");
}

PUT(put_reason) { buf_adds(out, NODE(row) && node_has_reason(NODE(row)) ? NODE(row)->reason : "none"); }

static bool said(const Pb__Node *n)
{
    return n && node_has_reason(n) && n->reason_s;
}

PUT(put_user) { buf_adds(out, said(NODE(row)) ? names_user(NODE(row)->reason_uid) : "Unknown"); }
PUT(put_user_long)
{
    if (said(NODE(row)))
        buf_addf(out, "%s(%u)", names_user(NODE(row)->reason_uid), NODE(row)->reason_uid);
    else
        buf_adds(out, "Unknown");
}
PUT(put_since) { job_put_stamp(out, said(NODE(row)) ? NODE(row)->reason_s : 0, "Unknown"); }

PUT(put_state) { buf_adds(out, NODE(row) ? node_state_name(node_state_of(NODE(row)), false) : "n/a"); }
PUT(put_state_short) { buf_adds(out, NODE(row) ? node_state_name(node_state_of(NODE(row)), true) : "n/a"); }
PUT(put_state_full)
{
    char flags[160] = "n/a";
    if (NODE(row))
        node_state_flags(node_state_of(NODE(row)), flags, sizeof(flags));
    for (char *p = flags; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    buf_adds(out, flags);
}

/* ---- partitions ---- */

static void part_text(struct buf *out, const Pb__Part *p, const char *s, const char *none)
{
    buf_adds(out, p && !str_empty(s) ? s : none);
}

PUT(put_part)
{
    part_text(out, PART(row), PART(row) ? PART(row)->name : NULL, "n/a");
    if (PART(row) && PART(row)->is_default)
        buf_addc(out, '*');
}
PUT(put_part_name) { part_text(out, PART(row), PART(row) ? PART(row)->name : NULL, "n/a"); }

PUT(put_available)
{
    static const char *const names[] = { "up", "down", "drain", "inact" };
    buf_adds(out, PART(row) && PART(row)->state < ARRAY_LEN(names) ? names[PART(row)->state] : "n/a");
}

static void limit(struct buf *out, uint32_t minutes, const char *none)
{
    char t[TIME_TEXT];
    if (minutes == TIME_NO_VAL || !minutes)
        buf_adds(out, none);
    else
        buf_adds(out, minutes == TIME_INFINITE ? "infinite" : time_limit_short(t, minutes));
}

PUT(put_max_time) { limit(out, PART(row) ? PART(row)->max_time_min : TIME_NO_VAL, PART(row) ? "infinite" : "n/a"); }
PUT(put_default_time) { limit(out, PART(row) ? PART(row)->default_time_min : TIME_NO_VAL, "n/a"); }

PUT(put_size)
{
    const Pb__Part *p = PART(row);
    if (!p) {
        buf_adds(out, "n/a");
        return;
    }
    uint32_t low = MAX(p->min_nodes, 1);
    if (!p->max_nodes || p->max_nodes == TIME_INFINITE)
        buf_addf(out, "%u-infinite", low);
    else if (p->max_nodes == low)
        buf_addf(out, "%u", low);
    else
        buf_addf(out, "%u-%u", low, p->max_nodes);
}

/* "ALL", as configured or by default, is "all" here. */
static void all_or(struct buf *out, const Pb__Part *p, const char *s)
{
    part_text(out, p, str_ieq(s, "all") ? "all" : s, p ? "all" : "n/a");
}

PUT(put_groups) { all_or(out, PART(row), PART(row) ? PART(row)->allow_groups : NULL); }
PUT(put_alloc_nodes) { all_or(out, PART(row), PART(row) ? PART(row)->alloc_nodes : NULL); }
static const char *shared_text(const Pb__Part *p)
{
    return str_ieq(p->oversubscribe, "EXCLUSIVE") ? "NO" : p->oversubscribe; /* that is told as Exclusive=NODE */
}
PUT(put_shared) { part_text(out, PART(row), PART(row) ? shared_text(PART(row)) : NULL, PART(row) ? "NO" : "n/a"); }
PUT(put_preempt) { part_text(out, PART(row), PART(row) ? PART(row)->preempt_mode : NULL, PART(row) ? "OFF" : "n/a"); }
PUT(put_root) { buf_adds(out, !PART(row) ? "n/a" : PART(row)->root_only ? "yes" : "no"); }
PUT(put_tier) { buf_addf(out, "%u", PART(row) ? PART(row)->priority_tier : 0); }
PUT(put_factor) { buf_addf(out, "%u", PART(row) ? PART(row)->priority_job_factor : 0); }

PUT(put_max_cpus)
{
    uint32_t n = PART(row) ? PART(row)->max_cpus_per_node : 0;
    if (!n || n == TIME_INFINITE)
        buf_adds(out, "UNLIMITED");
    else
        buf_addf(out, "%u", n);
}

/* clang-format off */
const struct field fields_node[] = {
    { "AllocMem",           0,  "ALLOCMEM",          put_alloc_mem,    MATCH_NODE },
    { "AllocNodes",        'S', "ALLOCNODES",        put_alloc_nodes,  MATCH_PART },
    { "Available",         'a', "AVAIL",             put_available,    MATCH_PART },
    { "Cluster",           'V', "CLUSTER",           put_word,         MATCH_NONE, "N/A" },
    { "Comment",            0,  "COMMENT",           put_comment,      MATCH_NODE },
    { "Cores",             'Y', "CORES",             put_cores,        MATCH_RANGE },
    { "CPUs",              'c', "CPUS",              put_cpus,         MATCH_RANGE },
    { "CPUsLoad",          'O', "CPU_LOAD",          put_load,         MATCH_NONE },
    { "CPUsState",         'C', "CPUS(A/I/O/T)",     put_cpu_states,   MATCH_NONE },
    { "DefaultTime",       'L', "DEFAULTTIME",       put_default_time, MATCH_PART },
    { "Disk",              'd', "TMP_DISK",          put_disk,         MATCH_RANGE },
    { "Extra",              0,  "EXTRA",             put_extra,        MATCH_NODE },
    { "Features",          'f', "AVAIL_FEATURES",    put_features,     MATCH_NODE },
    { "features_act",      'b', "ACTIVE_FEATURES",   put_active,       MATCH_NODE },
    { "FreeMem",           'e', "FREE_MEM",          put_free,         MATCH_NONE },
    { "Gres",              'G', "GRES",              put_gres,         MATCH_NODE },
    { "GresUsed",           0,  "GRES_USED",         put_gres_used,    MATCH_NODE },
    { "Groups",            'g', "GROUPS",            put_groups,       MATCH_PART },
    { "MaxCPUsPerNode",    'B', "MAX_CPUS_PER_NODE", put_max_cpus,     MATCH_PART },
    { "Memory",            'm', "MEMORY",            put_memory,       MATCH_RANGE },
    { "NodeAddr",          'o', "NODE_ADDR",         put_addrs,        MATCH_NODE },
    { "NodeAI",            'A', "NODES(A/I)",        put_node_ai,      MATCH_NONE },
    { "NodeAIOT",          'F', "NODES(A/I/O/T)",    put_node_states,  MATCH_NONE },
    { "NodeHost",          'n', "HOSTNAMES",         put_hosts,        MATCH_NODE },
    { "NodeList",          'N', "NODELIST",          put_nodes,        MATCH_NONE },
    { "Nodes",             'D', "NODES",             put_count,        MATCH_NONE },
    { "OverSubscribe",     'h', "OVERSUBSCRIBE",     put_shared,       MATCH_PART },
    { "Partition",         'P', "PARTITION",         put_part,         MATCH_PART },
    { "PartitionName",     'R', "PARTITION",         put_part_name,    MATCH_PART },
    { "Port",               0,  "PORT",              put_port,         MATCH_NODE },
    { "PreemptMode",       'M', "PREEMPT_MODE",      put_preempt,      MATCH_PART },
    { "PriorityJobFactor", 'I', "PRIO_JOB_FACTOR",   put_factor,       MATCH_PART },
    { "PriorityTier",      'p', "PRIO_TIER",         put_tier,         MATCH_PART },
    { "Reason",            'E', "REASON",            put_reason,       MATCH_NODE },
    { "Reservation",       'i', "RESERVATION",       put_resv,         MATCH_NODE },
    { "Root",              'r', "ROOT",              put_root,         MATCH_PART },
    { "Size",              's', "JOB_SIZE",          put_size,         MATCH_PART },
    { "Sockets",           'X', "SOCKETS",           put_sockets,      MATCH_RANGE },
    { "SocketCoreThread",  'z', "S:C:T",             put_sct,          MATCH_RANGE },
    { "StateCompact",      't', "STATE",             put_state_short,  MATCH_NODE },
    { "StateComplete",      0,  "STATECOMPLETE",     put_state_full,   MATCH_NODE },
    { "StateLong",         'T', "STATE",             put_state,        MATCH_NODE },
    { "Threads",           'Z', "THREADS",           put_threads,      MATCH_RANGE },
    { "Time",              'l', "TIMELIMIT",         put_max_time,     MATCH_PART },
    { "TimeStamp",         'H', "TIMESTAMP",         put_since,        MATCH_NODE },
    { "User",              'u', "USER",              put_user,         MATCH_NODE },
    { "UserLong",          'U', "USER",              put_user_long,    MATCH_NODE },
    { "Version",           'v', "VERSION",           put_version,      MATCH_NODE },
    { "Weight",            'w', "WEIGHT",            put_weight,       MATCH_RANGE },
    { "Share",              0,  "OVERSUBSCRIBE",     put_shared,       MATCH_PART, .alias = true },
    { 0 },
};
/* clang-format on */
