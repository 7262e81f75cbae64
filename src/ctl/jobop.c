/* jobop - scontrol hold, release, requeue, suspend, resume. */
#include <signal.h>

#include "ctl/access.h"
#include "ctl/het.h"
#include "ctl/priority_update.h"
#include "ctl/refs.h"
#include "ctl/priority_top.h"
#include "ctl/end.h"
#include "ctl/plan.h"
#include "ctl/request.h"

struct op {
    const struct ctl_call *call;
    Pb__JobOp what;
};

static int jobop_refuse(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

static int set_hold(struct ctl *t, struct job *j, uint32_t hold, struct err *err)
{
    EVENT(ev);
    Pb__EvHold e = PB__EV_HOLD__INIT;
    e.job_id = j->id;
    e.hold = hold;
    e.priority = hold ? 0 : priority_update_plain(t, j);
    e.reason = !hold ? WHY_NONE : hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER;
    BODY(ev, HOLD, hold, &e);
    return ctl_emit(t, &ev, err);
}

static int jobop_hold(struct ctl *t, struct job *j, const struct op *o, struct err *err)
{
    if (job_ended(j))
        return jobop_refuse(err, ESLURM_ALREADY_DONE);
    bool admin = access_has(t, o->call->peer, RIGHT_HOLD_ADMIN, j) && o->what == PB__JOB_OP__OP_HOLD;
    return set_hold(t, j, admin ? HOLD_ADMIN : HOLD_USER, err);
}

static int jobop_release(struct ctl *t, struct job *j, const struct op *o, struct err *err)
{
    if (job_ended(j))
        return jobop_refuse(err, ESLURM_ALREADY_DONE);
    if (j->hold == HOLD_ADMIN && !access_may(t, o->call->peer, RIGHT_HOLD_ADMIN, j))
        return jobop_refuse(err, ESLURM_ACCESS_DENIED);
    return set_hold(t, j, HOLD_NONE, err);
}

static int jobop_requeue(struct ctl *t, struct job *j, const struct op *o, struct err *err)
{
    bool held = o->what == PB__JOB_OP__OP_REQUEUE_HOLD;
    if (j->spec->kind != PB__JOB_KIND__KIND_BATCH)
        return jobop_refuse(err, ESLURM_BATCH_ONLY);
    if (!j->requeue)
        return jobop_refuse(err, ESLURM_DISABLED);
    if (job_pending(j) && !(j->state & JOB_COMPLETING))
        return held ? set_hold(t, j, HOLD_USER, err) : jobop_refuse(err, ESLURM_JOB_PENDING);
    if (job_lends(j) && !held) /* an administrator has stopped it: it does not begin anew by itself */
        return end_requeue(t, j, HOLD_ADMIN, WHY_HELD_ADMIN, NULL, UINT32_MAX, err);
    return end_requeue(t, j, held ? HOLD_USER : HOLD_NONE, WHY_HELD_USER, held ? "job requeued in held state" : NULL,
                       UINT32_MAX, err);
}

static int jobop_suspend(struct ctl *t, struct job *j, const struct op *o, struct err *err)
{
    bool resume = o->what == PB__JOB_OP__OP_RESUME;
    if (job_ended(j))
        return jobop_refuse(err, ESLURM_ALREADY_DONE);
    if (!access_may(t, o->call->peer, RIGHT_SUSPEND, j))
        return jobop_refuse(err, ESLURM_ACCESS_DENIED);
    if (job_pending(j))
        return jobop_refuse(err, ESLURM_JOB_PENDING);
    if (resume && j->state != JOB_SUSPENDED)
        return jobop_refuse(err, ESLURM_JOB_NOT_SUSPENDED);
    if (!resume && job_lends(j))
        return 0;
    if (resume && j->gang) /* others have their turn, and it comes back by itself */
        return jobop_refuse(err, ESLURM_DISABLED);
    EVENT(ev);
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = j->id;
    e.resume = resume;
    BODY(ev, SUSPEND, suspend, &e);
    bool unlaunched = j->unlaunched;
    int rc = ctl_emit(t, &ev, err);
    if (!rc && unlaunched && resume)
        plan_begun(t, j);
    return rc;
}

static int jobop_one(struct ctl *t, struct job *j, void *arg, struct err *err)
{
    const struct op *o = arg;
    if (!access_may(t, o->call->peer, RIGHT_HOLD, j))
        return jobop_refuse(err, ESLURM_USER_ID_MISSING);
    switch (o->what) {
    case PB__JOB_OP__OP_HOLD:
    case PB__JOB_OP__OP_UHOLD: return jobop_hold(t, j, o, err);
    case PB__JOB_OP__OP_RELEASE: return jobop_release(t, j, o, err);
    case PB__JOB_OP__OP_REQUEUE:
    case PB__JOB_OP__OP_REQUEUE_HOLD: return jobop_requeue(t, j, o, err);
    case PB__JOB_OP__OP_SUSPEND:
    case PB__JOB_OP__OP_RESUME: return jobop_suspend(t, j, o, err);
    case PB__JOB_OP__OP_TOP:
    case _PB__JOB_OP_IS_INT_SIZE: break;
    }
    return jobop_refuse(err, ESLURM_NOT_SUPPORTED);
}

/* hold, release by name: the caller's jobs of that name (of all users, for an administrator). */
static void by_name(const struct op *o, const char *name, Pb__JobOpReply *reply)
{
    VEC(struct job *) found = { 0 };
    struct ctl *t = o->call->t;
    for (struct job *j = t->c->pending.head; j; j = j->next)
        if (str_eq(j->spec->name, name) && access_has(t, o->call->peer, RIGHT_HOLD, j))
            vec_push(&found, j);
    for (size_t i = 0; i < found.n; i++) {
        struct err err = ERR_INIT;
        Pb__JobRef ref = PB__JOB_REF__INIT;
        ref.job = found.at[i]->id;
        int rc = jobop_one(t, found.at[i], (void *)o, &err);
        reply->results = mem_grow(reply->results, reply->n_results + 1, sizeof(*reply->results));
        reply->results[reply->n_results++] = refs_result(&ref, rc, &err);
    }
    vec_clear(&found);
}

/* Some things are done to a heterogeneous job as a whole, or not at all. */
static int check_whole(const struct op *o, const Pb__JobRef *ref, struct err *err)
{
    const struct job *j = cluster_job(o->call->t->c, ref->job);
    bool requeues = o->what == PB__JOB_OP__OP_REQUEUE || o->what == PB__JOB_OP__OP_REQUEUE_HOLD;
    bool suspends = o->what == PB__JOB_OP__OP_SUSPEND || o->what == PB__JOB_OP__OP_RESUME;
    if (!j || !het_is(j) || !(requeues || suspends) || (het_leads(j) && !ref->has_het))
        return 0;
    return jobop_refuse(err, suspends       ? ESLURM_NOT_WHOLE_HET_JOB
                             : ref->has_het ? ESLURM_INVALID_JOB_ID
                                            : ESLURM_NOT_HET_JOB_LEADER);
}

void ctl_job_op(const struct ctl_call *call)
{
    const Pb__JobOpRequest *r = (Pb__JobOpRequest *)call->m;
    struct op o = { call, r->op };
    Pb__JobOpReply reply = PB__JOB_OP_REPLY__INIT;
    for (size_t i = 0; i < r->n_jobs; i++) {
        struct err err = ERR_INIT;
        int rc = r->op == PB__JOB_OP__OP_TOP ? priority_top_jobs(call, r, &err) : check_whole(&o, r->jobs[i], &err);
        if (!rc && r->op != PB__JOB_OP__OP_TOP)
            rc = refs_each(call->t, r->jobs[i], jobop_one, &o, &err);
        reply.results = mem_grow(reply.results, reply.n_results + 1, sizeof(*reply.results));
        reply.results[reply.n_results++] = refs_result(r->jobs[i], rc, &err);
        if (r->op == PB__JOB_OP__OP_TOP)
            break; /* that was all of them */
    }
    for (size_t i = 0; i < r->n_name; i++)
        by_name(&o, r->name[i], &reply);
    ctl_reply(call, MSG_JOB_OP_REPLY, &reply.base);
    refs_results_free(reply.results, reply.n_results);
}
