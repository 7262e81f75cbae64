/* cancel - scancel: ends jobs, or sends them a signal. */
#include <signal.h>

#include "core/step.h"
#include "ctl/het.h"
#include "ctl/refs.h"
#include "ctl/access.h"
#include "ctl/act.h"
#include "ctl/end.h"
#include "ctl/job_filter.h"
#include "ctl/request.h"

struct order {
    const struct ctl_call *call;
    const Pb__CancelRequest *r;
    const Pb__JobRef *ref;
};

static bool is_kill(const Pb__CancelRequest *r)
{
    return (!r->signal || r->signal == SIGKILL) && !r->batch_only;
}

static int end_it(const struct order *o, struct ctl *t, struct job *j, struct err *err)
{
    if (job_pending(j) && het_check_whole(j, err))
        return err->code;
    return end_job(t, j,
                   &(struct end){ .state = JOB_CANCELLED,
                                  .signal = j->het_offset ? 0 : SIGTERM, /* a component has no script */
                                  .notice = "",
                                  .by_user = true,
                                  .uid = o->call->peer->uid,
                                  .done_node = UINT32_MAX },
                   err);
}

static int signal_it(const struct order *o, struct ctl *t, struct job *j, struct err *err)
{
    if (j->state == JOB_PENDING)
        return err_set(err, ESLURM_JOB_PENDING, "%s", err_text(ESLURM_JOB_PENDING));
    act_signal(t, j, o->r->signal ? o->r->signal : SIGKILL, o->r->batch_only, o->r->full,
               !o->r->batch_only && !o->r->full);
    return 0;
}

static int signal_step(const struct order *o, struct ctl *t, struct job *j, struct err *err)
{
    uint32_t signal = o->r->signal ? o->r->signal : SIGKILL, id = o->ref->step;
    const Pb__Step *s = step_find(j, id);
    if (job_pending(j))
        return 0; /* it has none yet */
    if (s && signal == SIGKILL)
        act_end_step(t, j, s, SIGKILL, "DUE to SIGNAL Killed");
    else if (s)
        act_signal_step(t, j, id, signal);
    else if (id == PB__STEP_NUMBER__STEP_BATCH && j->spec->kind == PB__JOB_KIND__KIND_BATCH && j->state == JOB_RUNNING)
        act_signal(t, j, signal, true, false, false);
    else
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    return 0;
}

static int cancel_one(struct ctl *t, struct job *j, void *arg, struct err *err)
{
    const struct order *o = arg;
    if (!access_may(t, o->call->peer, RIGHT_CANCEL, j))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    if (job_ended(j) || (j->state & JOB_COMPLETING && !(j->state & JOB_REQUEUE_FLAG)))
        return err_set(err, ESLURM_ALREADY_DONE, "%s", err_text(ESLURM_ALREADY_DONE));
    if (o->ref && o->ref->has_step)
        return signal_step(o, t, j, err);
    return is_kill(o->r) ? end_it(o, t, j, err) : signal_it(o, t, j, err);
}

static void cancel_add(Pb__CancelReply *reply, const Pb__JobRef *ref, int rc, const struct err *err)
{
    reply->results = mem_grow(reply->results, reply->n_results + 1, sizeof(*reply->results));
    reply->results[reply->n_results++] = refs_result(ref, rc, err);
}

static void by_list(struct order *o, struct joblist *l, Pb__CancelReply *reply)
{
    /* Ending a job moves it between lists: gather first. */
    VEC(struct job *) found = { 0 };
    struct job_filter *filter = job_filter_new(o->r->filter);
    for (struct job *j = l->head; j; j = j->next)
        if (!job_ended(j) && !(job_pending(j) && j->het_offset) && job_filter_match(o->call->t, filter, j))
            vec_push(&found, j); /* a heterogeneous job that waits goes with its first component */
    job_filter_free(filter);
    for (size_t i = 0; i < found.n; i++) {
        struct err err = ERR_INIT;
        Pb__JobRef ref = PB__JOB_REF__INIT;
        ref.job = found.at[i]->id;
        if (het_is(found.at[i]) && job_ended(found.at[i]))
            continue; /* with the first */
        int rc = cancel_one(o->call->t, found.at[i], o, &err);
        reply->matched++;
        if (rc)
            cancel_add(reply, &ref, rc, &err);
    }
    vec_clear(&found);
}

void ctl_cancel(const struct ctl_call *call)
{
    struct order o = { call, (Pb__CancelRequest *)call->m, NULL };
    Pb__CancelReply reply = PB__CANCEL_REPLY__INIT;
    for (size_t i = 0; i < o.r->n_jobs; i++) {
        struct err err = ERR_INIT;
        o.ref = o.r->jobs[i];
        int rc = refs_each(call->t, o.ref, cancel_one, &o, &err);
        reply.matched += !rc;
        cancel_add(&reply, o.ref, rc, &err);
    }
    o.ref = NULL;
    if (o.r->by_filter && o.r->filter) {
        by_list(&o, &call->t->c->pending, &reply);
        by_list(&o, &call->t->c->active, &reply);
    }
    ctl_reply(call, MSG_CANCEL_REPLY, &reply.base);
    refs_results_free(reply.results, reply.n_results);
}
