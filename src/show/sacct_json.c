/* sacct_json - sacct --json and --yaml: a job with its steps; see sacct.h. */
#include "base/str.h"
#include "core/job.h"
#include "show/job_priv.h"
#include "show/sacct.h"
#include "show/sacct_priv.h"
#include "show/step.h"
#include "text/hostlist.h"
#include "text/time.h"

#undef GET
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)
#define ROW(json_, type_, get_, ...) { .json = json_, .type = SHOW_##type_, .get = get_, ##__VA_ARGS__ }

/* ---- TRES: of a job or step, or of its usage ---- */

struct tres_row {
    char type[20], name[36];
    const char *node;
    int64_t count, task;
    uint32_t id;
};
_Static_assert(sizeof(struct tres_row) <= SHOW_ROOM, "a row fits");

#define TRES(row) ((const struct tres_row *)(row))
GET(tres_type) { show_set_text(v, TRES(row)->type); }
GET(tres_name) { show_set_text(v, TRES(row)->name); }
GET(tres_id) { show_set_number(v, TRES(row)->id); }
GET(tres_count) { show_set_number(v, TRES(row)->count); }
GET(tres_node) { show_set_text(v, TRES(row)->node); }
GET(tres_task) { show_set_number(v, TRES(row)->task); }

static const struct show_field tres_fields[] = {
    ROW("type", TEXT, tres_type), ROW("name", TEXT, tres_name),
    ROW("id", NUMBER, tres_id),   ROW("count", NUMBER, tres_count), { 0 },
};
static const struct show_table show_tres = { "tres", tres_fields, "", NULL };
static const struct show_field extreme_fields[] = {
    ROW("type", TEXT, tres_type),   ROW("name", TEXT, tres_name),   ROW("id", NUMBER, tres_id),
    ROW("count", NUMBER, tres_count), ROW("task", NUMBER, tres_task), ROW("node", TEXT, tres_node), { 0 },
};
static const struct show_table show_extreme = { "tres", extreme_fields, "", NULL };

/* The numbers that slurmdbd gives: fixed ones, then from 1001 on as they come. */
static uint32_t tres_number(const char *name, size_t at)
{
    static const char *const fixed[] = { "cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages" };
    for (uint32_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (str_eq(fixed[i], name))
            return i + 1;
    return 1001 + (uint32_t)at;
}

static void tres_fill(struct tres_row *r, const char *name, size_t at, uint64_t count)
{
    const char *slash = strchr(name, '/');
    size_t len = slash ? (size_t)(slash - name) : strlen(name);
    *r = (struct tres_row){ .id = tres_number(name, at), .count = (int64_t)count, .node = "" };
    snprintf(r->type, sizeof(r->type), "%.*s", (int)len, name);
    snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : "");
}

static const void *alloc_at(const void *of, size_t i, void *room)
{
    auto_tres struct tres_list t = TRES_INIT;
    sacct_tres(of, &t);
    tres_fill(room, t.at[i].name, i, t.at[i].count);
    return room;
}

static const void *req_at(const void *of, size_t i, void *room)
{
    auto_tres struct tres_list t = TRES_INIT;
    sacct_tres_req(of, &t);
    tres_fill(room, t.at[i].name, i, t.at[i].count);
    return room;
}

GET(get_tres) /* `at` 1: requested */
{
    auto_tres struct tres_list t = TRES_INIT;
    (f->at ? sacct_tres_req : sacct_tres)(SACCT(row), &t);
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ t.n, row, f->at ? req_at : alloc_at };
}

/* What tasks used.  A callback for each part, because it is told the row alone. */
static const void *usage_at(const void *of, size_t i, void *room, bool went_out, enum step_part p)
{
    const struct step_usage_row *u = &SACCT(of)->usage;
    struct tres_row *r = room;
    const char *name = "";
    int metric = -1;
    step_usage_tres(went_out, i, &name, &metric);
    uint64_t n = metric < 0 ? 0 : step_usage_part(u, (enum step_metric)metric, p);
    bool kilobytes = metric == METRIC_RSS || metric == METRIC_VM;
    tres_fill(r, name, i, kilobytes ? n * 1024 : n);
    if (metric >= 0 && (p == PART_MAXIMUM || p == PART_MINIMUM)) {
        bool most = p == PART_MAXIMUM;
        r->node = step_usage_node(u, (enum step_metric)metric, most ? PART_MAX_NODE : PART_MIN_NODE);
        r->task = (int64_t)step_usage_part(u, (enum step_metric)metric, most ? PART_MAX_TASK : PART_MIN_TASK);
    }
    return room;
}

