/* node - the fields of a node; see node.h. */
#include "show/node.h"

#include "base/str.h"
#include "core/node.h"
#include "show/row.h"
#include "text/time.h"
#include "text/tres.h"

#define NODE(row) (((const struct node_row *)(row))->node)
#define DEF(row) (NODE(row)->def)
#define HW(row) (NODE(row)->hw)

/* ---- shared with node_group ---- */

uint32_t node_state_shown(const Pb__Node *n)
{
    return n->state & ~NODE_REGISTERED;
}

bool node_has_reason(const Pb__Node *n)
{
    return !str_empty(n->reason);
}

void node_put_states(struct buf *out, const Pb__Node *n)
{
    char states[160];
    node_state_flags(node_state_shown(n), states, sizeof(states));
    for (char *at = states; *at; at++)
        *at = *at == '+' ? ',' : *at;
    buf_adds(out, states);
}

void node_put_gres_used(struct buf *out, const Pb__Node *n)
{
    for (size_t i = 0; i < n->n_alloc_gres; i++) {
        const Pb__Gres *g = n->alloc_gres[i];
        buf_addf(out, "%s%s%s%s:%llu", i ? "," : "", g->name, *g->type ? ":" : "", g->type,
                 (unsigned long long)g->count);
    }
}

void node_put_reason_user(struct buf *out, const Pb__Node *n, show_user_fn *user)
{
    if (user)
        buf_adds(out, user(n->reason_uid));
    else
        buf_addf(out, "%u", n->reason_uid);
}

static void add_devices(struct tres_list *list, const struct show_tres *t)
{
    for (size_t i = 0; i < t->ngres; i++) {
        auto_free char *name = mem_printf("gres/%s", t->gres[i]->name);
        if (t->counted && str_in_list(t->counted, name))
            tres_add(list, name, t->gres[i]->count);
    }
}

void show_put_tres(struct buf *out, const struct show_tres *t)
{
    auto_tres struct tres_list list = TRES_INIT;
    tres_set(&list, "cpu", t->cpus);
    tres_set(&list, "mem", t->mem_mb);
    tres_set(&list, "node", t->nodes);
    tres_set(&list, "billing", t->billing);
    add_devices(&list, t);
    auto_free char *text = tres_text(&list);
    buf_adds(out, text);
}

/* ---- what the node is ---- */

GET_TEXT(get_name, DEF(row)->name)
GET_TEXT(get_arch, HW(row)->arch)
GET_TEXT(get_os, HW(row)->os)
GET_TEXT(get_version, NODE(row)->version)
GET_TEXT(get_addr, str_or(DEF(row)->addr, DEF(row)->name))
GET_TEXT(get_host, str_or(DEF(row)->hostname, DEF(row)->name))
GET_COUNT(get_port, DEF(row)->port)
GET_NUMBER(get_boards, MAX(HW(row)->boards, 1))
GET_NUMBER(get_sockets, HW(row)->sockets)
GET_NUMBER(get_cores, HW(row)->cores)
GET_NUMBER(get_threads, HW(row)->threads)
GET_NUMBER(get_cpus, HW(row)->cpus)
GET_NUMBER(get_memory, HW(row)->mem_mb)
GET_NUMBER(get_tmp, HW(row)->tmp_mb)
GET_NUMBER(get_weight, NODE(row)->weight)
GET_TEXT(get_features, DEF(row)->features)
GET_TEXT(get_features_active, str_empty(NODE(row)->features_active) ? DEF(row)->features : NODE(row)->features_active)
GET_TEXT(get_gres, DEF(row)->gres)
GET_TEXT(get_parts, NODE(row)->parts)
GET_TEXT(get_comment, NODE(row)->comment)
GET_TEXT(get_extra, NODE(row)->extra)
GET_COUNT(get_core_spec, DEF(row)->core_spec)
GET_TEXT(get_spec_list, DEF(row)->core_spec ? NODE(row)->spec_list : NULL)
GET_COUNT(get_mem_spec, DEF(row)->mem_spec_mb)
GET_TEXT(get_not_applicable, "N/A")
GET_TEXT(get_invalid, "INVALID")
GET(get_infinite) { show_set_infinite(v); }

