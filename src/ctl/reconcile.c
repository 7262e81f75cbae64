/* reconcile - what a job's record still needs from its nodes; see reconcile.h. */
#include "ctl/reconcile.h"

#include "core/step.h"
#include "ctl/act.h"
#include "ctl/het.h"

struct ordered { /* by this leader, for one attempt of a job */
    uint32_t attempt;
    bool launched, stopped, ended;
    VEC(uint32_t) new_steps; /* to be launched */
    char *notice;
};

struct reconcile {
    struct map by_job; /* job id -> struct ordered: jobs that hold nodes */
    VEC(uint32_t) changed;
};

void reconcile_open(struct ctl *t)
{
    t->reconcile = NEW(struct reconcile);
}

static void ordered_free(struct ordered *o)
{
    if (!o)
        return;
    vec_clear(&o->new_steps);
    free(o->notice);
    free(o);
}

void reconcile_close(struct ctl *t)
{
    size_t pos = 0;
    for (struct ordered *o; (o = map_next(&t->reconcile->by_job, &pos, NULL));)
        ordered_free(o);
    map_clear(&t->reconcile->by_job);
    vec_clear(&t->reconcile->changed);
    free(take(t->reconcile));
}

/* What is known of this attempt; a job that was started again begins anew. */
static struct ordered *ordered_of(struct ctl *t, const struct job *j)
{
    struct ordered *o = map_get(&t->reconcile->by_job, j->id);
    if (o && o->attempt == j->attempt)
        return o;
    ordered_free(o);
    o = NEW(struct ordered);
    o->attempt = j->attempt;
    map_put(&t->reconcile->by_job, j->id, o);
    return o;
}

/* Has the job its nodes, are they ready, and is it its turn?  The components of a heterogeneous job begin together. */
static bool may_run(const struct ctl *t, const struct job *j)
{
    if (j->state != JOB_RUNNING || j->unlaunched)
        return false;
    return !het_is(j) || het_ready(t, j);
}

/* An earlier leader has ordered what the records imply; nodes that register say what is missing. */
void reconcile_lead(struct ctl *t)
{
    for (const struct job *j = t->c->active.head; j; j = j->next) {
        struct ordered *o = ordered_of(t, j);
        o->launched = may_run(t, j) || (j->state == JOB_SUSPENDED && !j->unlaunched);
        o->stopped = j->state == JOB_SUSPENDED && !j->unlaunched;
        o->ended = j->state & JOB_COMPLETING;
        o->new_steps.n = 0;
    }
}

void reconcile_changed(struct ctl *t, const struct change *ch)
{
    if (ch->kind == CHANGE_STEP_NEW)
        vec_push(&ordered_of(t, ch->job)->new_steps, ch->event->step_start->step->id);
    vec_push(&t->reconcile->changed, ch->job->id);
}

void reconcile_notice(struct ctl *t, const struct job *j, const char *line)
{
    struct ordered *o = ordered_of(t, j);
    free(o->notice);
    o->notice = mem_str(line);
}

static void launch_steps(struct ctl *t, struct job *j, struct ordered *o)
{
    for (size_t i = 0; i < o->new_steps.n; i++) {
        const Pb__Step *s = step_find(j, o->new_steps.at[i]);
        if (s)
            act_step(t, j, s);
    }
    o->new_steps.n = 0;
}

static void reconcile_running(struct ctl *t, struct job *j, struct ordered *o)
{
    if (!o->launched)
        act_started(t, j);
    o->launched = true;
    if (o->stopped)
        act_pace(t, j, false);
    o->stopped = false;
    launch_steps(t, j, o);
}

static void reconcile_one(struct ctl *t, struct job *j)
{
    if (!job_holds_nodes(j)) {
        ordered_free(map_del(&t->reconcile->by_job, j->id));
        return;
    }
    struct ordered *o = ordered_of(t, j);
    if (j->state & JOB_COMPLETING) {
        if (!o->ended)
            act_terminate(t, j, o->notice);
        o->ended = true;
    } else if (may_run(t, j)) {
        reconcile_running(t, j, o);
    } else if (j->state == JOB_SUSPENDED && o->launched && !o->stopped) {
        act_pace(t, j, true);
        o->stopped = true;
    }
}

void reconcile_job(struct ctl *t, struct job *j)
{
    /* The first component last, so that its script finds the other components running. */
    for (uint32_t i = het_is(j) ? j->het_size : 0; i-- > 1;) {
        struct job *part = het_part(t->c, j, i);
        if (part)
            reconcile_one(t, part);
    }
    struct job *first = het_is(j) ? het_part(t->c, j, 0) : j;
    if (first)
        reconcile_one(t, first);
}

void reconcile_all(struct ctl *t)
{
    for (size_t i = 0; i < t->reconcile->changed.n; i++) {
        struct job *j = cluster_job(t->c, t->reconcile->changed.at[i]);
        if (j)
            reconcile_job(t, j);
        else
            ordered_free(map_del(&t->reconcile->by_job, t->reconcile->changed.at[i]));
    }
    t->reconcile->changed.n = 0;
}