#define USAGE_AT(name, went_out, part) \
    static const void *name(const void *of, size_t i, void *room) { return usage_at(of, i, room, went_out, part); }
USAGE_AT(in_max_at, false, PART_MAXIMUM)
USAGE_AT(in_min_at, false, PART_MINIMUM)
USAGE_AT(in_ave_at, false, PART_AVE)
USAGE_AT(in_tot_at, false, PART_TOTAL)
USAGE_AT(out_max_at, true, PART_MAXIMUM)
USAGE_AT(out_min_at, true, PART_MINIMUM)
USAGE_AT(out_ave_at, true, PART_AVE)
USAGE_AT(out_tot_at, true, PART_TOTAL)

GET(get_usage)
{
    static show_row_fn *const at[] = { in_max_at,  in_min_at,  in_ave_at,  in_tot_at,
                                       out_max_at, out_min_at, out_ave_at, out_tot_at };
    size_t n = 0;
    const char *name;
    int metric;
    while (SACCT(row)->usage.usage && step_usage_tres(f->at >= 4, n, &name, &metric))
        n++;
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ n, row, at[f->at] };
}

/* ---- of both ---- */

GET(get_elapsed) { show_set_number(v, sacct_elapsed_s(SACCT(row))); }
GET(get_suspended) { show_set_number(v, SACCT(row)->job.job->suspended_total_s); }
GET(get_start) { show_set_count(v, sacct_start_s(SACCT(row))); }
GET(get_end) { show_set_count(v, sacct_end_s(SACCT(row))); }

/* `at`: bit 1 in the kernel, bit 2 outside it; bit 4: the microseconds of it, not the seconds. */
GET(get_cpu)
{
    const struct sacct_row *r = SACCT(row);
    uint64_t us = (f->at & 1 ? r->sys_us : 0) + (f->at & 2 ? r->user_us : 0);
    show_set_number(v, (int64_t)(f->at & 4 ? us % 1000000 : us / 1000000));
}

#define CPU_ROWS(what, at_)                                          \
    ROW("time." what ".seconds", NUMBER, get_cpu, .at = (at_)),      \
    ROW("time." what ".microseconds", NUMBER, get_cpu, .at = (at_) | 4)

/* ---- of a step ---- */

GET(step_exit) { show_set_number(v, STEP(row)->exit_code); }
GET(step_state) { show_set_text(v, sacct_state(SACCT(row))); }
GET(step_nodes) { show_set_text(v, STEP(row)->nodes); }
GET(step_node_count) { show_set_number(v, (int64_t)sacct_nodes(SACCT(row))); }
GET(step_tasks) { show_set_number(v, step_shown_tasks(STEP(row))); }
GET(step_layout) { show_set_text(v, sacct_layout(STEP(row))); }
GET(step_governor) { show_set_text(v, sacct_is_script(STEP(row)) ? "0" : "Unknown"); }
GET(step_zero) { show_set_number(v, 0); }

GET(step_killer)
{
    show_set_text(v, STEP(row)->has_cancel_uid ? SACCT(row)->env->show.user(STEP(row)->cancel_uid) : "");
}

GET(step_frequency)
{
    if (sacct_is_script(STEP(row)))
        show_set_number(v, 0);
}

GET(step_limit)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    if (s && s->time_limit_min && s->time_limit_min != TIME_INFINITE)
        show_set_number(v, s->time_limit_min);
    else
        show_set_infinite(v);
}

GET(step_id)
{
    buf_addf(show_make(v), "%u.", JOB(row)->id);
    step_put_number(v->scratch, STEP(row)->id);
}

GET(step_name)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    if (s && *s->name)
        show_set_text(v, s->name);
    else if (sacct_is_script(STEP(row)))
        step_put_number(show_make(v), STEP(row)->id);
    else
        show_set_text(v, s && s->n_argv ? s->argv[0] : "");
}

