/*
 * sacct - the columns of sacct; see sacct.h.
 *
 * The order is that of --helpformat.
 */
#include "show/sacct.h"

#include <sys/wait.h>

#include "base/str.h"
#include "core/job.h"
#include "core/step.h"
#include "show/job_priv.h"
#include "show/sacct_priv.h"
#include "show/step.h"
#include "text/size.h"
#include "text/time.h"

#undef GET
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)
#define MEMBER(type, of) (*(const type *)((const char *)(of) + f->at))
/* A getter of the table of jobs, for the job's own line alone. */
#define OF_JOB(name, get) GET(name) { if (!STEP(row)) get(v, f, row); }

/* ---- identity ---- */

GET(get_id)
{
    job_put_id(show_make(v), JOB_ROW(row));
    if (STEP(row)) {
        buf_addc(v->scratch, '.');
        step_put_number(v->scratch, STEP(row)->id);
    }
}

GET(get_raw_id)
{
    buf_addf(show_make(v), "%u", JOB(row)->id);
    if (STEP(row)) {
        buf_addc(v->scratch, '.');
        step_put_number(v->scratch, STEP(row)->id);
    }
}

GET(get_name)
{
    const Pb__StepSpec *s = STEP(row) ? STEP(row)->spec : NULL;
    if (!STEP(row))
        show_set_text(v, SPEC(row)->name);
    else if (s && *s->name)
        show_set_text(v, s->name);
    else if (sacct_is_script(STEP(row)))
        step_put_number(show_make(v), STEP(row)->id);
    else
        show_set_text(v, s && s->n_argv ? s->argv[0] : "");
}

/* Unique over all rows, as the SLUID is. */
GET(get_index) { show_set_number(v, (int64_t)(((uint64_t)JOB(row)->submit_s << 32) | JOB(row)->id)); }
GET(get_gid) { if (!STEP(row)) show_set_number(v, JOB(row)->gid); }
GET(get_uid) { if (!STEP(row)) show_set_number(v, JOB(row)->uid); }
OF_JOB(get_group, job_get_group)
OF_JOB(get_user, job_get_user)
OF_JOB(get_job_text, job_get_job_text)
OF_JOB(get_spec_text, job_get_spec_text)
OF_JOB(get_spec_count, job_get_spec_count)

/* ---- accounts ---- */

GET(get_assoc)
{
    const struct sacct_env *env = SACCT(row)->env;
    show_set_number(v, env->assoc_id ? env->assoc_id(JOB(row)) : 0);
}

GET(get_qos_id)
{
    const struct sacct_env *env = SACCT(row)->env;
    if (!STEP(row))
        show_set_number(v, env->qos_id ? env->qos_id(SPEC(row)->qos) : 0);
}

GET(get_zero) { if (!STEP(row)) show_set_number(v, 0); }
GET(get_step_zero) { if (STEP(row)) show_set_number(v, 0); }
GET(get_energy) { if (STEP(row) || !sacct_started(JOB(row))) show_set_number(v, 0); } /* as Slurm without a sensor */

/* ---- state ---- */

GET(get_state)
{
    const char *state = sacct_state(SACCT(row));
    const Pb__Job *j = JOB(row);
    buf_adds(show_make(v), state);
    bool cancelled = str_eq(state, "CANCELLED");
    if (cancelled && !STEP(row) && j->has_cancel_uid)
        buf_addf(v->scratch, " by %u", j->cancel_uid);
    else if (cancelled && STEP(row) && STEP(row)->has_cancel_uid)
        buf_addf(v->scratch, " by %u", STEP(row)->cancel_uid);
}

GET(get_exit) { show_set_number(v, STEP(row) ? STEP(row)->exit_code : sacct_exit_code(JOB(row))); }
GET(get_derived) { if (!STEP(row)) show_set_number(v, JOB(row)->derived_code); }
GET(get_resv_id) { if (!STEP(row)) show_set_count(v, JOB(row)->resv); }
GET(get_restarts) { if (!STEP(row)) show_set_number(v, JOB(row)->restarts); }
GET(get_priority) { if (!STEP(row)) show_set_number(v, JOB(row)->priority); }
GET(get_reason) { show_set_text(v, STEP(row) ? "" : "None"); } /* Slurm's is about the past, which is not recorded */
GET(get_failed_node) { show_set_text(v, STEP(row) ? "" : sacct_failed_node(JOB(row))); }
GET(get_exclusive) { show_set_text(v, STEP(row) ? "" : job_exclusive(JOB(row))); }
GET(get_shared) { show_set_text(v, STEP(row) ? "" : job_shared(JOB(row))); }

