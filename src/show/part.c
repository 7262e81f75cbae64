/* part - the fields of a partition; see part.h. */
#include "core/cluster.h"
#include "show/part.h"

#include <ctype.h>

#include "base/str.h"
#include "show/node.h"
#include "show/row.h"
#include "text/hostlist.h"
#include "text/time.h"

#define ROW_OF(row) ((const struct part_row *)(row))
#define PART(row) (ROW_OF(row)->part)
#define GET_LIMIT(name, n) GET(name) { set_limit(v, n); }

/* ---- rows ---- */

void part_row_init(struct part_row *r, const Pb__Part *p, Pb__Node *const *node, size_t nnode, bool says_all)
{
    *r = (struct part_row){ .part = p };
    auto_free char **names = mem_array(nnode + 1, sizeof(*names));
    for (size_t i = 0; i < nnode; i++) {
        if (!str_in_list(node[i]->parts, p->name))
            continue;
        names[r->count++] = node[i]->def->name;
        r->cpus += node[i]->hw->cpus;
        r->mem_mb += node[i]->hw->mem_mb;
    }
    r->nodes = hostlist_compress_sorted(names, r->count);
    r->all = says_all && r->count == nnode;
}

void part_row_clear(struct part_row *r)
{
    free(take(r->nodes));
}

/* ---- words ---- */

const char *part_state(const Pb__Part *p)
{
    return part_state_name(p->state);
}

const char *part_state_short(const Pb__Part *p)
{
    static const char *const names[] = { "up", "down", "drain", "inact" };
    return p->state < ARRAY_LEN(names) ? names[p->state] : "n/a";
}

static bool whole_nodes(const Pb__Part *p)
{
    return str_ieq(p->oversubscribe, "EXCLUSIVE");
}

const char *part_oversubscribe(const Pb__Part *p)
{
    return str_empty(p->oversubscribe) || whole_nodes(p) ? "NO" : p->oversubscribe;
}

static const char *part_exclusive(const Pb__Part *p)
{
    return p->exclusive_user ? "USER" : p->exclusive_topo ? "TOPO" : whole_nodes(p) ? "NODE" : "NO";
}

/* Lists for which ALL is the same as nothing. */
static const char *not_all(const char *text)
{
    return str_ieq(text, "ALL") ? "" : text;
}

/* A limit that 0 and the largest number turn off. */
static void set_limit(struct show_value *v, uint64_t n)
{
    if (!n || n == TIME_INFINITE || n == UINT64_MAX)
        show_set_infinite(v);
    else
        show_set_number(v, (int64_t)n);
}

/* ---- access ---- */

GET_TEXT(get_name, PART(row)->name)
GET_TEXT(get_groups, not_all(PART(row)->allow_groups))
GET_TEXT(get_allow_accounts, not_all(PART(row)->allow_accounts))
GET_TEXT(get_deny_accounts, PART(row)->deny_accounts)
GET_TEXT(get_allow_qos, not_all(PART(row)->allow_qos))
GET_TEXT(get_deny_qos, PART(row)->deny_qos)
GET_TEXT(get_qos, PART(row)->qos)
GET_TEXT(get_alloc_nodes, not_all(PART(row)->alloc_nodes))
GET_TEXT(get_alternate, PART(row)->alternate)
GET_COUNT(get_default, PART(row)->is_default)
GET_COUNT(get_disable_root, PART(row)->disable_root_jobs)
GET_COUNT(get_hidden, PART(row)->hidden)
GET_COUNT(get_lln, PART(row)->lln)
GET_COUNT(get_root_only, PART(row)->root_only)
GET_COUNT(get_req_resv, PART(row)->req_resv)

/* scontrol shows the denied names where there are any, else the allowed ones. */
GET(get_allow_accounts_pair)
{
    if (str_empty(PART(row)->deny_accounts))
        show_set_text(v, str_or(PART(row)->allow_accounts, "ALL"));
}
GET(get_allow_qos_pair)
{
    if (str_empty(PART(row)->deny_qos))
        show_set_text(v, str_or(PART(row)->allow_qos, "ALL"));
}

GET(get_flags)
{
    const Pb__Part *p = PART(row);
    const struct {
        bool on;
        const char *name;
    } flags[] = {
        { p->is_default, "DEFAULT" }, { p->hidden, "HIDDEN" },     { p->disable_root_jobs, "NO_ROOT" },
        { p->root_only, "ROOT_ONLY" }, { p->req_resv, "REQ_RESV" }, { p->lln, "LLN" },
        { p->power_down_on_idle, "PDOI" },
    };
    struct buf *out = show_make(v);
    size_t start = out->len;
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (flags[i].on)
            buf_addf(out, "%s%s", out->len > start ? "," : "", flags[i].name);
}