/* CPUs that are not kept for the system. */
static uint32_t job_cpus(const Pb__Node *n)
{
    return n->hw->cpus - MIN(n->def->core_spec * MAX(n->hw->threads, 1), n->hw->cpus);
}

GET(get_effective_cpus)
{
    uint32_t cpus = job_cpus(NODE(row));
    show_set_number(v, cpus ? cpus : HW(row)->cpus);
}

GET(get_tres)
{
    uint32_t cpus = job_cpus(NODE(row));
    struct show_tres t = { cpus, HW(row)->mem_mb, 0, cpus, NULL, 0,
                           ((const struct node_row *)row)->tres };
    show_put_tres(show_make(v), &t);
}

/* ---- how it is used ---- */

GET_NUMBER(get_alloc_cpus, NODE(row)->alloc_cpus)
GET_NUMBER(get_idle_cpus, job_cpus(NODE(row)) - MIN(NODE(row)->alloc_cpus, job_cpus(NODE(row))))
GET_NUMBER(get_alloc_memory, NODE(row)->alloc_mem_mb)
GET(get_gres_used) { node_put_gres_used(show_make(v), NODE(row)); }
GET(get_tres_used)
{
    const Pb__Node *n = NODE(row);
    struct show_tres t = { n->alloc_cpus, n->alloc_mem_mb, 0, 0, n->alloc_gres, n->n_alloc_gres,
                           ((const struct node_row *)row)->tres };
    show_put_tres(show_make(v), &t);
}

GET(get_load)
{
    if (NODE(row)->has_load)
        show_set_real(v, NODE(row)->load_centi / 100.0);
}

GET(get_load_centi)
{
    if (NODE(row)->has_load)
        show_set_number(v, NODE(row)->load_centi);
}

GET(get_free)
{
    if (NODE(row)->has_load)
        show_set_number(v, (int64_t)NODE(row)->free_mem_mb);
}

#define SKEW_SHOWN_MS 2000 /* less is the way of a message and a clock that is being corrected */

/* Seconds by which the node's wall clock is ahead of the cluster's time. */
GET(get_skew)
{
    int64_t ms = NODE(row)->skew_ms;
    if (ms > SKEW_SHOWN_MS || ms < -SKEW_SHOWN_MS)
        show_set_real(v, (double)ms / 1000);
}

/* ---- its state ---- */

GET(get_states) { node_put_states(show_make(v), NODE(row)); }
GET(get_state_flags)
{
    char flags[160];
    node_state_flags(node_state_shown(NODE(row)), flags, sizeof(flags));
    buf_adds(show_make(v), flags);
}
GET_COUNT(get_boot, NODE(row)->boot_s)
GET_COUNT(get_start, NODE(row)->start_s)
GET_COUNT(get_busy, NODE(row)->busy_s)
GET_TEXT(get_resv, NODE(row)->reservation)
GET_TEXT(get_reason, NODE(row)->reason)
GET_COUNT(get_reason_time, node_has_reason(NODE(row)) ? NODE(row)->reason_s : 0)

GET(get_reason_user)
{
    if (node_has_reason(NODE(row)) && NODE(row)->reason_s)
        node_put_reason_user(show_make(v), NODE(row), ((const struct node_row *)row)->user);
}

/* "maintenance [root@2026-01-01T00:00:00]" */
GET(get_reason_long)
{
    const Pb__Node *n = NODE(row);
    char at[TIME_TEXT];
    struct buf *out = show_make(v);
    buf_adds(out, n->reason);
    if (!node_has_reason(n) || !n->reason_s)
        return;
    buf_adds(out, " [");
    node_put_reason_user(out, n, ((const struct node_row *)row)->user);
    buf_addf(out, "@%s]", time_stamp(at, (time_t)n->reason_s, "Unknown"));
}

