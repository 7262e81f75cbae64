/*
 * fields_job - the columns of squeue, one row of the table each.
 *
 * The order is Slurm's --helpFormat; a column that nobody asks for costs nothing.
 */
#include "cli/fields_job.h"
#include "core/req.h"

#include "base/str.h"
#include "cli/names.h"
#include "core/job.h"
#include "text/time.h"

#define ROW(p) ((const struct job_row *)(p))
#define JOB(p) (ROW(p)->job)
#define SPEC(p) (ROW(p)->job->spec)
#define PUT(name) static void name(struct buf *out, const struct field *f, const void *row)

/* ---- general: a member of the job or its spec ---- */

static void text_or(struct buf *out, const char *text, const char *none)
{
    buf_adds(out, str_empty(text) ? (none ? none : "(null)") : text);
}

PUT(put_job_text) { text_or(out, *(char *const *)((const char *)JOB(row) + f->at), f->none); }
PUT(put_spec_text) { text_or(out, *(char *const *)((const char *)SPEC(row) + f->at), f->none); }
PUT(put_word) { buf_adds(out, f->none); }
PUT(put_resv) { text_or(out, *SPEC(row)->reservation ? SPEC(row)->reservation : JOB(row)->resv_name, f->none); }

static void number(struct buf *out, uint32_t n, const char *none)
{
    if (!n && none)
        buf_adds(out, none);
    else
        buf_addf(out, "%u", n);
}

PUT(put_job_number) { number(out, *(const uint32_t *)((const char *)JOB(row) + f->at), f->none); }
PUT(put_spec_number) { number(out, *(const uint32_t *)((const char *)SPEC(row) + f->at), f->none); }
PUT(put_job_time) { job_put_stamp(out, *(const int64_t *)((const char *)JOB(row) + f->at), "N/A"); }
PUT(put_spec_time) { job_put_stamp(out, *(const int64_t *)((const char *)SPEC(row) + f->at), "N/A"); }
PUT(put_spec_flag) { buf_addc(out, *(const protobuf_c_boolean *)((const char *)SPEC(row) + f->at) ? '1' : '0'); }

/* ---- who and what ---- */

PUT(put_id) { job_put_id(out, ROW(row)); }
PUT(put_het_job) { JOB(row)->het_job ? buf_addf(out, "%u", JOB(row)->het_job) : buf_adds(out, f->none); }
PUT(put_het_offset) { JOB(row)->het_job ? buf_addf(out, "%u", JOB(row)->het_offset) : buf_adds(out, f->none); }
PUT(put_het_set) { JOB(row)->het_job ? job_put_het_set(out, JOB(row)) : buf_adds(out, f->none); }
PUT(put_tasks) { job_put_tasks(out, ROW(row)); }
PUT(put_array_job) { buf_addf(out, "%u", JOB(row)->array_job ? JOB(row)->array_job : JOB(row)->id); }
PUT(put_core_spec)
{
    uint32_t said = SPEC(row)->core_spec;
    if (!said)
        buf_adds(out, "N/A");
    else
        buf_addf(out, "%u%s", (said & ~REQ_SPEC_THREADS) - 1, said & REQ_SPEC_THREADS ? " Threads" : "");
}
PUT(put_features) { text_or(out, job_features(JOB(row)), NULL); }
PUT(put_prefer) { text_or(out, JOB(row)->preferred ? "" : SPEC(row)->prefer, NULL); }
PUT(put_licenses) { job_put_licenses(out, JOB(row)); }
PUT(put_partition) { text_or(out, ROW(row)->partition ? ROW(row)->partition : JOB(row)->partition, NULL); }
PUT(put_user) { buf_adds(out, *JOB(row)->user_name ? JOB(row)->user_name : names_user(JOB(row)->uid)); }
PUT(put_group) { buf_adds(out, names_group(JOB(row)->gid)); }
PUT(put_sluid) { job_put_sluid(out, JOB(row)); }
PUT(put_cluster) { text_or(out, ROW(row)->show->cluster, NULL); }
PUT(put_batch_flag) { buf_addc(out, SPEC(row)->kind == PB__JOB_KIND__KIND_BATCH ? '1' : '0'); }
PUT(put_command) { job_put_command(out, SPEC(row)); }
PUT(put_nice) { buf_addf(out, "%d", SPEC(row)->nice); }
PUT(put_requeue) { buf_addc(out, JOB(row)->requeue ? '1' : '0'); }

