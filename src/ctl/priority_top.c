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

struct top {
    const struct ctl_call *call;
    VEC(struct job *) first, others;
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
    if (top->first.n && top->first.at[0]->uid != j->uid)
        return top_refuse(err, ESLURM_ACCESS_DENIED);
    vec_push(&top->first, j);
    return 0;
}

static bool is_first(const struct top *top, const struct job *j)
{
    for (size_t i = 0; i < top->first.n; i++)
        if (top->first.at[i] == j)
            return true;
    return false;
}

static uint32_t find_others(struct top *top)
{
    uint32_t highest = 0;
    const struct job *one = top->first.at[0];
    for (struct job *j = top->call->t->c->pending.head; j; j = j->next)
        if (j->uid == one->uid && !j->hold && j->state == JOB_PENDING && !is_first(top, j)) {
            vec_push(&top->others, j);
            highest = MAX(highest, job_priority(j));
        }
    return highest;
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
static int top_reorder(struct top *top, uint32_t highest, struct err *err)
{
    struct ctl *t = top->call->t;
    int64_t gained = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < top->first.n; i++) {
        struct job *j = top->first.at[i];
        int64_t want = MIN((int64_t)highest + (int64_t)(top->first.n - i), (int64_t)UINT32_MAX - 2);
        if (job_priority(j) < want)
            rc = priority_update_conf(t)->basic ? set_priority(t, j, (uint32_t)want, err)
                                                : top_lift(t, j, want, &gained, err);
    }
    int64_t each = top->others.n ? gained / (int64_t)top->others.n : 0;
    for (size_t i = 0; !rc && each && i < top->others.n; i++)
        rc = set_nice(t, top->others.at[i], each, err);
    return rc;
}

int priority_top_jobs(const struct ctl_call *call, const Pb__JobOpRequest *r, struct err *err)
{
    struct top top = { .call = call };
    int rc = 0;
    for (size_t i = 0; !rc && i < r->n_jobs; i++)
        rc = refs_each(call->t, r->jobs[i], top_collect, &top, err);
    if (!rc && top.first.n) {
        uint32_t highest = find_others(&top);
        rc = top.others.n ? top_reorder(&top, highest, err) : 0;
    }
    vec_clear(&top.first);
    vec_clear(&top.others);
    return rc;
}
