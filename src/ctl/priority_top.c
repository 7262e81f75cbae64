/*
 * priority_top - scontrol top: puts some jobs of a user before the user's other jobs.
 *
 * No other user's job is passed: what the named jobs gain in nice values, the user's other jobs lose, if there are any.
 * Where priorities are not calculated (priority/basic) the first just stand higher than the user's highest.
 */
#include "ctl/access.h"
#include "ctl/priority_top.h"

#include "ctl/refs.h"
#include "ctl/priority_update.h"
#include "ctl/spec_edit.h"
#include "ctl/work.h"

struct top { /* under way: the named jobs are gathered, then lifted, then the user's other jobs lowered */
    const struct ctl_call *call;
    const Pb__JobOpRequest *r;
    size_t nref;
    struct refs_walk walk;
    struct map named;           /* job id: each is lifted once */
    VEC(uint32_t) first, others;
    bool gathered;
    uint32_t uid, highest;      /* of the other jobs' priorities */
    size_t lifted, lowered;
    int64_t gained;
    int rc;
    struct err err;
};

static int top_refuse(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

static int top_collect(struct ctl *t, struct job *j, void *arg, struct err *err)
{
    struct top *top = arg;
    bool any = !site_param(t->site->scheduler_parameters, "enable_user_top");
    if (!access_may(t, top->call->peer, any ? RIGHT_TOP_ANY : RIGHT_TOP, j))
        return top_refuse(err, ESLURM_ACCESS_DENIED);
    if (j->state != JOB_PENDING)
        return top_refuse(err, job_ended(j) ? ESLURM_ALREADY_DONE : ESLURM_JOB_NOT_PENDING);
    if (j->hold)
        return top_refuse(err, ESLURM_JOB_HELD);
    if (top->first.n && top->uid != j->uid)
        return top_refuse(err, ESLURM_ACCESS_DENIED);
    top->uid = j->uid;
    if (!map_put(&top->named, j->id, top))
        vec_push(&top->first, j->id);
    return 0;
}

static bool top_gather(struct top *top)
{
    for (; !top->rc && top->nref < top->r->n_jobs; top->nref++)
        if (!refs_go_on(top->call, &top->walk, top->r->jobs[top->nref], top_collect, top, &top->rc, &top->err))
            return false;
    return true;
}

static void top_find_others(struct top *top)
{
    for (const struct job *j = top->call->t->c->pending.head; j && top->first.n; j = j->next)
        if (j->uid == top->uid && !j->hold && j->state == JOB_PENDING && !map_get(&top->named, j->id)) {
            vec_push(&top->others, j->id);
            top->highest = MAX(top->highest, job_priority(j));
        }
    top->gathered = true;
}

static int set_nice(struct ctl *t, struct job *j, int64_t by, struct err *err)
{
    EVENT(ev);
    Pb__EvUpdate e = PB__EV_UPDATE__INIT;
    auto_spec_edit struct spec_edit edit;
    spec_edit_begin(&edit, j);
    edit.spec->nice = (int32_t)MAX(MIN(edit.spec->nice + by, (int64_t)2147483645), (int64_t)-2147483645);
    spec_edit_put(&edit, t->c, &e);
    e.job_id = j->id;
    BODY(ev, UPDATE, update, &e);
    return ctl_emit(t, &ev, err);
}

static int set_priority(struct ctl *t, struct job *j, uint32_t priority, struct err *err)
{
    EVENT(ev);
    Pb__EvHold e = PB__EV_HOLD__INIT;
    e.job_id = j->id;
    e.priority = priority;
    BODY(ev, HOLD, hold, &e);
    return ctl_emit(t, &ev, err);
}

/* Put it above the user's other jobs by its nice value.  No priority is below 1, so the first step may not be enough.
 */
static int top_lift(struct ctl *t, struct job *j, int64_t want, int64_t *gained, struct err *err)
{
    int rc = 0;
    for (int tries = 0; !rc && tries < 3 && job_priority(j) < want; tries++) {
        int64_t more = want - job_priority(j);
        *gained += more;
        rc = set_nice(t, j, -more, err);
    }
    return rc;
}

/* The first of them highest, each one above the next. */
static bool top_lift_all(struct top *top)
{
    struct ctl *t = top->call->t;
    for (; !top->rc && top->others.n && top->lifted < top->first.n; top->lifted++) {
        if (work_over(top->call))
            return false;
        struct job *j = cluster_job(t->c, top->first.at[top->lifted]);
        int64_t want = (int64_t)top->highest + (int64_t)(top->first.n - top->lifted);
        want = MIN(want, (int64_t)UINT32_MAX - 2);
        if (!j || j->state != JOB_PENDING || job_priority(j) >= want)
            continue;
        top->rc = priority_update_conf(t)->basic ? set_priority(t, j, (uint32_t)want, &top->err)
                                                 : top_lift(t, j, want, &top->gained, &top->err);
    }
    return true;
}

static bool top_lower_others(struct top *top)
{
    struct ctl *t = top->call->t;
    int64_t each = top->others.n ? top->gained / (int64_t)top->others.n : 0;
    for (; !top->rc && each && top->lowered < top->others.n; top->lowered++) {
        if (work_over(top->call))
            return false;
        struct job *j = cluster_job(t->c, top->others.at[top->lowered]);
        if (j && j->state == JOB_PENDING)
            top->rc = set_nice(t, j, each, &top->err);
    }
    return true;
}

static bool top_go_on(const struct ctl_call *call, void *state)
{
    struct top *top = state;
    top->call = call;
    if (!top_gather(top))
        return false;
    if (!top->gathered)
        top_find_others(top);
    if (!top_lift_all(top) || !top_lower_others(top))
        return false;
    Pb__JobOpReply reply = PB__JOB_OP_REPLY__INIT;
    Pb__RefResult *result = refs_result(top->r->jobs[0], top->rc, &top->err);
    reply.results = &result, reply.n_results = 1;
    ctl_reply(call, MSG_JOB_OP_REPLY, &reply.base);
    refs_result_free(result);
    return true;
}

static void top_free(void *state)
{
    struct top *top = state;
    refs_walk_clear(&top->walk);
    map_clear(&top->named);
    vec_clear(&top->first);
    vec_clear(&top->others);
    free(top);
}

void priority_top_jobs(const struct ctl_call *call, const Pb__JobOpRequest *r)
{
    struct top *top = NEW(struct top);
    top->r = r;
    work_run(call, top, top_go_on, top_free);
}