GET(get_flags)
{
    if (!STEP(row))
        show_set_text(v, sacct_started(JOB(row)) ? "SchedMain,StartReceived" : "StartReceived");
}

/* ---- times ---- */

/* A job that ended without having started has none. */
GET(get_start)
{
    int64_t at = sacct_start_s(SACCT(row));
    if (at)
        show_set_number(v, at);
    else if (!STEP(row) && sacct_ended(JOB(row)))
        show_set_infinite(v);
}

GET(get_end) { show_set_count(v, sacct_end_s(SACCT(row))); }
GET(get_submit) { show_set_count(v, STEP(row) ? STEP(row)->start_s : JOB(row)->submit_s); }
GET(get_eligible) { show_set_count(v, STEP(row) ? STEP(row)->start_s : sacct_eligible_s(JOB(row))); }
GET(get_elapsed) { show_set_number(v, sacct_elapsed_s(SACCT(row))); }
GET(get_suspended) { show_set_number(v, JOB(row)->suspended_total_s); }
GET(get_cpu_time) { show_set_number(v, sacct_elapsed_s(SACCT(row)) * (int64_t)sacct_cpus(SACCT(row))); }
GET(get_planned) { if (!STEP(row)) show_set_number(v, sacct_planned_s(SACCT(row))); }

GET(get_planned_cpu)
{
    if (!STEP(row))
        show_set_number(v, sacct_planned_s(SACCT(row)) * (int64_t)sacct_req_cpus(SACCT(row)));
}

/* Of a step: one that was asked for. */
static uint32_t limit_of(const void *row)
{
    const Pb__Step *s = STEP(row);
    return !s ? JOB(row)->time_limit_min : s->spec ? s->spec->time_limit_min : 0;
}

GET(get_limit)
{
    uint32_t limit = limit_of(row);
    if (limit == TIME_INFINITE)
        show_set_infinite(v);
    else
        show_set_count(v, limit);
    if (STEP(row) && v->state == SHOW_INFINITE)
        v->state = SHOW_UNSET;
}

/* ---- CPU time used: `at` 1 in the kernel, 2 outside, 3 both ---- */

/* "00:00:00", "00:01.250", "01:02:03", "1-02:03:04" */
static void put_cpu_us(struct buf *out, uint64_t us)
{
    char text[TIME_TEXT];
    uint64_t seconds = us / 1000000, part = us % 1000000;
    if (!part || seconds >= 3600)
        buf_adds(out, time_secs_text(text, seconds));
    else
        buf_addf(out, "%02u:%02u.%03u", (unsigned)(seconds / 60), (unsigned)(seconds % 60), (unsigned)(part / 1000));
}

GET(get_cpu_used)
{
    const struct sacct_row *r = SACCT(row);
    put_cpu_us(show_make(v), (f->at & 1 ? r->sys_us : 0) + (f->at & 2 ? r->user_us : 0));
}

/* ---- resources ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tres *)a)->name, ((const struct tres *)b)->name);
}

static void put_memory(struct buf *out, const struct sacct_row *r, uint64_t mb)
{
    char text[SIZE_TEXT];
    if (r->env->unit)
        buf_adds(out, size_in_unit(text, mb * 1024 * 1024, r->env->unit));
    else if (r->env->exact)
        buf_addf(out, mb ? "%lluM" : "0", (unsigned long long)mb);
    else
        buf_adds(out, size_mb_text(text, mb));
}

/* sacct sorts by name. */
static void put_tres(struct buf *out, const struct sacct_row *r, struct tres_list *t)
{
    const char *sep = "";
    if (t->n)
        qsort(t->at, t->n, sizeof(*t->at), by_name);
    for (size_t i = 0; i < t->n; i++) {
        if (!t->at[i].count)
            continue;
        buf_addf(out, "%s%s=", sep, t->at[i].name);
        sep = ",";
        if (str_eq(t->at[i].name, "mem"))
            put_memory(out, r, t->at[i].count);
        else
            buf_addf(out, "%llu", (unsigned long long)t->at[i].count);
    }
}

