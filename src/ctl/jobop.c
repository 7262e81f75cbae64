/* jobop - scontrol hold, release, requeue, suspend, resume. */
#include <signal.h>

#include "ctl/access.h"
#include "ctl/het.h"
#include "ctl/job_filter.h"
#include "ctl/priority_update.h"
#include "ctl/refs.h"
#include "ctl/priority_top.h"
#include "ctl/end.h"
#include "ctl/plan.h"
#include "ctl/request.h"
#include "ctl/work.h"

struct named_job {
    size_t name; /* which of the request's */
    size_t pos;  /* in the queue */
    uint32_t id;
};

struct op { /* an operation under way: first on jobs by reference, then on jobs by name */
    const struct ctl_call *call;
    const Pb__JobOpRequest *r;
    Pb__JobOp what;
    size_t nref;
    struct refs_walk walk;
    bool gathered; /* the jobs of all names, in the order of the names */
    VEC(struct named_job) jobs;
    size_t at;
    Pb__JobOpReply reply;
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

static void jobop_add(struct op *o, const Pb__JobRef *ref, int rc, const struct err *err)
{
    Pb__JobOpReply *reply = &o->reply;
    reply->results = mem_grow(reply->results, reply->n_results + 1, sizeof(*reply->results));
    reply->results[reply->n_results++] = refs_result(ref, rc, err);
}

static int by_name_and_place(const void *a, const void *b)
{
    const struct named_job *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* hold, release by name: the caller's jobs of that name (of all users, for an administrator). */
static void jobop_gather(struct op *o)
{
    struct ctl *t = o->call->t;
    struct name_set names;
    size_t pos = 0;
    name_set_init(&names, o->r->name, o->r->n_name);
    for (const struct job *j = t->c->pending.head; j; j = j->next, pos++) {
        size_t name = name_set_find(&names, j->spec->name);
        if (name && access_has(t, o->call->peer, RIGHT_HOLD, j))
            vec_push(&o->jobs, ((struct named_job){ name, pos, j->id }));
    }
    name_set_clear(&names);
    if (o->jobs.n)
        qsort(o->jobs.at, o->jobs.n, sizeof(*o->jobs.at), by_name_and_place);
    o->gathered = true;
}

static bool jobop_by_name(struct op *o)
{
    struct ctl *t = o->call->t;
    if (o->r->n_name && !o->gathered)
        jobop_gather(o);
    for (; o->at < o->jobs.n; o->at++) {
        struct err err = ERR_INIT;
        Pb__JobRef ref = PB__JOB_REF__INIT;
        if (work_over(o->call))
            return false;
        struct job *j = cluster_job(t->c, ref.job = o->jobs.at[o->at].id);
        if (j)
            jobop_add(o, &ref, jobop_one(t, j, o, &err), &err);
    }
    return true;
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

static bool jobop_by_ref(struct op *o)
{
    for (; o->nref < o->r->n_jobs; o->nref++) {
        struct err err = ERR_INIT;
        const Pb__JobRef *ref = o->r->jobs[o->nref];
        int rc = o->walk.begun ? 0 : check_whole(o, ref, &err);
        if (!rc && !refs_go_on(o->call, &o->walk, ref, jobop_one, o, &rc, &err))
            return false;
        jobop_add(o, ref, rc, &err);
    }
    return true;
}

static bool jobop_go_on(const struct ctl_call *call, void *state)
{
    struct op *o = state;
    o->call = call;
    if (!jobop_by_ref(o) || !jobop_by_name(o))
        return false;
    ctl_reply(call, MSG_JOB_OP_REPLY, &o->reply.base);
    return true;
}

static void jobop_free(void *state)
{
    struct op *o = state;
    refs_results_free(o->reply.results, o->reply.n_results);
    refs_walk_clear(&o->walk);
    vec_clear(&o->jobs);
    free(o);
}

void ctl_job_op(const struct ctl_call *call)
{
    const Pb__JobOpRequest *r = (Pb__JobOpRequest *)call->m;
    if (r->op == PB__JOB_OP__OP_TOP && r->n_jobs) {
        priority_top_jobs(call, r);
        return;
    }
    struct op *o = NEW(struct op);
    o->r = r;
    o->what = o->r->op;
    pb__job_op_reply__init(&o->reply);
    work_run(call, o, jobop_go_on, jobop_free);
}