PUT(put_file)
{
    size_t start = out->len;
    job_put_file(out, ROW(row), (int)f->at, ROW(row)->show->expand);
    if (out->len == start)
        buf_adds(out, "(null)");
}

/* ---- state ---- */

PUT(put_state) { buf_adds(out, job_state_name(JOB(row)->state)); }
PUT(put_state_code) { buf_adds(out, job_state_code(JOB(row)->state)); }
PUT(put_reason) { job_put_reason(out, ROW(row), false); }
PUT(put_code) { job_put_code(out, *(const uint32_t *)((const char *)JOB(row) + f->at)); }

static bool tells_reason(uint32_t state)
{
    if (state & JOB_COMPLETING)
        return false;
    switch (state & JOB_STATE_BASE) {
    case JOB_PENDING: case JOB_TIMEOUT: case JOB_OUT_OF_MEMORY: case JOB_DEADLINE: case JOB_FAILED:
        return true;
    default:
        return false;
    }
}

PUT(put_reason_list)
{
    if (!tells_reason(JOB(row)->state)) {
        buf_adds(out, JOB(row)->nodes);
        return;
    }
    buf_addc(out, '(');
    job_put_reason(out, ROW(row), false);
    buf_addc(out, ')');
}

PUT(put_priority) { buf_addf(out, "%16.14f", (double)JOB(row)->priority / 4294967295.0); }

/* ---- time ---- */

static void add_elapsed(struct buf *out, int64_t seconds)
{
    char text[TIME_TEXT];
    buf_adds(out, time_elapsed(text, seconds));
}

static void add_limit(struct buf *out, uint32_t minutes)
{
    char text[TIME_TEXT];
    buf_adds(out, time_limit_short(text, minutes));
}

PUT(put_elapsed) { add_elapsed(out, job_elapsed_s(ROW(row))); }
PUT(put_limit) { add_limit(out, JOB(row)->time_limit_min); }
PUT(put_minutes) { add_elapsed(out, (int64_t)*(const uint32_t *)((const char *)SPEC(row) + f->at) * 60); }
PUT(put_start) { job_put_stamp(out, job_start_s(JOB(row)), "N/A"); }
PUT(put_last_look) { job_put_stamp(out, job_last_look_s(JOB(row)), "N/A"); }
PUT(put_eligible) { job_put_stamp(out, job_eligible_s(JOB(row)), "N/A"); }

PUT(put_accrue)
{
    const Pb__Job *j = JOB(row);
    job_put_stamp(out,
                  j->accrue_s                                                      ? MAX(j->accrue_s, 0)
                  : job_is_pending(j) && job_eligible_s(j) > ROW(row)->show->now_s ? 0
                                                                                   : job_eligible_s(j),
                  "N/A");
}

PUT(put_end)
{
    int64_t end = job_end_s(JOB(row));
    if (end == INT64_MAX)
        buf_adds(out, "NONE");
    else
        job_put_stamp(out, end, "N/A");
}

PUT(put_left)
{
    uint32_t limit = JOB(row)->time_limit_min;
    if (limit == INFINITE_MIN || !limit) {
        add_limit(out, INFINITE_MIN);
        return;
    }
    int64_t left = (int64_t)limit * 60 - job_elapsed_s(ROW(row));
    add_elapsed(out, MAX(left, 0));
}

PUT(put_pending_time)
{
    const Pb__Job *j = JOB(row);
    int64_t until = j->start_s && !job_is_pending(j) ? j->start_s : ROW(row)->show->now_s;
    buf_addf(out, "%lld", (long long)MAX(until - j->submit_s, 0));
}

