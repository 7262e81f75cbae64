/*
 * fields_step - the columns of squeue -s, and a step's name.
 */
#include "base/str.h"
#include "cli/names.h"
#include "cli/squeue.h"
#include "cli/step_text.h"
#include "core/step.h"
#include "text/hostlist.h"
#include "text/time.h"

#define ROW(p) ((const struct step_row *)(p))
#define JOB(p) (ROW(p)->job.job)
#define STEP(p) (ROW(p)->step)
#define PUT(name) static void name(struct buf *out, const struct field *f, const void *row)

void step_put_id(struct buf *out, const struct job_row *r, uint32_t step)
{
    if (r->job->het_job && !r->job->het_offset)
        buf_addf(out, "%u", r->job->id);
    else
        job_put_id(out, r);
    switch (step) {
    case PB__STEP_NUMBER__STEP_BATCH: buf_adds(out, ".batch"); break;
    case PB__STEP_NUMBER__STEP_EXTERN: buf_adds(out, ".extern"); break;
    case PB__STEP_NUMBER__STEP_INTERACTIVE: buf_adds(out, ".interactive"); break;
    case PB__STEP_NUMBER__STEP_PENDING_ID: buf_adds(out, ".TBD"); break;
    default: buf_addf(out, ".%u", step);
    }
}

void step_put_nodes(struct buf *out, const struct step_row *r)
{
    const Pb__Step *s = r->step;
    const Pb__Job *j = r->job.job;
    if (*s->nodes) {
        buf_adds(out, s->nodes);
        return;
    }
    auto_free char **names = mem_array(s->n_node, sizeof(*names));
    size_t n = 0;
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] < j->n_alloc)
            names[n++] = j->alloc[s->node[i]]->name;
    auto_free char *text = n ? hostlist_compress(names, n) : mem_str(j->nodes);
    buf_adds(out, text);
}

PUT(put_id) { step_put_id(out, &ROW(row)->job, STEP(row)->id); }
PUT(put_word) { buf_adds(out, f->none); }
PUT(put_array_job) { buf_addf(out, "%u", JOB(row)->array_job ? JOB(row)->array_job : JOB(row)->id); }
PUT(put_array_task) { job_put_tasks(out, &ROW(row)->job); }
PUT(put_job) { buf_addf(out, "%u", JOB(row)->id); }
PUT(put_cluster) { buf_adds(out, str_or(ROW(row)->job.show->cluster, "(null)")); }
PUT(put_partition) { buf_adds(out, JOB(row)->partition); }
PUT(put_user) { buf_adds(out, *JOB(row)->user_name ? JOB(row)->user_name : names_user(JOB(row)->uid)); }
PUT(put_uid) { buf_addf(out, "%u", JOB(row)->uid); }
PUT(put_nodes) { step_put_nodes(out, ROW(row)); }
PUT(put_tasks) { buf_addf(out, "%u", step_shown_tasks(STEP(row))); }
PUT(put_start) { job_put_stamp(out, STEP(row)->start_s, "N/A"); }

PUT(put_cpus)
{
    const Pb__Step *s = STEP(row);
    uint32_t each = s->spec && s->spec->cpus_per_task ? s->spec->cpus_per_task : 1, cpus = step_cpus(s);
    buf_addf(out, "%u", s->id == PB__STEP_NUMBER__STEP_BATCH ? 0 : cpus ? cpus : each * step_shown_tasks(s));
}

PUT(put_name)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    const char *fallback = STEP(row)->id == PB__STEP_NUMBER__STEP_BATCH ? "batch"
                           : s && s->n_argv                             ? s->argv[0]
                                                                        : "(null)";
    buf_adds(out, s ? str_or(s->name, fallback) : fallback);
}

PUT(put_state)
{
    static const char *const names[] = { "RUNNING", "COMPLETED", "FAILED", "CANCELLED" };
    unsigned state = (unsigned)STEP(row)->state;
    buf_adds(out, STEP(row)->pending ? "PENDING" : state < ARRAY_LEN(names) ? names[state] : "RUNNING");
}

