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
#include "ctl/work.h"

struct order { /* a cancellation under way: first by reference, then by filter */
    const struct ctl_call *call;
    const Pb__CancelRequest *r;
    const Pb__JobRef *ref; /* the one under way; NULL: by filter */
    size_t nref;
    struct refs_walk walk;
    struct job_filter *filter; /* not NULL: the jobs have been gathered */
    VEC(uint32_t) jobs;
    size_t at;
    Pb__CancelReply reply;
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

static bool cancel_by_ref(struct order *o)
{
    for (; o->nref < o->r->n_jobs; o->nref++) {
        struct err err = ERR_INIT;
        int rc;
        o->ref = o->r->jobs[o->nref];
        if (!refs_go_on(o->call, &o->walk, o->ref, cancel_one, o, &rc, &err))
            return false;
        o->reply.matched += !rc;
        cancel_add(&o->reply, o->ref, rc, &err);
    }
    o->ref = NULL;
    return true;
}

/* Ending a job moves it between lists: gather first. */
static void cancel_gather(struct order *o)
{
    const struct cluster *c = o->call->t->c;
    o->filter = job_filter_new(o->r->filter);
    for (const struct job *j = c->pending.head; j; j = j->next)
        vec_push(&o->jobs, j->id);
    for (const struct job *j = c->active.head; j; j = j->next)
        vec_push(&o->jobs, j->id);
}

/* A heterogeneous job that waits goes with its first component. */
static bool cancel_matches(const struct order *o, const struct job *j)
{
    return j && !job_ended(j) && !(job_pending(j) && j->het_offset) &&
           job_filter_match(o->call->t, o->filter, j);
}

static bool cancel_by_filter(struct order *o)
{
    struct ctl *t = o->call->t;
    if (!o->filter)
        cancel_gather(o);
    for (; o->at < o->jobs.n; o->at++) {
        struct err err = ERR_INIT;
        Pb__JobRef ref = PB__JOB_REF__INIT;
        if (work_over(o->call))
            return false;
        struct job *j = cluster_job(t->c, ref.job = o->jobs.at[o->at]);
        if (!cancel_matches(o, j))
            continue;
        int rc = cancel_one(t, j, o, &err);
        o->reply.matched++;
        if (rc)
            cancel_add(&o->reply, &ref, rc, &err);
    }
    return true;
}

static bool cancel_go_on(const struct ctl_call *call, void *state)
{
    struct order *o = state;
    o->call = call;
    if (!cancel_by_ref(o) || (o->r->by_filter && o->r->filter && !cancel_by_filter(o)))
        return false;
    ctl_reply(call, MSG_CANCEL_REPLY, &o->reply.base);
    return true;
}

static void cancel_free(void *state)
{
    struct order *o = state;
    refs_results_free(o->reply.results, o->reply.n_results);
    refs_walk_clear(&o->walk);
    job_filter_free(o->filter);
    vec_clear(&o->jobs);
    free(o);
}

void ctl_cancel(const struct ctl_call *call)
{
    struct order *o = NEW(struct order);
    o->r = (Pb__CancelRequest *)call->m;
    pb__cancel_reply__init(&o->reply);
    work_run(call, o, cancel_go_on, cancel_free);
}