/* ---- its nodes ---- */

GET_TEXT(get_nodes, ROW_OF(row)->nodes)
GET_TEXT(get_node_sets, !str_empty(PART(row)->node_sets) ? PART(row)->node_sets : ROW_OF(row)->all ? "ALL" : NULL)
GET_NUMBER(get_total_nodes, ROW_OF(row)->count)
GET_NUMBER(get_total_cpus, ROW_OF(row)->cpus)
GET_TEXT(get_topology, PART(row)->topology)
GET_TEXT(get_billing_weights, PART(row)->tres_billing_weights)
GET(get_tres)
{
    const struct part_row *r = ROW_OF(row);
    struct show_tres t = { r->cpus, r->mem_mb, r->count, r->cpus, NULL, 0, NULL };
    show_put_tres(show_make(v), &t);
}

/* ---- limits and defaults ---- */

GET_LIMIT(get_max_nodes, PART(row)->max_nodes)
GET_LIMIT(get_max_time, PART(row)->max_time_min)
GET_LIMIT(get_max_cpus_node, PART(row)->max_cpus_per_node)
GET_LIMIT(get_max_cpus_socket, PART(row)->max_cpus_per_socket)
GET_NUMBER(get_min_nodes, PART(row)->min_nodes)
GET_NUMBER(get_grace, PART(row)->grace_s)

GET(get_default_time)
{
    uint32_t minutes = PART(row)->default_time_min;
    if (minutes && minutes != TIME_NO_VAL)
        set_limit(v, minutes);
}

GET(get_over_time)
{
    uint32_t minutes = PART(row)->over_time_limit_min;
    if (minutes && minutes != TIME_NO_VAL)
        set_limit(v, minutes);
}

/* JSON has the memory per node as 0, and set, where there is neither; scontrol shows one of the two. */
static void set_per_cpu(struct show_value *v, uint64_t per_cpu)
{
    show_set_count(v, (int64_t)per_cpu);
}
static void set_per_node(struct show_value *v, uint64_t per_cpu, uint64_t per_node)
{
    if (!per_cpu && per_node != UINT64_MAX)
        show_set_number(v, (int64_t)per_node);
}
static void set_per_node_pair(struct show_value *v, uint64_t per_cpu, uint64_t per_node)
{
    if (!per_cpu)
        set_limit(v, per_node);
}

GET(get_def_mem_cpu) { set_per_cpu(v, PART(row)->def_mem_per_cpu_mb); }
GET(get_def_mem_node) { set_per_node(v, PART(row)->def_mem_per_cpu_mb, PART(row)->def_mem_per_node_mb); }
GET(get_def_mem_node_pair) { set_per_node_pair(v, PART(row)->def_mem_per_cpu_mb, PART(row)->def_mem_per_node_mb); }
GET(get_max_mem_cpu) { set_per_cpu(v, PART(row)->max_mem_per_cpu_mb); }
GET(get_max_mem_node) { set_per_node(v, PART(row)->max_mem_per_cpu_mb, PART(row)->max_mem_per_node_mb); }
GET(get_max_mem_node_pair) { set_per_node_pair(v, PART(row)->max_mem_per_cpu_mb, PART(row)->max_mem_per_node_mb); }

/* What each GPU comes with. */
GET(get_job_defaults)
{
    const Pb__Part *p = PART(row);
    struct buf *out = show_make(v);
    if (p->def_cpu_per_gpu)
        buf_addf(out, "DefCpuPerGPU=%llu", (unsigned long long)p->def_cpu_per_gpu);
    if (p->def_mem_per_gpu_mb)
        buf_addf(out, "%sDefMemPerGPU=%llu", p->def_cpu_per_gpu ? "," : "", (unsigned long long)p->def_mem_per_gpu_mb);
}

/* ---- scheduling ---- */

GET_TEXT(get_state, part_state(PART(row)))
GET_TEXT(get_exclusive, part_exclusive(PART(row)))
GET_TEXT(get_oversubscribe, part_oversubscribe(PART(row)))
GET_NUMBER(get_tier, PART(row)->priority_tier)
GET_NUMBER(get_factor, PART(row)->priority_job_factor)
GET_TEXT(get_preempt, str_or(PART(row)->preempt_mode, ROW_OF(row)->preempt_mode))
GET_TEXT(get_select_type, str_or(PART(row)->select_type_parameters, "NONE"))