PUT(put_limit)
{
    char text[TIME_TEXT];
    uint32_t minutes = STEP(row)->spec && STEP(row)->spec->time_limit_min ? STEP(row)->spec->time_limit_min
                                                                          : TIME_INFINITE;
    buf_adds(out, time_limit_short(text, minutes));
}

PUT(put_elapsed)
{
    char text[TIME_TEXT];
    int64_t until = STEP(row)->end_s ? STEP(row)->end_s : ROW(row)->job.show->now_s;
    buf_adds(out, time_elapsed(text, MAX(until - STEP(row)->start_s, 0)));
}

static void or_null(struct buf *out, size_t start)
{
    if (out->len == start)
        buf_adds(out, "(null)");
}

PUT(put_per_node)
{
    size_t start = out->len;
    if (STEP(row)->id != PB__STEP_NUMBER__STEP_BATCH)
        step_put_tres_per_node(out, STEP(row), JOB(row)->spec);
    or_null(out, start);
}

PUT(put_per_step)
{
    size_t start = out->len;
    step_put_tres_per_step(out, STEP(row));
    or_null(out, start);
}

PUT(put_per_task)
{
    size_t start = out->len;
    step_put_tres_per_task(out, STEP(row));
    or_null(out, start);
}

PUT(put_bind)
{
    size_t start = out->len;
    step_put_tres_bind(out, STEP(row));
    or_null(out, start);
}

/* clang-format off */
const struct field fields_step[] = {
    { "ArrayJobId",       0,  "ARRAY_JOB_ID",    put_array_job },
    { "ArrayTaskId",      0,  "ARRAY_TASK_ID",   put_array_task },
    { "Cluster",          0,  "CLUSTER",         put_cluster },
    { "Container",        0,  "CONTAINER",       put_word,      .none = "(null)" },
    { "ContainerId",      0,  "CONTAINERID",     put_word,      .none = "(null)" },
    { "CPUFreq",          0,  "CPU_FREQ",        put_word,      .none = "Default" },
    { "cpus-per-tres",    0,  "CPUS_PER_TRES",   put_word,      .none = "N/A" },
    { "JobId",            0,  "JOB_ID",          put_job },
    { "mem-per-tres",     0,  "MEM_PER_TRES",    put_word,      .none = "N/A" },
    { "Network",          0,  "NETWORK",         put_word,      .none = "(null)" },
    { "Nodes",           'N', "NODELIST",        put_nodes },
    { "NumCPUs",          0,  "NUM_CPUS",        put_cpus },
    { "NumTasks",        'A', "TASKS",           put_tasks },
    { "Partition",       'P', "PARTITION",       put_partition },
    { "ResvPorts",        0,  "RESERVED_PORTS",  put_word,      .none = "(null)" },
    { "StartTime",       'S', "START_TIME",      put_start },
    { "StepId",          'i', "STEPID",          put_id },
    { "StepName",        'j', "NAME",            put_name },
    { "StepState",        0,  "STATE",           put_state },
    { "TimeLimit",       'l', "TIME_LIMIT",      put_limit },
    { "TimeUsed",        'M', "TIME",            put_elapsed },
    { "tres-bind",        0,  "TRES_BIND",       put_bind },
    { "tres-freq",        0,  "TRES_FREQ",       put_word,      .none = "N/A" },
    { "tres-per-node",   'b', "TRES_PER_JOB",    put_per_node },
    { "tres-per-job",     0,  "TRES_PER_STEP",   put_per_step },
    { "tres-per-step",    0,  "TRES_PER_STEP",   put_per_step },
    { "tres-per-socket",  0,  "TRES_PER_SOCKET", put_word,      .none = "N/A" },
    { "tres-per-task",    0,  "TRES_PER_TASK",   put_per_task },
    { "UserId",          'U', "UID",             put_uid },
    { "UserName",        'u', "USER",            put_user },
    { 0 },
};
/* clang-format on */
