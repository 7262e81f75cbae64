/*
 * step_wait - steps that wait for others of their job to end; see step.h.
 *
 * They are tried in the order they came in, whenever a step ends; a later one that fits goes.
 */
#include "core/step.h"
#include "ctl/het_step.h"

#define AT_ONCE_MS 250

struct step_waits {
    VEC(struct held_step) held; /* in the order they came in */
};

static void step_wait_drop(struct ctl *t, size_t i)
{
    struct held_step *w = &t->step_wait->held.at[i];
    step_ask_clear(&w->ask);
    if (w->het)
        pb__step_request__free_unpacked(w->het, NULL);
    else
        pb__step_spec__free_unpacked(w->spec, NULL);
    vec_remove(&t->step_wait->held, i);
}

static void step_wait_refuse(struct ctl *t, size_t i, int code)
{
    const struct held_step *w = &t->step_wait->held.at[i];
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = code;
    f.text = (char *)err_text(code);
    ctl_say(t, w->session, MSG_FAILURE, 0, w->number, &f.base);
    step_wait_drop(t, i);
}

/* --immediate: wait as long as it may take until the end of a step is reported here, after its srun knows it. */
static int64_t step_wait_until(const struct ctl *t, const Pb__StepSpec *spec)
{
    if (!spec->immediate_s)
        return 0;
    return t->now_ms + MAX((int64_t)(spec->immediate_s - 1) * 1000, AT_ONCE_MS);
}

static void hold_back(const struct ctl_call *call, const struct held_step *w)
{
    struct ctl *t = call->t;
    vec_push(&t->step_wait->held, *w);
    if (w->until_ms)
        timer_add(&t->timers, w->until_ms, TIMER_STEP_WAIT, w->job_id, 0);
    Pb__StepReply r = PB__STEP_REPLY__INIT;
    Pb__Step s = PB__STEP__INIT;
    s.id = PB__STEP_NUMBER__STEP_PENDING_ID;
    s.pending = true;
    r.job_id = w->job_id;
    r.step = &s;
    ctl_reply(call, MSG_STEP_REPLY, &r.base);
}

static struct held_step wait_of(const struct ctl_call *call, const struct job *j, const Pb__StepSpec *spec)
{
    return (struct held_step){ .session = call->session,
                               .number = call->number,
                               .job_id = j->id,
                               .attempt = j->attempt,
                               .asked_s = NOW_S(call->t),
                               .until_ms = step_wait_until(call->t, spec),
                               .peer = *call->peer };
}

void step_wait_add(const struct ctl_call *call, const struct job *j, const Pb__StepSpec *spec, struct step_ask *ask)
{
    struct held_step w = wait_of(call, j, spec);
    w.spec = PB_DUP(Pb__StepSpec, spec);
    w.ask = *ask;
    hold_back(call, &w);
}

void step_wait_het(const struct ctl_call *call, const Pb__StepRequest *r)
{
    const struct job *j = cluster_job(call->t->c, r->job_id);
    struct held_step w = wait_of(call, j, r->spec);
    w.het = PB_DUP(Pb__StepRequest, r);
    w.het_job = j->het_job;
    w.spec = w.het->spec;
    hold_back(call, &w);
}

/* The refused step asked for a plain number of tasks on any node: a step that asks for as much need not be tried. */
static bool step_wait_plain(const struct step_ask *b)
{
    return b->tasks && !b->overlap && !b->req.ngres && !b->in.n && !b->out.n && !b->hosts.n && !b->first &&
           !b->mem_per_node_mb && !b->mem_per_cpu_mb && !b->mem_per_gpu_mb && !b->per_core && !b->threads_per_core;
}

static bool as_hopeless(const struct step_ask *a, const struct step_ask *b)
{
    return b && step_wait_plain(b) && !a->overlap && !a->overcommit && a->exact == b->exact &&
           a->any_gres == b->any_gres && a->min_nodes >= b->min_nodes && a->tasks >= b->tasks &&
           a->cpus_per_task >= b->cpus_per_task;
}