GET(step_spec_text)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    show_set_text(v, s ? *(char *const *)((const char *)s + f->at) : "");
}

/* Each node by its name: as many rows as names. */
GET(step_node_list)
{
    const struct sacct_row *r = SACCT(row);
    struct buf *out = show_make(v);
    auto_strs struct strs names = STRS_INIT;
    hostlist_expand(r->step->nodes, &names, NULL);
    for (size_t i = 0; i < names.n; i++)
        buf_addf(out, "%s%s", i ? "," : "", names.at[i]);
}

/* clang-format off */
#define STEP_TEXT(json, member, ...) \
    ROW(json, TEXT, step_spec_text, .at = offsetof(Pb__StepSpec, member), ##__VA_ARGS__)
static const struct show_field step_fields[] = {
    ROW("time.elapsed", NUMBER, get_elapsed),
    ROW("time.end", NUMBER_SET, get_end),
    ROW("time.start", NUMBER_SET, get_start),
    ROW("time.suspended", NUMBER, get_suspended),
    CPU_ROWS("system", 1),
    ROW("time.limit", NUMBER_SET, step_limit, .since = 43),
    CPU_ROWS("total", 3),
    CPU_ROWS("user", 2),
    ROW("exit_code", EXIT_CODE, step_exit),
    ROW("nodes.count", NUMBER, step_node_count),
    ROW("nodes.range", TEXT, step_nodes),
    ROW("nodes.list", LIST, step_node_list),
    ROW("tasks.count", NUMBER, step_tasks),
    ROW("pid", TEXT, show_get_unset, .until = 44),
    ROW("CPU.requested_frequency.min", NUMBER_SET, step_frequency),
    ROW("CPU.requested_frequency.max", NUMBER_SET, step_frequency),
    ROW("CPU.governor", TEXT, step_governor),
    ROW("kill_request_user", TEXT, step_killer),
    ROW("state", LIST, step_state),
    ROW("statistics.CPU.actual_frequency", NUMBER, step_zero),
    ROW("statistics.energy.consumed", NUMBER_SET, step_zero),
    ROW("step.id", TEXT, step_id),
    ROW("step.name", TEXT, step_name),
    STEP_TEXT("step.stderr", std_err, .since = 43),
    STEP_TEXT("step.stdin", std_in, .since = 43),
    STEP_TEXT("step.stdout", std_out, .since = 43),
    STEP_TEXT("step.stderr_expanded", std_err, .since = 43),
    STEP_TEXT("step.stdin_expanded", std_in, .since = 43),
    STEP_TEXT("step.stdout_expanded", std_out, .since = 43),
    STEP_TEXT("submit_line", submit_line, .since = 45),
    ROW("task.distribution", TEXT, step_layout),
    ROW("tres.requested.max", RECORDS, get_usage, .at = 0, .sub = &show_extreme),
    ROW("tres.requested.min", RECORDS, get_usage, .at = 1, .sub = &show_extreme),
    ROW("tres.requested.average", RECORDS, get_usage, .at = 2, .sub = &show_tres),
    ROW("tres.requested.total", RECORDS, get_usage, .at = 3, .sub = &show_tres),
    ROW("tres.consumed.max", RECORDS, get_usage, .at = 4, .sub = &show_extreme),
    ROW("tres.consumed.min", RECORDS, get_usage, .at = 5, .sub = &show_extreme),
    ROW("tres.consumed.average", RECORDS, get_usage, .at = 6, .sub = &show_tres),
    ROW("tres.consumed.total", RECORDS, get_usage, .at = 7, .sub = &show_tres),
    ROW("tres.allocated", RECORDS, get_tres, .sub = &show_tres),
    { 0 },
};
/* clang-format on */
static const struct show_table show_sacct_step = { "accounting step", step_fields, "", NULL };

/* ---- of a job ---- */

/* A row of a step is larger than the room of a row: one at a time is made here. */
static const void *step_at(const void *of, size_t i, void *room)
{
    static struct sacct_row row;
    const struct sacct_row *job = of;
    sacct_step_row(&row, job, job->steps[i]);
    return &row;
}

GET(get_steps)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ SACCT(row)->nsteps, row, step_at };
}