GET(get_preempt_list)
{
    const char *mode = PART(row)->preempt_mode;
    if (str_empty(mode)) {
        show_set_text(v, "CLUSTER_GLOBAL");
    } else if (str_ieq(mode, "OFF")) {
        show_set_text(v, "DISABLED");
    } else {
        struct buf *out = show_make(v);
        for (; *mode; mode++)
            buf_addc(out, (char)toupper((unsigned char)*mode));
    }
}

/* "FORCE:2", in the form of data_parser versions before 45. */
GET(get_oversub_jobs)
{
    const char *colon = strchr(part_oversubscribe(PART(row)), ':');
    show_set_number(v, colon ? strtol(colon + 1, NULL, 10) : 0);
}

GET(get_oversub_flags)
{
    if (str_has_iprefix(part_oversubscribe(PART(row)), "FORCE"))
        show_set_text(v, "force");
}

/* clang-format off */
#define NO_YES .pair_none = "NO", .yes = "YES"
static const struct show_field fields[] = {
    ROW("AllocNodes", "nodes.allowed_allocation", TEXT, get_alloc_nodes, .of = "alloc_nodes", .pair_none = "ALL"),
    ROW("Nodes", "nodes.configured", TEXT, get_nodes, .of = "nodes node"),
    ROW("TotalNodes", "nodes.total", NUMBER, get_total_nodes, .of = "total_nodes"),
    ROW(NULL, "accounts.allowed", TEXT, get_allow_accounts, .of = "allow_accounts"),
    ROW("AllowAccounts", NULL, TEXT, get_allow_accounts_pair),
    ROW("DenyAccounts", "accounts.deny", TEXT, get_deny_accounts, .of = "deny_accounts"),
    ROW("AllowGroups", "groups.allowed", TEXT, get_groups, .of = "allow_groups", .pair_none = "ALL"),
    ROW(NULL, "qos.allowed", TEXT, get_allow_qos, .of = "allow_qos"),
    ROW("AllowQos", NULL, TEXT, get_allow_qos_pair),
    ROW("DenyQos", "qos.deny", TEXT, get_deny_qos, .of = "deny_qos"),
    ROW("QoS", "qos.assigned", TEXT, get_qos, .of = "qos", .pair_none = "N/A"),
    ROW("Alternate", "alternate", TEXT, get_alternate, .of = "alternate"),
    ROW("TRESBillingWeights", "tres.billing_weights", TEXT, get_billing_weights, .of = "tres_billing_weights"),
    ROW("TRES", "tres.configured", TEXT, get_tres),
    ROW(NULL, "cluster", TEXT, show_get_unset),
    ROW(NULL, "select_type", LIST, get_select_type, .since = 45),
    ROW("SelectTypeParameters", NULL, TEXT, get_select_type, .of = "select_type_parameters"),
    ROW(NULL, "select_type", LIST, show_get_unset, .until = 44),
    ROW(NULL, "cpus.task_binding", LIST, show_get_unset, .since = 45),
    ROW(NULL, "cpus.task_binding", NUMBER, show_get_unset, .until = 44),
    ROW("TotalCPUs", "cpus.total", NUMBER, get_total_cpus, .of = "total_cpus"),
    ROW(NULL, "defaults.memory_per_cpu", NUMBER, show_get_unset),
    ROW("DefMemPerCPU", "defaults.partition_memory_per_cpu", NUMBER_SET, get_def_mem_cpu, .of = "def_mem_per_cpu_mb"),
    ROW(NULL, "defaults.partition_memory_per_node", NUMBER_SET, get_def_mem_node, .of = "def_mem_per_node_mb"),
    ROW("DefMemPerNode", NULL, NUMBER, get_def_mem_node_pair),
    ROW("DefaultTime", "defaults.time", MINUTES, get_default_time, .of = "default_time_min", .pair_none = "NONE"),
    ROW("JobDefaults", "defaults.job", TEXT, get_job_defaults,
        .of = "def_cpu_per_gpu def_mem_per_gpu_mb"),
    ROW(NULL, "flags", LIST, get_flags, .of = "power_down_on_idle", .since = 45),
    ROW("Exclusive", "partition.exclusive", TEXT, get_exclusive, .of = "exclusive_user exclusive_topo", .since = 45),
    ROW("OverSubscribe", "partition.oversubscribe", TEXT, get_oversubscribe, .of = "oversubscribe", .since = 45),
    ROW(NULL, "partition.state", LIST, get_state, .of = "state"),
    ROW("State", NULL, TEXT, get_state),
    ROW("GraceTime", "grace_time", NUMBER, get_grace, .of = "grace_s"),
    ROW("MaxCPUsPerNode", "maximums.cpus_per_node", NUMBER_SET, get_max_cpus_node, .of = "max_cpus_per_node"),
    ROW("MaxCPUsPerSocket", "maximums.cpus_per_socket", NUMBER_SET, get_max_cpus_socket, .of = "max_cpus_per_socket"),
    ROW(NULL, "maximums.memory_per_cpu", NUMBER, show_get_unset),
    ROW("MaxMemPerCPU", "maximums.partition_memory_per_cpu", NUMBER_SET, get_max_mem_cpu, .of = "max_mem_per_cpu_mb"),
    ROW(NULL, "maximums.partition_memory_per_node", NUMBER_SET, get_max_mem_node, .of = "max_mem_per_node_mb"),
    ROW("MaxMemPerNode", NULL, NUMBER, get_max_mem_node_pair),
    ROW("MaxNodes", "maximums.nodes", NUMBER_SET, get_max_nodes, .of = "max_nodes"),
    ROW(NULL, "maximums.shares", NUMBER, show_get_unset),
    ROW(NULL, "maximums.oversubscribe.jobs", NUMBER, get_oversub_jobs, .until = 44),
    ROW(NULL, "maximums.oversubscribe.flags", LIST, get_oversub_flags, .until = 44),
    ROW(NULL, "maximums.oversubscribe.jobs", NUMBER, show_get_unset, .since = 45),
    ROW(NULL, "maximums.oversubscribe.flags", LIST, show_get_unset, .since = 45),
    ROW("MaxTime", "maximums.time", MINUTES, get_max_time, .of = "max_time_min"),
    ROW("OverTimeLimit", "maximums.over_time_limit", NUMBER_SET, get_over_time, .of = "over_time_limit_min",
           .pair_none = "NONE"),
    ROW("MinNodes", "minimums.nodes", NUMBER, get_min_nodes, .of = "min_nodes"),
    ROW("PartitionName", "name", TEXT, get_name, .of = "name"),
    ROW("NodeSets", "node_sets", TEXT, get_node_sets, .of = "node_sets"),
    ROW(NULL, "preempt_mode", LIST, get_preempt_list, .since = 45),
    ROW("PreemptMode", NULL, TEXT, get_preempt, .of = "preempt_mode", .pair_none = "OFF"),
    ROW("PriorityJobFactor", "priority.job_factor", NUMBER, get_factor, .of = "priority_job_factor"),
    ROW("PriorityTier", "priority.tier", NUMBER, get_tier, .of = "priority_tier"),
    ROW(NULL, "timeouts.resume", NUMBER_SET, show_get_unset),
    ROW(NULL, "timeouts.suspend", NUMBER_SET, show_get_unset),
    ROW("Topology", "topology", TEXT, get_topology, .of = "topology", .since = 43),
    ROW(NULL, "suspend_time", NUMBER_SET, show_get_unset),
    ROW("Default", NULL, BOOL, get_default, .of = "is_default", NO_YES),
    ROW("DisableRootJobs", NULL, BOOL, get_disable_root, .of = "disable_root_jobs", NO_YES),
    ROW("Hidden", NULL, BOOL, get_hidden, .of = "hidden", NO_YES),
    ROW("LLN", NULL, BOOL, get_lln, .of = "lln", NO_YES),
    ROW("RootOnly", NULL, BOOL, get_root_only, .of = "root_only", NO_YES),
    ROW("ReqResv", NULL, BOOL, get_req_resv, .of = "req_resv", NO_YES),
    { 0 },
};

static const struct show_skip skips[] = {
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_part = {
    "partition", fields,
    "PartitionName\n"
    "AllowGroups ?DenyAccounts ?AllowAccounts ?DenyQos ?AllowQos\n"
    "AllocNodes Default QoS\n"
    "?Alternate\n"
    "DefaultTime DisableRootJobs Exclusive GraceTime Hidden\n"
    "MaxNodes MaxTime MinNodes LLN MaxCPUsPerNode MaxCPUsPerSocket\n"
    "?NodeSets\n"
    "Nodes\n"
    "PriorityJobFactor PriorityTier RootOnly ReqResv OverSubscribe\n"
    "OverTimeLimit PreemptMode\n"
    "?Topology\n"
    "State TotalCPUs TotalNodes SelectTypeParameters\n"
    "JobDefaults\n"
    "?DefMemPerCPU ?DefMemPerNode ?MaxMemPerCPU ?MaxMemPerNode\n"
    "TRES\n"
    "?TRESBillingWeights",
    skips,
};