/* clang-format off */
static const struct show_field fields[] = {
    ROW("Arch",              "architecture", TEXT, get_arch, .of = "hw.arch"),
    ROW(NULL,                "burstbuffer_network_address", TEXT, show_get_unset),
    ROW("Boards",            "boards", NUMBER, get_boards, .of = "hw.boards"),
    ROW("BootTime",          "boot_time", TIME, get_boot, .of = "boot_s", .pair_none = "None"),
    ROW(NULL,                "tls_cert_last_renewal", TIME, show_get_unset, .since = 43),
    ROW(NULL,                "cert_flags", LIST, show_get_unset, .since = 43),
    ROW(NULL,                "cluster_name", TEXT, show_get_unset),
    ROW("CoresPerSocket",    "cores", NUMBER, get_cores, .of = "hw.cores"),
    ROW("CoreSpecCount",     "specialized_cores", NUMBER, get_core_spec, .of = "def.core_spec"),
    ROW(NULL,                "cpu_binding", NUMBER, show_get_unset),
    ROW(NULL,                "cpu_load", NUMBER, get_load_centi, .of = "load_centi has_load"),
    ROW("CPULoad",           NULL, FLOAT, get_load, .format = "%.2f"),
    ROW("ClockSkew",         NULL, FLOAT, get_skew, .of = "skew_ms", .format = "%+.1f"),
    ROW("FreeMem",           "free_mem", NUMBER_SET, get_free, .of = "free_mem_mb", .pair_none = "N/A"),
    ROW("CPUTot",            "cpus", NUMBER, get_cpus, .of = "hw.cpus"),
    ROW("CPUEfctv",          "effective_cpus", NUMBER, get_effective_cpus),
    ROW("CPUSpecList",       "specialized_cpus", TEXT, get_spec_list, .of = "spec_list def.spec_cores"),
    ROW("AveWatts",          "energy.average_watts", NUMBER, show_get_unset),
    ROW(NULL,                "energy.base_consumed_energy", NUMBER, show_get_unset),
    ROW(NULL,                "energy.consumed_energy", NUMBER, show_get_unset),
    ROW("CurrentWatts",      "energy.current_watts", NUMBER_SET, show_get_unset, .flags = SHOW_ZERO),
    ROW(NULL,                "energy.previous_consumed_energy", NUMBER, show_get_unset),
    ROW(NULL,                "energy.last_collected", NUMBER, show_get_unset),
    ROW("Extra",             "extra", TEXT, get_extra, .of = "extra"),
    ROW("AvailableFeatures", "features", LIST, get_features, .of = "def.features"),
    ROW("ActiveFeatures",    "active_features", LIST, get_features_active, .of = "features_active"),
    ROW(NULL,                "external_sensors", RECORD, show_get_empty, .sub = &show_empty, .until = 44),
    ROW(NULL,                "gpu_spec", TEXT, show_get_unset),
    ROW("Gres",              "gres", TEXT, get_gres, .of = "def.gres"),
    ROW("GresDrain",         "gres_drained", TEXT, get_not_applicable),
    ROW("GresUsed",          "gres_used", TEXT, get_gres_used, .of = "alloc_gres", .pair_none = ""),
    ROW(NULL,                "instance_id", TEXT, show_get_unset),
    ROW(NULL,                "instance_type", TEXT, show_get_unset),
    ROW("LastBusyTime",      "last_busy", TIME, get_busy, .of = "busy_s"),
    ROW("MCS_label",         "mcs_label", TEXT, show_get_unset, .pair_none = "N/A"),
    ROW("MemSpecLimit",      "specialized_memory", NUMBER, get_mem_spec, .of = "def.mem_spec_mb"),
    ROW("NodeName",          "name", TEXT, get_name, .of = "def.name"),
    ROW(NULL,                "next_state_after_reboot", LIST, get_invalid),
    ROW("NodeAddr",          "address", TEXT, get_addr, .of = "def.addr"),
    ROW("NodeHostName",      "hostname", TEXT, get_host, .of = "def.hostname"),
    ROW(NULL,                "state", LIST, get_states, .of = "state def.state"),
    ROW("State",             NULL, TEXT, get_state_flags),
    ROW("OS",                "operating_system", TEXT, get_os, .of = "hw.os"),
    ROW("Owner",             "owner", TEXT, show_get_unset, .pair_none = "N/A"),
    ROW("Partitions",        "partitions", LIST, get_parts, .of = "parts"),
    ROW(NULL,                "power", RECORD, show_get_empty, .sub = &show_empty, .until = 44),
    ROW("Port",              "port", NUMBER, get_port, .of = "def.port"),
    ROW("RealMemory",        "real_memory", NUMBER, get_memory, .of = "hw.mem_mb"),
    ROW(NULL,                "res_cores_per_gpu", NUMBER, show_get_unset),
    ROW("Comment",           "comment", TEXT, get_comment, .of = "comment"),
    ROW(NULL,                "reason", TEXT, get_reason, .of = "reason def.reason"),
    ROW("Reason",            NULL, TEXT, get_reason_long),
    ROW(NULL,                "reason_changed_at", TIME, get_reason_time, .of = "reason_s"),
    ROW(NULL,                "reason_set_by_user", TEXT, get_reason_user, .of = "reason_uid"),
    ROW("ResumeAfterTime",   "resume_after", TIME, show_get_unset, .pair_none = "None"),
    ROW("ReservationName",   "reservation", TEXT, get_resv, .of = "reservation"),
    ROW("SuspendTime",       "suspend_time", NUMBER_SET, get_infinite, .infinite = "INFINITE", .since = 45),
    ROW("AllocMem",          "alloc_memory", NUMBER, get_alloc_memory, .of = "alloc_mem_mb"),
    ROW("CPUAlloc",          "alloc_cpus", NUMBER, get_alloc_cpus, .of = "alloc_cpus"),
    ROW(NULL,                "alloc_idle_cpus", NUMBER, get_idle_cpus),
    ROW("AllocTRES",         "tres_used", TEXT, get_tres_used, .pair_none = ""),
    ROW(NULL,                "tres_weighted", FLOAT, show_get_unset, .until = 44),
    ROW("SlurmdStartTime",   "slurmd_start_time", TIME, get_start, .of = "start_s", .pair_none = "None"),
    ROW("Sockets",           "sockets", NUMBER, get_sockets, .of = "hw.sockets"),
    ROW("ThreadsPerCore",    "threads", NUMBER, get_threads, .of = "hw.threads"),
    ROW("TmpDisk",           "temporary_disk", NUMBER, get_tmp, .of = "hw.tmp_mb"),
    ROW("Weight",            "weight", NUMBER, get_weight, .of = "weight def.weight"),
    ROW(NULL,                "topology", TEXT, show_get_unset, .since = 43),
    ROW("CfgTRES",           "tres", TEXT, get_tres),
    ROW("Version",           "version", TEXT, get_version, .of = "version"),
    { 0 },
};

