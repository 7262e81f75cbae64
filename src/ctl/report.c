/* report - what nodes tell: a step ended, a node is clean, a launch failed. */
#include <signal.h>
#include <sys/wait.h>

#include "ctl/ctl_priv.h"

static void ack(const struct ctl_call *call, const Pb__Report *r)
{
    Pb__ReportAck a = PB__REPORT_ACK__INIT;
    a.job_id = r->job_id;
    a.step_id = r->step_id;
    a.attempt = r->attempt;
    a.node_clean = r->node_clean;
    ctl_say(call->t, call->session, MSG_REPORT_ACK, 0, call->number, &a.base);
}

static struct end verdict(uint32_t status, uint32_t done_node)
{
    struct end e = { .state = JOB_COMPLETED, .exit_code = status, .done_node = done_node };
    if (WIFSIGNALED((int)status)) {
        e.state = JOB_FAILED;
        e.reason = WHY_RAISED_SIGNAL;
    } else if (status) {
        e.state = JOB_FAILED;
        e.reason = WHY_NONZERO_EXIT;
    }
    return e;
}

static void launch_failed(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    struct err err = ERR_INIT;
    uint32_t done = r->node_clean ? pos : UINT32_MAX;
    log_error("launch failed job=%u node=%s: %s", j->id, t->c->node[j->alloc.at[pos].node].name, r->text);
    if (j->requeue && j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        end_requeue(t, j, HOLD_ADMIN, WHY_LAUNCH_FAILED_HELD, r->text, done, &err);
    else
        end_job(t, j,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = r->text,
                               .exit_code = 1 << 8,
                               .done_node = done },
                &err);
}

static void batch_ended(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    struct err err = ERR_INIT;
    uint32_t done = r->node_clean ? pos : UINT32_MAX;
    if (r->lost) {
        if (j->requeue)
            end_requeue(t, j, HOLD_NONE, WHY_NODE_FAIL, NULL, done, &err);
        else
            end_job(t, j,
                    &(struct end){ .state = JOB_NODE_FAIL,
                                   .reason = WHY_SYSTEM,
                                   .text = "the job's supervisor died",
                                   .done_node = done },
                    &err);
        return;
    }
    struct end e = verdict(r->exit_code, done);
    end_job(t, j, &e, &err);
}

static const Pb__Step *find_step(const struct job *j, uint32_t id)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.at[i].pb->id == id)
            return j->steps.at[i].pb;
    return NULL;
}

static void step_ended(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    const Pb__Step *s = find_step(j, r->step_id);
    if (!s)
        return;
    uint32_t code = MAX(s->exit_code, r->launch_error ? 1u << 8 : r->exit_code);
    EVENT(ev);
    Pb__EvStepEnd e = PB__EV_STEP_END__INIT;
    e.job_id = j->id;
    e.attempt = j->attempt;
    e.step_id = r->step_id;
    e.node = pos;
    e.exit_code = r->launch_error ? 1u << 8 : r->exit_code;
    e.usage = r->usage;
    BODY(ev, STEP_END, step_end, &e);
    if (ctl_emit(t, &ev, NULL))
        return;
    /* srun's own allocation ends with its only step. */
    if (j->spec->kind == PB__JOB_KIND__KIND_SRUN && j->step && r->step_id == 0 && !find_step(j, 0)) {
        struct err err = ERR_INIT;
        struct end end = verdict(code, j->alloc.n == 1 && r->node_clean ? pos : UINT32_MAX);
        end_job(t, j, &end, &err);
    }
}

static void take_report(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    if (job_ended(j) || (j->state & JOB_COMPLETING)) {
        bool script = r->step_id == PB__STEP_NUMBER__STEP_BATCH && !r->launch_error && !r->lost;
        if (j->state & JOB_COMPLETING)
            end_node_done(t, j, pos, r->node_clean, script ? &r->exit_code : NULL);
        return;
    }
    if (r->launch_error == ESLURMD_PROLOG_FAILED)
        hook_prolog_failed(t, j, pos, r->node_clean);
    else if (r->launch_error && (r->step_id == PB__STEP_NUMBER__STEP_BATCH || j->spec->kind == PB__JOB_KIND__KIND_SRUN))
        launch_failed(t, j, r, pos);
    else if (r->step_id == PB__STEP_NUMBER__STEP_BATCH)
        batch_ended(t, j, r, pos);
    else
        step_ended(t, j, r, pos);
}

void ctl_report(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__Report *r = (Pb__Report *)call->m;
    uintptr_t node = (uintptr_t)map_get(&t->agent_of, call->session);
    struct job *j = cluster_job(t->c, r->job_id);
    if (!node)
        return; /* it has not registered: it will say it again when it has */
    uint32_t pos = j ? alloc_pos(j, (uint32_t)(node - 1)) : UINT32_MAX;
    if (r->epilog_failed)
        hook_epilog_failed(t, (uint32_t)(node - 1));
    /* An old attempt, or a job that is gone: nothing to change, but the node may forget it. */
    if (j && pos != UINT32_MAX && j->attempt == r->attempt && job_holds_nodes(j))
        take_report(t, j, r, pos);
    ack(call, r);
}

void ctl_launch_reply(const struct ctl_call *call)
{
    const Pb__LaunchReply *r = (Pb__LaunchReply *)call->m;
    if (!r->code)
        return;
    Pb__Report report = PB__REPORT__INIT;
    report.job_id = r->job_id;
    report.step_id = r->step_id;
    report.attempt = r->attempt;
    report.launch_error = r->code;
    report.text = r->text;
    report.node_clean = r->code != ESLURMD_PROLOG_FAILED; /* what the prolog did, the epilog undoes */
    struct ctl_call again = *call;
    again.m = &report.base;
    ctl_report(&again);
}