static bool step_wait_try(struct ctl *t, struct job *j, size_t i)
{
    struct held_step *w = &t->step_wait->held.at[i];
    struct err err = ERR_INIT;
    if (w->het) {
        bool begun = het_step_try(t, w->session, w->number, w->het, &w->peer, &err);
        if (!begun && err.code == ESLURM_NODES_BUSY)
            return false;
        if (begun)
            step_wait_drop(t, i);
        else
            step_wait_refuse(t, i, err.code);
        return true;
    }
    const Pb__Step *s = step_begin(t, j, w->spec, &w->ask, &err);
    if (!s && err.code == ESLURM_NODES_BUSY)
        return false;
    if (!s) {
        step_wait_refuse(t, i, err.code);
        return true;
    }
    step_answer(t, w->session, w->number, j, s);
    step_wait_drop(t, i);
    return true;
}

/* The job changed: begin the steps that fit now; if it has ended, refuse them all. */
static void try_steps(struct ctl *t, uint32_t job_id)
{
    struct job *j = t->step_wait->held.n ? cluster_job(t->c, job_id) : NULL;
    const struct step_ask *failed = NULL;
    for (size_t i = 0; i < t->step_wait->held.n; i++) {
        struct held_step *w = &t->step_wait->held.at[i];
        bool other = w->het && j && w->job_id != job_id && w->het_job == j->het_job; /* a component of its job */
        if (w->job_id != job_id && !other)
            continue;
        if (!j || (!other && j->attempt != w->attempt) || job_ended(j) || (j->state & JOB_COMPLETING)) {
            step_wait_refuse(t, i--, ESLURM_ALREADY_DONE);
            continue;
        }
        if (j->state != JOB_RUNNING || (!w->het && as_hopeless(&w->ask, failed)))
            continue;
        if (step_wait_try(t, j, i)) {
            failed = NULL; /* it may have pointed into what just moved */
            i--;
        } else {
            failed = w->het ? failed : &t->step_wait->held.at[i].ask;
        }
    }
}

void step_wait_changed(struct ctl *t, const struct change *ch)
{
    /* A step may have ended on one of its nodes alone. */
    bool over = ch->kind != CHANGE_STEP_OVER || !step_find(ch->job, ch->event->step_end->step_id);
    if (t->step_wait->held.n && over)
        try_steps(t, ch->job->id);
}

void step_wait_timer(struct ctl *t, const struct timer_entry *e)
{
    uint32_t job_id = e->id;
    for (size_t i = 0; i < t->step_wait->held.n; i++) {
        const struct held_step *w = &t->step_wait->held.at[i];
        if (w->job_id == job_id && w->until_ms && w->until_ms <= t->now_ms)
            step_wait_refuse(t, i--, ESLURM_NODES_BUSY);
    }
}

void step_wait_session_closed(struct ctl *t, uint64_t session)
{
    for (size_t i = 0; i < t->step_wait->held.n; i++)
        if (t->step_wait->held.at[i].session == session)
            step_wait_drop(t, i--);
}

void step_wait_open(struct ctl *t)
{
    t->step_wait = NEW(struct step_waits);
}

void step_wait_close(struct ctl *t)
{
    while (t->step_wait->held.n)
        step_wait_drop(t, t->step_wait->held.n - 1);
    vec_clear(&t->step_wait->held);
    free(take(t->step_wait));
}

bool step_wait_each(const struct ctl *t, uint32_t job_id, size_t *i, Pb__Step *out)
{
    for (; *i < t->step_wait->held.n; (*i)++) {
        const struct held_step *w = &t->step_wait->held.at[*i];
        if (w->job_id != job_id)
            continue;
        pb__step__init(out);
        out->id = PB__STEP_NUMBER__STEP_PENDING_ID;
        out->pending = true;
        out->spec = w->spec;
        (*i)++;
        return true;
    }
    return false;
}