GET(get_alloc_tres)
{
    auto_tres struct tres_list t = TRES_INIT;
    sacct_tres(SACCT(row), &t);
    put_tres(show_make(v), SACCT(row), &t);
}

GET(get_req_tres)
{
    auto_tres struct tres_list t = TRES_INIT;
    if (STEP(row))
        return;
    sacct_tres_req(SACCT(row), &t);
    put_tres(show_make(v), SACCT(row), &t);
}

GET(get_req_mem)
{
    auto_tres struct tres_list t = TRES_INIT;
    if (STEP(row))
        return;
    sacct_tres_req(SACCT(row), &t);
    put_memory(show_make(v), SACCT(row), tres_get(&t, "mem", 0));
}

GET(get_cpus) { show_set_number(v, (int64_t)sacct_cpus(SACCT(row))); }
GET(get_req_cpus) { show_set_number(v, (int64_t)sacct_req_cpus(SACCT(row))); }
GET(get_alloc_nodes) { show_set_number(v, (int64_t)sacct_nodes(SACCT(row))); }

/* Those that a waiting job asks for. */
GET(get_nodes)
{
    uint64_t n = sacct_nodes(SACCT(row));
    show_set_number(v, n || STEP(row) ? (int64_t)n : JOB(row)->num_nodes);
}

GET(get_req_nodes)
{
    auto_tres struct tres_list t = TRES_INIT;
    if (STEP(row)) {
        get_nodes(v, f, row);
        return;
    }
    sacct_tres_req(SACCT(row), &t);
    show_set_number(v, (int64_t)tres_get(&t, "node", 1));
}

GET(get_node_list)
{
    const char *nodes = STEP(row) ? STEP(row)->nodes : JOB(row)->nodes;
    show_set_text(v, *nodes ? nodes : "None assigned");
}

GET(get_tasks) { if (STEP(row)) show_set_number(v, step_shown_tasks(STEP(row))); }
GET(get_layout) { show_set_text(v, STEP(row) ? sacct_layout(STEP(row)) : ""); }

GET(get_submit_line)
{
    show_set_text(v, !STEP(row) ? SPEC(row)->submit_line : STEP(row)->spec ? STEP(row)->spec->submit_line : "");
}

GET(get_file)
{
    const struct sacct_row *r = SACCT(row);
    if (!r->step && SPEC(row)->kind == PB__JOB_KIND__KIND_BATCH)
        job_put_file(show_make(v), &r->job, (int)f->at, r->env->show.expand);
}

/* --cpu-freq is refused. */
GET(get_freq) { show_set_text(v, STEP(row) && sacct_is_script(STEP(row)) ? "0" : "Unknown"); }

/* ---- usage: of steps that have reported some ---- */

GET(get_cpu_amount)
{
    const struct step_usage_row *u = &SACCT(row)->usage;
    if (STEP(row) && u->usage)
        show_set_number(v, step_usage_amount(u, USAGE_METRIC(f), USAGE_PART(f)));
}

GET(get_bytes)
{
    const struct sacct_row *r = SACCT(row);
    char text[SIZE_TEXT];
    if (!r->step || !r->usage.usage)
        return;
    uint64_t n = (uint64_t)step_usage_amount(&r->usage, USAGE_METRIC(f), USAGE_PART(f));
    if (r->env->unit)
        buf_adds(show_make(v), size_in_unit(text, n, r->env->unit));
    else if (r->env->exact)
        buf_addf(show_make(v), "%llu", (unsigned long long)n);
    else
        buf_adds(show_make(v), size_count_text(text, n));
}

GET(get_disk) /* always in megabytes */
{
    const struct sacct_row *r = SACCT(row);
    if (r->step && r->usage.usage)
        buf_addf(show_make(v), "%.2fM",
                 (double)step_usage_amount(&r->usage, USAGE_METRIC(f), USAGE_PART(f)) / (1024 * 1024));
}

GET(get_usage_node)
{
    const struct sacct_row *r = SACCT(row);
    if (r->step && r->usage.usage)
        show_set_text(v, step_usage_node(&r->usage, USAGE_METRIC(f), USAGE_PART(f)));
}

GET(get_usage_task)
{
    const struct sacct_row *r = SACCT(row);
    if (r->step && r->usage.usage)
        show_set_number(v, (int64_t)step_usage_part(&r->usage, USAGE_METRIC(f), USAGE_PART(f)));
}