static const struct show_skip skips[] = {
    { "def hw", "their members have rows" },
    { "boot_id", "tells one boot of the node from another, for the controller" },
    { "jobs", "a count for `spur why` and the dashboard" },
    { "def.hw def.overrides", "the configured hardware; what is in force is shown" },
    { "def.devices def.spec_first", "how cores and devices are chosen; shown by their outcome" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_node = {
    "node", fields,
    "NodeName Arch CoresPerSocket .\n"
    "CPUAlloc CPUEfctv CPUTot CPULoad\n"
    "AvailableFeatures\n"
    "ActiveFeatures\n"
    "Gres\n"
    "+GresDrain\n"
    "+GresUsed\n"
    "NodeAddr NodeHostName ?Port ?Version\n"
    "?OS\n"
    "RealMemory AllocMem FreeMem Sockets Boards\n"
    "?CoreSpecCount ?CPUSpecList ?MemSpecLimit\n"
    "State ThreadsPerCore TmpDisk Weight Owner MCS_label\n"
    "?Partitions .\n"
    "BootTime SlurmdStartTime\n"
    "LastBusyTime ResumeAfterTime SuspendTime\n"
    "CfgTRES\n"
    "AllocTRES\n"
    "CurrentWatts AveWatts\n"
    "?ReservationName\n"
    "?Reason\n"
    "?Comment\n"
    "?Extra",
    skips,
};