/* ---- resources ---- */

static void or_none(struct buf *out, size_t start)
{
    if (out->len == start)
        buf_adds(out, "N/A");
}

PUT(put_nodes) { buf_addf(out, "%u", job_nodes(JOB(row))); }
PUT(put_min_cpus) { buf_addf(out, "%u", job_min_cpus(SPEC(row))); }
PUT(put_max_nodes) { buf_addf(out, "%u", job_max_nodes(SPEC(row))); }
PUT(put_exclusive) { buf_adds(out, job_exclusive(JOB(row))); }
PUT(put_shared) { buf_adds(out, job_shared(JOB(row))); }
PUT(put_cpus_per_task) { number(out, MAX(SPEC(row)->cpus_per_task, 1), NULL); }
PUT(put_tmp) { job_put_mb(out, SPEC(row)->tmp_mb); }

PUT(put_memory)
{
    const Pb__Job *j = JOB(row);
    job_put_mb(out, j->mem_per_node_mb ? j->mem_per_node_mb : j->mem_per_cpu_mb);
}

static void star(struct buf *out, uint32_t n)
{
    number(out, n, "*");
}

PUT(put_sct)
{
    star(out, SPEC(row)->sockets_per_node);
    buf_addc(out, ':');
    star(out, SPEC(row)->cores_per_socket);
    buf_addc(out, ':');
    star(out, SPEC(row)->threads_per_core);
}

PUT(put_tres) { text_or(out, *JOB(row)->tres_alloc ? JOB(row)->tres_alloc : JOB(row)->tres_req, "N/A"); }

PUT(put_tres_per_node)
{
    size_t start = out->len;
    job_put_tres_per_node(out, SPEC(row));
    or_none(out, start);
}

PUT(put_tres_per_task)
{
    size_t start = out->len;
    job_put_tres_per_task(out, SPEC(row));
    or_none(out, start);
}

PUT(put_gpus)
{
    size_t start = out->len;
    job_put_gpus(out, *(char *const *)((const char *)SPEC(row) + f->at));
    or_none(out, start);
}

PUT(put_cpus_per_tres)
{
    if (SPEC(row)->cpus_per_gpu)
        buf_addf(out, "gres/gpu:%u", SPEC(row)->cpus_per_gpu);
    else
        buf_adds(out, "N/A");
}

PUT(put_mem_per_tres)
{
    if (SPEC(row)->mem_per_gpu_mb)
        buf_addf(out, "gres/gpu:%llu", (unsigned long long)SPEC(row)->mem_per_gpu_mb);
    else
        buf_adds(out, "N/A");
}

/* "--switches=count[@time]" */
PUT(put_switches) { buf_addf(out, "%lu", strtoul(SPEC(row)->switches, NULL, 10)); }
PUT(put_switch_wait)
{
    const char *at = strchr(SPEC(row)->switches, '@');
    uint32_t seconds = 0;
    if (at && time_secs_parse(at + 1, &seconds, NULL))
        seconds = 0;
    add_elapsed(out, seconds);
}

#define IN_JOB(member) .at = offsetof(Pb__Job, member)
#define IN_SPEC(member) .at = offsetof(Pb__JobSpec, member)

