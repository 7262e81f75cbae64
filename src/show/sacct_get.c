/* sacct_get - values that several fields of sacct share; see sacct_priv.h. */
#include <sys/wait.h>

#include "base/str.h"
#include "core/job.h"
#include "core/step.h"
#include "show/sacct_priv.h"
#include "show/step.h"
#include "text/hostlist.h"

void sacct_step_row(struct sacct_row *out, const struct sacct_row *job, const Pb__Step *step)
{
    const Pb__StepUsage *u = step->stats;
    *out = *job;
    out->step = step;
    out->user_us = u ? u->user_us : 0;
    out->sys_us = u ? u->sys_us : 0;
    out->usage = (struct step_usage_row){ .job = job->job.job->id,
                                          .step = step->id,
                                          .record = step,
                                          .names = job->usage.names,
                                          .nnames = job->usage.nnames,
                                          .usage = u,
                                          .exact = job->env->exact,
                                          .unit = job->env->unit };
}

bool sacct_is_script(const Pb__Step *s)
{
    return s->id >= PB__STEP_NUMBER__STEP_INTERACTIVE;
}

/* ---- time ---- */

bool sacct_ended(const Pb__Job *j)
{
    return (j->state & JOB_STATE_BASE) > JOB_SUSPENDED;
}

/* A job that was cancelled while it waited has a start and no nodes. */
bool sacct_started(const Pb__Job *j)
{
    return j->start_s && !job_is_pending(j) && *j->nodes;
}

int64_t sacct_eligible_s(const Pb__Job *j)
{
    bool held = j->hold && !sacct_started(j) && j->spec->begin_s <= j->submit_s;
    return held ? 0 : j->eligible_s;
}

int64_t sacct_start_s(const struct sacct_row *r)
{
    return r->step ? r->step->start_s : sacct_started(r->job.job) ? r->job.job->start_s : 0;
}

int64_t sacct_end_s(const struct sacct_row *r)
{
    return r->step ? r->step->end_s : sacct_ended(r->job.job) ? r->job.job->end_s : 0;
}

/* Without the time for which the job was suspended. */
int64_t sacct_elapsed_s(const struct sacct_row *r)
{
    int64_t start = sacct_start_s(r), end = sacct_end_s(r);
    if (!r->step)
        return start ? job_elapsed_s(&r->job) : 0;
    int64_t span = (end ? end : r->env->show.now_s) - start - r->job.job->suspended_total_s;
    return start ? MAX(span, 0) : 0;
}

int64_t sacct_planned_s(const struct sacct_row *r)
{
    const Pb__Job *j = r->job.job;
    int64_t since = sacct_eligible_s(j), until = sacct_start_s(r);
    if (!until)
        until = sacct_ended(j) ? j->end_s : r->env->show.now_s;
    return since ? MAX(until - since, 0) : 0;
}

/* ---- resources ---- */

static void add_alloc(struct tres_list *out, const Pb__NodeAlloc *a)
{
    tres_add(out, "cpu", a->cpus);
    tres_add(out, "mem", a->mem_mb);
    tres_add(out, "node", 1);
    for (size_t g = 0; g < a->n_gres; g++) {
        auto_free char *name = mem_printf("gres/%s", a->gres[g]->name);
        tres_add(out, name, a->gres[g]->count);
    }
}

void sacct_tres(const struct sacct_row *r, struct tres_list *out)
{
    if (!r->step) {
        tres_parse(r->job.job->tres_alloc, out, NULL);
        return;
    }
    tres_parse(r->step->tres_alloc, out, NULL);
    for (size_t i = 0; !out->n && i < r->step->n_alloc; i++)
        add_alloc(out, r->step->alloc[i]);
}

void sacct_tres_req(const struct sacct_row *r, struct tres_list *out)
{
    tres_parse(r->job.job->tres_req, out, NULL);
}

static uint64_t tres_amount(const struct sacct_row *r, const char *name, bool requested)
{
    auto_tres struct tres_list t = TRES_INIT;
    (requested ? sacct_tres_req : sacct_tres)(r, &t);
    return tres_get(&t, name, 0);
}

uint64_t sacct_cpus(const struct sacct_row *r)
{
    return tres_amount(r, "cpu", false);
}

uint64_t sacct_nodes(const struct sacct_row *r)
{
    size_t n = 0;
    const char *nodes = r->step ? r->step->nodes : r->job.job->nodes;
    if (*nodes && hostlist_count(nodes, &n, NULL))
        n = 0;
    return n;
}

uint64_t sacct_req_cpus(const struct sacct_row *r)
{
    return r->step ? sacct_cpus(r) : tres_amount(r, "cpu", true);
}

/* ---- state ---- */

/* A step that a signal ended is CANCELLED, whatever sent the signal. */
static const char *step_state(const Pb__Step *s)
{
    switch (s->state) {
    case PB__STEP_STATE__STEP_RUNNING: return "RUNNING";
    case PB__STEP_STATE__STEP_COMPLETED: return s->exit_code ? "FAILED" : "COMPLETED";
    case PB__STEP_STATE__STEP_FAILED: return WIFSIGNALED((int)s->exit_code) ? "CANCELLED" : "FAILED";
    case PB__STEP_STATE__STEP_CANCELLED: return "CANCELLED";
    default: return "";
    }
}

const char *sacct_state(const struct sacct_row *r)
{
    uint32_t state = r->job.job->state;
    if (!r->step)
        return state & JOB_REQUEUE_FLAG ? "REQUEUED" : job_state_name(state & JOB_STATE_BASE);
    bool stopped = r->step->state == PB__STEP_STATE__STEP_RUNNING && (state & JOB_STATE_BASE) == JOB_SUSPENDED;
    return stopped ? "SUSPENDED" : step_state(r->step);
}

/* By default tasks are dealt out by turns where there are as many nodes as tasks want CPUs. */
const char *sacct_layout(const Pb__Step *s)
{
    size_t nodes = 1;
    if (sacct_is_script(s))
        return "Unknown";
    if (!s->spec || *s->spec->distribution || hostlist_count(s->nodes, &nodes, NULL))
        return step_dist(s);
    return (uint64_t)step_shown_tasks(s) * MAX(s->spec->cpus_per_task, 1u) <= nodes ? "Cyclic" : "Block";
}

/* A job that was cancelled has no exit code of its own; its script has one. */
uint32_t sacct_exit_code(const Pb__Job *j)
{
    return (j->state & JOB_STATE_BASE) == JOB_CANCELLED ? 0 : j->exit_code;
}

/* Known where the job had one node. */
const char *sacct_failed_node(const Pb__Job *j)
{
    return (j->state & JOB_STATE_BASE) == JOB_NODE_FAIL && j->num_nodes == 1 ? j->nodes : "";
}