/* USAGE_METRIC(f): 0 what came in, 1 what went out. */
GET(get_usage)
{
    const struct sacct_row *r = SACCT(row);
    enum step_part p = USAGE_PART(f);
    if (r->step && r->usage.usage)
        step_usage_put_tres(show_make(v), &r->usage, USAGE_METRIC(f), p);
    else if (r->step && r->step->end_s && (p == PART_AVE || p == PART_TOTAL))
        show_set_text(v, "energy=0");
}

/* clang-format off */
#define FIELD(name, width_, type, get, ...) { name, 0, NULL, NULL, NULL, type, get, .width = width_, ##__VA_ARGS__ }
#define SPEC_TEXT(name, width, member) \
    FIELD(name, width, SHOW_TEXT, get_spec_text, .at = offsetof(Pb__JobSpec, member))
#define METRIC(metric, part) USAGE_OF(METRIC_##metric, PART_##part)
#define TIME_NONE .none = "Unknown", .infinite = "None"
static const struct show_field sacct_fields[] = {
    FIELD("Account",             10, SHOW_TEXT,      job_get_spec_text, .at = offsetof(Pb__JobSpec, account)),
    SPEC_TEXT("AdminComment",    15, admin_comment),
    FIELD("AllocCPUS",           10, SHOW_NUMBER,    get_cpus),
    FIELD("AllocNodes",          10, SHOW_NUMBER,    get_alloc_nodes),
    FIELD("AllocTRES",           10, SHOW_TEXT,      get_alloc_tres),
    FIELD("AssocID",              7, SHOW_NUMBER,    get_assoc),
    FIELD("AveCPU",              10, SHOW_SECONDS,   get_cpu_amount, METRIC(CPU, AVE)),
    FIELD("AveCPUFreq",          10, SHOW_NUMBER,    get_step_zero),
    FIELD("AveDiskRead",         14, SHOW_TEXT,      get_disk, METRIC(READ, AVE)),
    FIELD("AveDiskWrite",        14, SHOW_TEXT,      get_disk, METRIC(WRITE, AVE)),
    FIELD("AvePages",            10, SHOW_NUMBER,    get_cpu_amount, METRIC(PAGES, AVE)),
    FIELD("AveRSS",              10, SHOW_TEXT,      get_bytes, METRIC(RSS, AVE)),
    FIELD("AveVMSize",           10, SHOW_TEXT,      get_bytes, METRIC(VM, AVE)),
    FIELD("BlockID",             16, SHOW_TEXT,      show_get_unset),
    FIELD("Cluster",             10, SHOW_TEXT,      job_get_cluster),
    SPEC_TEXT("Comment",         14, comment),
    SPEC_TEXT("Constraints",     19, constraint),
    FIELD("ConsumedEnergy",      14, SHOW_NUMBER,    get_energy),
    FIELD("ConsumedEnergyRaw",   17, SHOW_NUMBER,    get_energy),
    SPEC_TEXT("Container",       19, container),
    FIELD("CPUTime",             10, SHOW_SECONDS,   get_cpu_time),
    FIELD("CPUTimeRAW",          10, SHOW_NUMBER,    get_cpu_time),
    FIELD("DBIndex",            -21, SHOW_NUMBER,    get_index),
    FIELD("DerivedExitCode",     15, SHOW_EXIT_CODE, get_derived),
    FIELD("Elapsed",             10, SHOW_SECONDS,   get_elapsed),
    FIELD("ElapsedRaw",          10, SHOW_NUMBER,    get_elapsed),
    FIELD("Eligible",            19, SHOW_TIME,      get_eligible, TIME_NONE),
    FIELD("End",                 19, SHOW_TIME,      get_end, TIME_NONE),
    FIELD("Exclusive",           14, SHOW_TEXT,      get_exclusive),
    FIELD("ExitCode",             8, SHOW_EXIT_CODE, get_exit),
    SPEC_TEXT("Extra",           14, extra),
    FIELD("FailedNode",           8, SHOW_TEXT,      get_failed_node),
    FIELD("Flags",               19, SHOW_TEXT,      get_flags),
    FIELD("GID",                  6, SHOW_NUMBER,    get_gid),
    FIELD("Group",                9, SHOW_TEXT,      get_group),
    FIELD("JobID",              -12, SHOW_TEXT,      get_id),
    FIELD("JobIDRaw",           -12, SHOW_TEXT,      get_raw_id),
    FIELD("JobName",             10, SHOW_TEXT,      get_name),
    FIELD("Layout",               9, SHOW_TEXT,      get_layout),
    SPEC_TEXT("Licenses",        10, licenses),
    FIELD("MaxDiskRead",         12, SHOW_TEXT,      get_disk, METRIC(READ, MAXIMUM)),
    FIELD("MaxDiskReadNode",     15, SHOW_TEXT,      get_usage_node, METRIC(READ, MAX_NODE)),
    FIELD("MaxDiskReadTask",     15, SHOW_NUMBER,    get_usage_task, METRIC(READ, MAX_TASK)),
    FIELD("MaxDiskWrite",        12, SHOW_TEXT,      get_disk, METRIC(WRITE, MAXIMUM)),
    FIELD("MaxDiskWriteNode",    16, SHOW_TEXT,      get_usage_node, METRIC(WRITE, MAX_NODE)),
    FIELD("MaxDiskWriteTask",    16, SHOW_NUMBER,    get_usage_task, METRIC(WRITE, MAX_TASK)),
    FIELD("MaxPages",             8, SHOW_NUMBER,    get_cpu_amount, METRIC(PAGES, MAXIMUM)),
    FIELD("MaxPagesNode",        12, SHOW_TEXT,      get_usage_node, METRIC(PAGES, MAX_NODE)),
    FIELD("MaxPagesTask",        14, SHOW_NUMBER,    get_usage_task, METRIC(PAGES, MAX_TASK)),
    FIELD("MaxRSS",              10, SHOW_TEXT,      get_bytes, METRIC(RSS, MAXIMUM)),
    FIELD("MaxRSSNode",          10, SHOW_TEXT,      get_usage_node, METRIC(RSS, MAX_NODE)),
    FIELD("MaxRSSTask",          10, SHOW_NUMBER,    get_usage_task, METRIC(RSS, MAX_TASK)),
    FIELD("MaxVMSize",           10, SHOW_TEXT,      get_bytes, METRIC(VM, MAXIMUM)),
    FIELD("MaxVMSizeNode",       14, SHOW_TEXT,      get_usage_node, METRIC(VM, MAX_NODE)),
    FIELD("MaxVMSizeTask",       14, SHOW_NUMBER,    get_usage_task, METRIC(VM, MAX_TASK)),
    SPEC_TEXT("McsLabel",        12, mcs_label),
    FIELD("MinCPU",              10, SHOW_SECONDS,   get_cpu_amount, METRIC(CPU, MINIMUM)),
    FIELD("MinCPUNode",          10, SHOW_TEXT,      get_usage_node, METRIC(CPU, MIN_NODE)),
    FIELD("MinCPUTask",          10, SHOW_NUMBER,    get_usage_task, METRIC(CPU, MIN_TASK)),
    FIELD("NCPUS",               10, SHOW_NUMBER,    get_cpus),
    FIELD("NNodes",               8, SHOW_NUMBER,    get_nodes),
    FIELD("NodeList",            15, SHOW_TEXT,      get_node_list),
    FIELD("NTasks",               8, SHOW_NUMBER,    get_tasks),
    FIELD("OriginalSLUID",       14, SHOW_TEXT,      job_get_sluid),
    FIELD("OverSubscribe",       14, SHOW_TEXT,      get_shared),
    FIELD("Partition",           10, SHOW_TEXT,      get_job_text, .at = offsetof(Pb__Job, partition)),
    FIELD("Planned",             10, SHOW_SECONDS,   get_planned),
    FIELD("PlannedCPU",          10, SHOW_SECONDS,   get_planned_cpu),
    FIELD("PlannedCPURAW",       13, SHOW_NUMBER,    get_planned_cpu),
    FIELD("Priority",            10, SHOW_NUMBER,    get_priority),
    SPEC_TEXT("QOS",             10, qos),
    FIELD("QOSRAW",               6, SHOW_NUMBER,    get_qos_id),
    SPEC_TEXT("QOSREQ",          10, qos),
    FIELD("Reason",              22, SHOW_TEXT,      get_reason),
    FIELD("ReqCPUFreq",          10, SHOW_TEXT,      get_freq),
    FIELD("ReqCPUFreqGov",       13, SHOW_TEXT,      get_freq),
    FIELD("ReqCPUFreqMax",       13, SHOW_TEXT,      get_freq),
    FIELD("ReqCPUFreqMin",       13, SHOW_TEXT,      get_freq),
    FIELD("ReqCPUS",              8, SHOW_NUMBER,    get_req_cpus),
    FIELD("ReqMem",              10, SHOW_TEXT,      get_req_mem),
    FIELD("ReqNodes",             8, SHOW_NUMBER,    get_req_nodes),
    FIELD("ReqTRES",             10, SHOW_TEXT,      get_req_tres),
    FIELD("Reservation",         20, SHOW_TEXT,      get_job_text, .at = offsetof(Pb__Job, resv_name)),
    FIELD("ReservationId",        8, SHOW_NUMBER,    get_resv_id),
    SPEC_TEXT("ReqReservation",  20, reservation),
    FIELD("Restarts",             8, SHOW_NUMBER,    get_restarts),
    FIELD("SegmentSize",         11, SHOW_NUMBER,    get_spec_count, .at = offsetof(Pb__JobSpec, segment)),
    FIELD("SLUID",               14, SHOW_TEXT,      job_get_sluid),
    FIELD("Start",               19, SHOW_TIME,      get_start, TIME_NONE),
    FIELD("State",               10, SHOW_TEXT,      get_state),
    FIELD("StdErr",              20, SHOW_TEXT,      get_file, .at = 2),
    FIELD("StdIn",               20, SHOW_TEXT,      get_file, .at = 0),
    FIELD("StdOut",              20, SHOW_TEXT,      get_file, .at = 1),
    FIELD("Submit",              19, SHOW_TIME,      get_submit, TIME_NONE),
    FIELD("SubmitLine",          20, SHOW_TEXT,      get_submit_line),
    FIELD("Suspended",           10, SHOW_SECONDS,   get_suspended),
    SPEC_TEXT("SystemComment",   15, system_comment),
    FIELD("SystemCPU",           10, SHOW_TEXT,      get_cpu_used, .at = 1),
    FIELD("Timelimit",           10, SHOW_MINUTES,   get_limit),
    FIELD("TimelimitRaw",        10, SHOW_NUMBER,    get_limit),
    FIELD("TotalCPU",            10, SHOW_TEXT,      get_cpu_used, .at = 3),
    FIELD("TRESUsageInAve",      14, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_AVE)),
    FIELD("TRESUsageInMax",      14, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MAXIMUM)),
    FIELD("TRESUsageInMaxNode",  18, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MAX_NODE)),
    FIELD("TRESUsageInMaxTask",  18, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MAX_TASK)),
    FIELD("TRESUsageInMin",      14, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MINIMUM)),
    FIELD("TRESUsageInMinNode",  18, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MIN_NODE)),
    FIELD("TRESUsageInMinTask",  18, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_MIN_TASK)),
    FIELD("TRESUsageInTot",      14, SHOW_TEXT,      get_usage, USAGE_OF(0, PART_TOTAL)),
    FIELD("TRESUsageOutAve",     15, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_AVE)),
    FIELD("TRESUsageOutMax",     15, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MAXIMUM)),
    FIELD("TRESUsageOutMaxNode", 19, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MAX_NODE)),
    FIELD("TRESUsageOutMaxTask", 19, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MAX_TASK)),
    FIELD("TRESUsageOutMin",     15, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MINIMUM)),
    FIELD("TRESUsageOutMinNode", 19, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MIN_NODE)),
    FIELD("TRESUsageOutMinTask", 19, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_MIN_TASK)),
    FIELD("TRESUsageOutTot",     15, SHOW_TEXT,      get_usage, USAGE_OF(1, PART_TOTAL)),
    FIELD("UID",                  6, SHOW_NUMBER,    get_uid),
    FIELD("User",                 9, SHOW_TEXT,      get_user),
    FIELD("UserCPU",             10, SHOW_TEXT,      get_cpu_used, .at = 2),
    SPEC_TEXT("WCKey",           10, wckey),
    FIELD("WCKeyID",             10, SHOW_NUMBER,    get_zero),
    SPEC_TEXT("WorkDir",         20, workdir),
    { 0 },
};
/* clang-format on */

const struct show_table show_sacct = { "accounting", sacct_fields, "", NULL };