GET(get_nodes_allocated) { show_set_number(v, (int64_t)sacct_nodes(SACCT(row))); }
GET(get_array_job) { show_set_number(v, JOB(row)->array_job); }
GET(get_throttle) { show_set_number(v, job_throttle(JOB(row))); }
GET(get_assoc) { show_set_number(v, SACCT(row)->env->assoc_id ? SACCT(row)->env->assoc_id(JOB(row)) : 0); }
GET(get_eligible) { show_set_number(v, sacct_eligible_s(JOB(row))); }
GET(get_planned) { show_set_number(v, sacct_planned_s(SACCT(row))); }
GET(get_time_start) { show_set_number(v, sacct_start_s(SACCT(row))); }
GET(get_time_end) { show_set_number(v, sacct_end_s(SACCT(row))); }
GET(get_submitted) { show_set_number(v, JOB(row)->submit_s); }
GET(get_exit) { show_set_number(v, sacct_exit_code(JOB(row))); }
GET(get_derived) { show_set_number(v, JOB(row)->derived_code); }
GET(get_exclusive) { show_set_text(v, job_exclusive(JOB(row))); }
GET(get_shared) { show_set_text(v, job_shared(JOB(row))); }
GET(get_failed_node) { show_set_text(v, sacct_failed_node(JOB(row))); }
GET(get_flags) { show_set_text(v, sacct_started(JOB(row)) ? "STARTED_ON_SCHEDULE,START_RECEIVED" : "START_RECEIVED"); }
GET(get_het_job) { show_set_number(v, JOB(row)->het_job); }
GET(get_nodes) { show_set_text(v, *JOB(row)->nodes ? JOB(row)->nodes : "None assigned"); }
GET(get_hold) { show_set_number(v, JOB(row)->hold && job_is_pending(JOB(row))); }
GET(get_priority) { show_set_number(v, JOB(row)->priority); }
GET(get_req_cpus) { show_set_number(v, (int64_t)sacct_req_cpus(SACCT(row))); }
GET(get_mem_cpu) { show_set_count(v, JOB(row)->mem_per_node_mb ? 0 : (int64_t)JOB(row)->mem_per_cpu_mb); }
GET(get_mem_node) { show_set_count(v, (int64_t)JOB(row)->mem_per_node_mb); }
GET(get_restarts) { show_set_number(v, JOB(row)->restarts); }
GET(get_resv) { show_set_number(v, JOB(row)->resv); }
GET(get_state) { show_set_text(v, sacct_state(SACCT(row))); }
GET(get_reason) { show_set_text(v, "None"); }

GET(get_killer)
{
    show_set_text(v, JOB(row)->has_cancel_uid ? SACCT(row)->env->show.user(JOB(row)->cancel_uid) : "");
}

GET(get_file) /* `at`: 0 to 2 as job_put_file, 4 more: patterns filled in */
{
    if (SPEC(row)->kind == PB__JOB_KIND__KIND_BATCH)
        job_put_file(show_make(v), JOB_ROW(row), (int)(f->at & 3), f->at & 4);
}