/* clang-format off */
const struct field fields_job[] = {
    { "Account",          'a', "ACCOUNT",           put_spec_text,   IN_SPEC(account) },
    { "AccrueTime",        0,  "ACCRUE_TIME",       put_accrue },
    { "admin_comment",     0,  "ADMIN_COMMENT",     put_spec_text,   IN_SPEC(admin_comment) },
    { "AllocNodes",        0,  "ALLOC_NODES",       put_spec_text,   IN_SPEC(alloc_host) },
    { "AllocSID",          0,  "ALLOC_SID",         put_spec_number, IN_SPEC(alloc_sid) },
    { "ArrayJobId",       'F', "ARRAY_JOB_ID",      put_array_job },
    { "ArrayTaskId",      'K', "ARRAY_TASK_ID",     put_tasks },
    { "AssocId",           0,  "ASSOC_ID",          put_word,        .none = "0" },
    { "BatchFlag",         0,  "BATCH_FLAG",        put_batch_flag },
    { "BatchHost",        'B', "EXEC_HOST",         put_job_text,    IN_JOB(batch_host), "n/a" },
    { "BoardsPerNode",     0,  "BOARDS_PER_NODE",   put_word,        .none = "0" },
    { "BurstBuffer",       0,  "BURST_BUFFER",      put_spec_text,   IN_SPEC(burst_buffer) },
    { "BurstBufferState",  0,  "BURST_BUFFER_STATE", put_word,       .none = "(null)" },
    { "Cluster",           0,  "CLUSTER",           put_cluster },
    { "ClusterFeature",    0,  "CLUSTER_FEATURES",  put_word,        .none = "(null)" },
    { "Command",          'o', "COMMAND",           put_command },
    { "Comment",          'k', "COMMENT",           put_spec_text,   IN_SPEC(comment) },
    { "Container",         0,  "CONTAINER",         put_spec_text,   IN_SPEC(container) },
    { "ContainerId",       0,  "CONTAINERID",       put_spec_text,   IN_SPEC(container_id) },
    { "ContainerType",     0,  "CONTAINERTYPE",     put_word,        .none = "(null)" },
    { "Contiguous",       'O', "CONTIGUOUS",        put_spec_flag,   IN_SPEC(contiguous) },
    { "Cores",            'I', "CORES_PER_SOCKET",  put_spec_number, IN_SPEC(cores_per_socket), "*" },
    { "CoreSpec",         'X', "CORE_SPEC",         put_core_spec },
    { "CPUsPerTask",       0,  "CPUS_PER_TASK",     put_cpus_per_task },
    { "cpus-per-task",     0,  "CPUS_PER_TASK",     put_cpus_per_task },
    { "cpus-per-tres",     0,  "CPUS_PER_TRES",     put_cpus_per_tres },
    { "CronJob",           0,  "CRON_JOB",          put_word,        .none = "No" },
    { "Deadline",          0,  "DEADLINE",          put_spec_time,   IN_SPEC(deadline_s) },
    { "DelayBoot",         0,  "DELAY_BOOT",        put_minutes,     IN_SPEC(delay_boot_min) },
    { "Dependency",       'E', "DEPENDENCY",        put_job_text,    IN_JOB(depend_text) },
    { "DerivedEC",         0,  "DERIVED_EC",        put_code,        IN_JOB(derived_code) },
    { "EligibleTime",      0,  "ELIGIBLE_TIME",     put_eligible },
    { "EndTime",          'e', "END_TIME",          put_end },
    { "ExcNodes",         'x', "EXC_NODES",         put_spec_text,   IN_SPEC(exclude), "" },
    { "Exclusive",         0,  "EXCLUSIVE",         put_exclusive },
    { "exit_code",         0,  "EXIT_CODE",         put_code,        IN_JOB(exit_code) },
    { "Feature",          'f', "FEATURES",          put_features },
    { "GroupId",          'G', "GROUP",             put_job_number,  IN_JOB(gid) },
    { "GroupName",        'g', "GROUP",             put_group },
    { "HetJobId",          0,  "HET_JOB_ID",        put_het_job,        .none = "N/A" },
    { "HetJobIdSet",       0,  "HET_JOB_ID_SET",    put_het_set,        .none = "N/A" },
    { "HetJobOffset",      0,  "HET_JOB_OFFSET",    put_het_offset,        .none = "N/A" },
    { "JobArrayId",       'i', "JOBID",             put_id },
    { "JobId",            'A', "JOBID",             put_job_number,  IN_JOB(id) },
    { "LastSchedEval",     0,  "LAST_SCHED_EVAL",   put_last_look },
    { "Licenses",         'W', "LICENSES",          put_spec_text,   IN_SPEC(licenses) },
    { "LicensesAlloc",     0,  "LICENSES_ALLOC",    put_licenses },
    { "MaxCPUs",           0,  "MAX_CPUS",          put_job_number,  IN_JOB(num_cpus) },
    { "MaxNodes",          0,  "MAX_NODES",         put_max_nodes },
    { "mem-per-tres",      0,  "MEM_PER_TRES",      put_mem_per_tres },
    { "MCSLabel",          0,  "MCSLABEL",          put_spec_text,   IN_SPEC(mcs_label) },
    { "MinCPUs",          'c', "MIN_CPUS",          put_min_cpus },
    { "MinMemory",        'm', "MIN_MEMORY",        put_memory },
    { "MinTime",           0,  "TIME_MIN",          put_minutes,     IN_SPEC(time_min_min) },
    { "MinTmpDisk",       'd', "MIN_TMP_DISK",      put_tmp },
    { "Name",             'j', "NAME",              put_spec_text,   IN_SPEC(name), .none = "" },
    { "Network",           0,  "NETWORK",           put_spec_text,   IN_SPEC(network) },
    { "Nice",             'y', "NICE",              put_nice },
    { "NodeList",         'N', "NODELIST",          put_job_text,    IN_JOB(nodes), "" },
    { "NTPerCore",         0,  "NTASKS_PER_CORE",   put_spec_number, IN_SPEC(ntasks_per_core), "N/A" },
    { "NTPerNode",         0,  "NTASKS_PER_NODE",   put_spec_number, IN_SPEC(ntasks_per_node) },
    { "NTPerSocket",       0,  "NTASKS_PER_SOCKET", put_spec_number, IN_SPEC(ntasks_per_socket), "N/A" },
    { "NTPerBoard",        0,  "NTASKS_PER_BOARD",  put_spec_number, IN_SPEC(ntasks_per_board) },
    { "NumCPUs",          'C', "CPUS",              put_job_number,  IN_JOB(num_cpus) },
    { "NumNodes",         'D', "NODES",             put_nodes },
    { "NumTasks",          0,  "TASKS",             put_job_number,  IN_JOB(num_tasks) },
    { "Origin",            0,  "ORIGIN",            put_word,        .none = "NA" },
    { "OriginRaw",         0,  "ORIGIN_RAW",        put_word,        .none = "NA" },
    { "OverSubscribe",    'h', "OVER_SUBSCRIBE",    put_shared },
    { "Partition",        'P', "PARTITION",         put_partition },
    { "PendingTime",       0,  "PENDING_TIME",      put_pending_time },
    { "PreemptTime",       0,  "PREEMPT_TIME",      put_job_time,    IN_JOB(preempt_s) },
    { "Prefer",            0,  "PREFER",            put_prefer },
    { "Priority",         'p', "PRIORITY",          put_priority },
    { "PriorityLong",     'Q', "PRIORITY",          put_job_number,  IN_JOB(priority) },
    { "Profile",           0,  "PROFILE",           put_spec_text,   IN_SPEC(profile), "NotSet" },
    { "QOS",              'q', "QOS",               put_spec_text,   IN_SPEC(qos) },
    { "Reason",           'r', "REASON",            put_reason },
    { "ReasonList",       'R', "NODELIST(REASON)",  put_reason_list },
    { "Reboot",            0,  "REBOOT",            put_spec_flag,   IN_SPEC(reboot) },
    { "ReqNodes",         'n', "REQ_NODES",         put_spec_text,   IN_SPEC(nodelist), "" },
    { "ReqSwitch",         0,  "REQ_SWITCH",        put_switches },
    { "Requeue",           0,  "REQUEUE",           put_requeue },
    { "Reservation",      'v', "RESERVATION",       put_resv,        .none = "(null)" },
    { "ResizeTime",        0,  "RESIZE_TIME",       put_word,        .none = "N/A" },
    { "RestartCnt",        0,  "RESTART_COUNT",     put_job_number,  IN_JOB(restarts) },
    { "SchedNodes",       'Y', "SCHEDNODES",        put_job_text,    IN_JOB(planned_nodes) },
    { "SCT",              'z', "S:C:T",             put_sct },
    { "SegmentSize",       0,  "SEGMENT_SIZE",      put_spec_number, IN_SPEC(segment), "N/A" },
    { "SiblingsActive",    0,  "ACTIVE_SIBLINGS",   put_word,        .none = "NA" },
    { "SiblingsActiveRaw", 0,  "ACTIVE_SIBLINGS_RAW", put_word,      .none = "NA" },
    { "SiblingsViable",    0,  "VIABLE_SIBLINGS",   put_word,        .none = "NA" },
    { "SiblingsViableRaw", 0,  "VIALBLE_SIBLINGS_RAW", put_word,     .none = "NA" },
    { "SLUID",            's', "SLUID",             put_sluid },
    { "Sockets",          'H', "SOCKETS_PER_NODE",  put_spec_number, IN_SPEC(sockets_per_node), "*" },
    { "SPerBoard",         0,  "SOCKETS_PER_BOARD", put_word,        .none = "0" },
    { "StartTime",        'S', "START_TIME",        put_start },
    { "State",            'T', "STATE",             put_state },
    { "StateCompact",     't', "ST",                put_state_code },
    { "StdErr",            0,  "STDERR",            put_file,        .at = 2 },
    { "StdIn",             0,  "STDIN",             put_file,        .at = 0 },
    { "StdOut",            0,  "STDOUT",            put_file,        .at = 1 },
    { "SubmitTime",       'V', "SUBMIT_TIME",       put_job_time,    IN_JOB(submit_s) },
    { "system_comment",    0,  "SYSTEM_COMMENT",    put_spec_text,   IN_SPEC(system_comment) },
    { "Threads",          'J', "THREADS_PER_CORE",  put_spec_number, IN_SPEC(threads_per_core), "*" },
    { "TimeLeft",         'L', "TIME_LEFT",         put_left },
    { "TimeLimit",        'l', "TIME_LIMIT",        put_limit },
    { "TimeUsed",         'M', "TIME",              put_elapsed },
    { "tres-alloc",        0,  "TRES_ALLOC",        put_tres },
    { "tres-bind",         0,  "TRES_BIND",         put_spec_text,   IN_SPEC(tres_bind), "N/A" },
    { "tres-freq",         0,  "TRES_FREQ",         put_word,        .none = "N/A" },
    { "tres-per-job",      0,  "TRES_PER_JOB",      put_gpus,        IN_SPEC(gpus) },
    { "tres-per-socket",   0,  "TRES_PER_SOCKET",   put_gpus,        IN_SPEC(gpus_per_socket) },
    { "tres-per-task",     0,  "TRES_PER_TASK",     put_tres_per_task },
    { "UserId",           'U', "UID",               put_job_number,  IN_JOB(uid) },
    { "UserName",         'u', "USER",              put_user },
    { "Wait4Switch",       0,  "WAIT4SWITCH",       put_switch_wait },
    { "WCKey",            'w', "WCKEY",             put_spec_text,   IN_SPEC(wckey) },
    { "WorkDir",          'Z', "WORK_DIR",          put_spec_text,   IN_SPEC(workdir) },
    { "tres-per-node",    'b', "TRES_PER_NODE",     put_tres_per_node, .alias = true },
    { "Gres",              0,  "TRES_PER_NODE",     put_tres_per_node, .alias = true },
    { "Tres",              0,  "TRES_ALLOC",        put_tres,        .alias = true },
    { "Shared",            0,  "OVER_SUBSCRIBE",    put_shared,      .alias = true },
    { "PackJobId",         0,  "HET_JOB_ID",        put_het_job,        .none = "N/A", .alias = true },
    { "PackJobIdSet",      0,  "HET_JOB_ID_SET",    put_het_set,        .none = "N/A", .alias = true },
    { "PackJobOffset",     0,  "HET_JOB_OFFSET",    put_het_offset,        .none = "N/A", .alias = true },
    { 0 },
};
/* clang-format on */