/* clang-format off */
#define SPEC_TEXT(json, member, ...) \
    ROW(json, TEXT, job_get_spec_text, .at = offsetof(Pb__JobSpec, member), ##__VA_ARGS__)
static const struct show_field job_fields[] = {
    SPEC_TEXT("account", account),
    SPEC_TEXT("comment.administrator", admin_comment),
    SPEC_TEXT("comment.job", comment),
    SPEC_TEXT("comment.system", system_comment),
    ROW("allocation_nodes", NUMBER, get_nodes_allocated),
    ROW("array.job_id", NUMBER, get_array_job),
    ROW("array.limits.max.running.tasks", NUMBER, get_throttle),
    ROW("array.task_id", NUMBER_SET, job_get_task),
    ROW("array.task", TEXT, job_get_task_string),
    ROW("association.account", TEXT, show_get_unset),
    ROW("association.cluster", TEXT, job_get_cluster),
    ROW("association.partition", TEXT, show_get_unset),
    ROW("association.user", TEXT, show_get_unset),
    ROW("association.id", NUMBER, get_assoc),
    ROW("block", TEXT, show_get_unset),
    ROW("cluster", TEXT, job_get_cluster),
    SPEC_TEXT("constraints", constraint),
    SPEC_TEXT("container", container),
    ROW("sluid", TEXT, job_get_sluid, .since = 45),
    ROW("derived_exit_code", EXIT_CODE, get_derived),
    ROW("time.elapsed", NUMBER, get_elapsed),
    ROW("time.eligible", NUMBER, get_eligible),
    ROW("time.end", NUMBER, get_time_end),
    ROW("time.planned", NUMBER_SET, get_planned),
    ROW("time.start", NUMBER, get_time_start),
    ROW("time.submission", NUMBER, get_submitted),
    ROW("time.suspended", NUMBER, get_suspended),
    CPU_ROWS("system", 1),
    ROW("time.limit", NUMBER_SET, job_get_limit),
    CPU_ROWS("total", 3),
    CPU_ROWS("user", 2),
    ROW("exclusive", TEXT, get_exclusive, .since = 45),
    ROW("exit_code", EXIT_CODE, get_exit),
    SPEC_TEXT("extra", extra),
    ROW("failed_node", TEXT, get_failed_node),
    ROW("flags", LIST, get_flags),
    ROW("group", TEXT, job_get_group),
    ROW("het.job_id", NUMBER, get_het_job),
    ROW("het.job_offset", NUMBER_SET, job_get_het_offset),
    ROW("job_id", NUMBER, job_get_job_number, .at = offsetof(Pb__Job, id)),
    SPEC_TEXT("name", name),
    SPEC_TEXT("licenses", licenses),
    SPEC_TEXT("mcs.label", mcs_label),
    ROW("nodes", TEXT, get_nodes),
    ROW("oversubscribe", TEXT, get_shared, .since = 45),
    ROW("partition", TEXT, job_get_job_text, .at = offsetof(Pb__Job, partition)),
    ROW("hold", BOOL, get_hold),
    ROW("priority", NUMBER_SET, get_priority),
    SPEC_TEXT("qos", qos),
    SPEC_TEXT("qosreq", qos),
    ROW("required.CPUs", NUMBER, get_req_cpus),
    ROW("required.memory_per_cpu", NUMBER_SET, get_mem_cpu),
    ROW("required.memory_per_node", NUMBER_SET, get_mem_node),
    ROW("kill_request_user", TEXT, get_killer),
    ROW("restart_cnt", NUMBER, get_restarts),
    ROW("reservation.id", NUMBER, get_resv),
    ROW("reservation.name", TEXT, job_get_job_text, .at = offsetof(Pb__Job, resv_name)),
    SPEC_TEXT("reservation.requested", reservation, .since = 43),
    ROW("script", TEXT, show_get_unset),
    ROW("segment_size", NUMBER, job_get_spec_number, .at = offsetof(Pb__JobSpec, segment), .since = 43),
    ROW("original_sluid", TEXT, job_get_sluid, .since = 45),
    ROW("stdin_expanded", TEXT, get_file, .at = 4),
    ROW("stdout_expanded", TEXT, get_file, .at = 5),
    ROW("stderr_expanded", TEXT, get_file, .at = 6),
    ROW("stdout", TEXT, get_file, .at = 1),
    ROW("stderr", TEXT, get_file, .at = 2),
    ROW("stdin", TEXT, get_file, .at = 0),
    ROW("state.current", LIST, get_state),
    ROW("state.reason", TEXT, get_reason),
    ROW("steps", RECORDS, get_steps, .sub = &show_sacct_step),
    SPEC_TEXT("submit_line", submit_line),
    ROW("tres.allocated", RECORDS, get_tres, .sub = &show_tres),
    ROW("tres.requested", RECORDS, get_tres, .at = 1, .sub = &show_tres),
    ROW("used_gres", TEXT, show_get_unset),
    ROW("user", TEXT, job_get_user),
    SPEC_TEXT("wckey.wckey", wckey),
    ROW("wckey.flags", LIST, show_get_unset),
    SPEC_TEXT("working_directory", workdir),
    { 0 },
};
/* clang-format on */
const struct show_table show_sacct_job = { "accounting job", job_fields, "", NULL };
