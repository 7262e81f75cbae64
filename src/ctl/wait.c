/* wait - replies that come later; see wait.h. */
#include "ctl/access.h"
#include "ctl/wait.h"

#include "ctl/end.h"
#include "ctl/het.h"
#include "ctl/request.h"
#include "core/step.h"

struct waiter { /* a reply that comes later */
    uint64_t session, number;
    enum msg_type reply; /* START_REPLY or WAIT_REPLY */
    bool start;          /* until the job begins; else until it has ended */
    bool has_step;       /* until this step of its job has ended */
    uint32_t step;
    bool submitter;      /* the connection that submitted the job: closing it gives a pending allocation up */
    VEC(uint32_t) jobs;
};

struct refusal { /* of a step's launch, kept for an srun that has not begun to wait */
    uint32_t job, step, attempt, code, node_index;
    char *text, *node;
};
#define REFUSALS_KEPT 64u

struct waits {
    VEC(struct waiter) waiters;
    struct map waited; /* job id -> number of waiters on it */
    struct refusal refusal[REFUSALS_KEPT]; /* the latest, in a ring */
    size_t refusals;
};

static void refusal_clear(struct refusal *r)
{
    free(r->text);
    free(r->node);
    *r = (struct refusal){ 0 };
}

void wait_open(struct ctl *t)
{
    t->wait = NEW(struct waits);
}

void wait_close(struct ctl *t)
{
    for (size_t i = 0; i < t->wait->waiters.n; i++)
        vec_clear(&t->wait->waiters.at[i].jobs);
    vec_clear(&t->wait->waiters);
    map_clear(&t->wait->waited);
    for (size_t i = 0; i < REFUSALS_KEPT; i++)
        refusal_clear(&t->wait->refusal[i]);
    free(take(t->wait));
}

static void wait_count(struct ctl *t, uint32_t job, int by)
{
    uintptr_t n = (uintptr_t)map_get(&t->wait->waited, job);
    map_put(&t->wait->waited, job, (void *)(n + (uintptr_t)(intptr_t)by));
}

static bool array_ended(const struct ctl *t, uint32_t id, bool *any)
{
    struct array_group *g = cluster_array(t->c, id);
    for (size_t i = 0; g && i < g->jobs.n; i++) {
        *any = true;
        if (!job_ended(g->jobs.at[i]))
            return false;
    }
    return true;
}

/* Has what this waiter waits for happened to `id`?  A job that is gone has ended. */
static bool wait_happened(const struct ctl *t, const struct waiter *w, uint32_t id)
{
    bool any = false;
    if (!w->start && !array_ended(t, id, &any))
        return false;
    struct job *j = cluster_job(t->c, id);
    if (!j || (w->has_step && !job_pending(j) && !step_find(j, w->step)))
        return true;
    return w->start ? j->state != JOB_PENDING : job_ended(j);
}

static bool wait_over(const struct ctl *t, const struct waiter *w)
{
    for (size_t i = 0; i < w->jobs.n; i++)
        if (!wait_happened(t, w, w->jobs.at[i]))
            return false;
    return true;
}

static void fill_start(struct ctl *t, struct job *j, Pb__StartReply *r)
{
    pb__start_reply__init(r);
    if (j)
        r->job_id = j->id, r->job = cluster_job_message(t->c, j);
    if (!j || job_ended(j)) {
        r->code = ESLURM_ALREADY_DONE;
        r->text = (char *)err_text(ESLURM_ALREADY_DONE);
    } else if (r->job->n_steps) {
        r->step = r->job->steps[0]; /* as in every reply: without environment and token */
    }
}

static void answer_start(struct ctl *t, const struct waiter *w)
{
    struct job *j = cluster_job(t->c, w->jobs.at[0]);
    size_t n = j && het_leads(j) ? j->het_size : 1;
    auto_free Pb__StartReply *r = mem_array(n, sizeof(*r));
    auto_free Pb__StartReply **more = mem_array(n, sizeof(*more));
    fill_start(t, j, &r[0]);
    r[0].job_id = w->jobs.at[0];
    for (size_t i = 1; i < n; i++) {
        fill_start(t, het_part(t->c, j, (uint32_t)i), &r[i]);
        more[i - 1] = &r[i];
    }
    r[0].het = more;
    r[0].n_het = n - 1;
    ctl_say(t, w->session, w->reply, 0, w->number, &r[0].base);
    for (size_t i = 0; i < n; i++)
        if (r[i].job)
            pb__job__free_unpacked(r[i].job, NULL);
}

static void answer_end(struct ctl *t, const struct waiter *w)
{
    VEC(Pb__Job *) jobs = { 0 };
    for (size_t i = 0; !w->has_step && i < w->jobs.n; i++) {
        struct array_group *g = cluster_array(t->c, w->jobs.at[i]);
        struct job *j = cluster_job(t->c, w->jobs.at[i]);
        for (size_t k = 0; g && k < g->jobs.n; k++)
            vec_push(&jobs, cluster_job_message(t->c, g->jobs.at[k]));
        if (j && !g)
            vec_push(&jobs, cluster_job_message(t->c, j));
    }
    Pb__WaitReply r = PB__WAIT_REPLY__INIT;
    r.jobs = jobs.at;
    r.n_jobs = jobs.n;
    ctl_say(t, w->session, w->reply, 0, w->number, &r.base);
    for (size_t i = 0; i < jobs.n; i++)
        pb__job__free_unpacked(jobs.at[i], NULL);
    vec_clear(&jobs);
}

static void wait_answer(struct ctl *t, const struct waiter *w)
{
    if (w->reply == MSG_START_REPLY)
        answer_start(t, w);
    else
        answer_end(t, w);
}

static void wait_drop(struct ctl *t, size_t i)
{
    struct waiter *w = &t->wait->waiters.at[i];
    for (size_t k = 0; k < w->jobs.n; k++)
        wait_count(t, w->jobs.at[k], -1);
    vec_clear(&w->jobs);
    t->wait->waiters.at[i] = t->wait->waiters.at[--t->wait->waiters.n];
}

static void wait_add(struct ctl *t, struct waiter w, const uint32_t *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&w.jobs, jobs[i]);
    if (wait_over(t, &w)) {
        wait_answer(t, &w);
        vec_clear(&w.jobs);
        return;
    }
    for (size_t i = 0; i < n; i++)
        wait_count(t, jobs[i], 1);
    vec_push(&t->wait->waiters, w);
}

void wait_submitted(const struct ctl_call *call, uint32_t job_id)
{
    struct waiter w = {
        .session = call->session, .number = call->number, .reply = MSG_START_REPLY, .start = true, .submitter = true
    };
    wait_add(call->t, w, &job_id, 1);
}

void wait_notify(struct ctl *t, uint32_t job_id)
{
    if (!map_get(&t->wait->waited, job_id))
        return;
    for (size_t i = 0; i < t->wait->waiters.n; i++) {
        bool mine = false;
        for (size_t k = 0; k < t->wait->waiters.at[i].jobs.n; k++)
            mine |= t->wait->waiters.at[i].jobs.at[k] == job_id;
        if (!mine || !wait_over(t, &t->wait->waiters.at[i]))
            continue;
        wait_answer(t, &t->wait->waiters.at[i]);
        wait_drop(t, i--);
    }
}

/* ---- launches that a node refuses ---- */

static void answer_refusal(struct ctl *t, uint64_t session, uint64_t number, const struct refusal *f)
{
    Pb__WaitReply r = PB__WAIT_REPLY__INIT;
    r.code = f->code, r.text = f->text, r.node = f->node, r.node_index = f->node_index;
    ctl_say(t, session, MSG_WAIT_REPLY, 0, number, &r.base);
}

static bool refusal_find_waiter(struct ctl *t, const struct refusal *f, size_t *at)
{
    if (!map_get(&t->wait->waited, f->job))
        return false;
    for (*at = 0; *at < t->wait->waiters.n; ++*at) {
        const struct waiter *w = &t->wait->waiters.at[*at];
        if (w->has_step && w->step == f->step && w->jobs.at[0] == f->job)
            return true;
    }
    return false;
}

/* The place of the node in the step, counted over all components of a heterogeneous job. */
static uint32_t step_position(const Pb__Step *s, uint32_t pos)
{
    uint32_t i = 0;
    while (i < s->n_node && s->node[i] != pos)
        i++;
    return i + (s->spec && s->spec->het ? s->spec->het->first_node : 0);
}

void wait_launch_refused(struct ctl *t, const struct job *j, uint32_t pos, const Pb__Report *r)
{
    const Pb__Step *s = step_find(j, r->step_id);
    const Pb__HetStep *het = s && s->spec ? s->spec->het : NULL;
    if (!s)
        return;
    struct refusal f = { .job = het ? het->job_id : j->id,
                         .step = het ? het->step_id : s->id,
                         .attempt = j->attempt,
                         .code = (uint32_t)r->launch_error,
                         .node_index = step_position(s, pos),
                         .text = mem_str(str_or(r->text, "")),
                         .node = mem_str(t->c->node[j->alloc.at[pos].node].name) };
    size_t at;
    if (refusal_find_waiter(t, &f, &at)) {
        answer_refusal(t, t->wait->waiters.at[at].session, t->wait->waiters.at[at].number, &f);
        wait_drop(t, at);
        refusal_clear(&f);
        return;
    }
    struct refusal *kept = &t->wait->refusal[t->wait->refusals++ % REFUSALS_KEPT];
    refusal_clear(kept);
    *kept = f;
}

/* An srun that begins to wait after its step was refused. */
static bool refused_before(struct ctl *t, const struct ctl_call *call, const Pb__WaitRequest *q)
{
    const struct job *j = cluster_job(t->c, q->job_id[0]);
    for (size_t i = 0; q->has_step && j && i < REFUSALS_KEPT; i++) {
        struct refusal *f = &t->wait->refusal[i];
        if (!f->code || f->job != j->id || f->step != q->step || f->attempt != j->attempt)
            continue;
        answer_refusal(t, call->session, call->number, f);
        refusal_clear(f);
        return true;
    }
    return false;
}

void wait_changed(struct ctl *t, const struct change *ch)
{
    uint32_t id = ch->job->id, array = ch->job->array_job;
    wait_notify(t, id);
    if (array && array != id)
        wait_notify(t, array);
}

static void cancel_pending(struct ctl *t, uint32_t id)
{
    struct job *j = cluster_job(t->c, id);
    struct err err = ERR_INIT;
    if (j && j->state == JOB_PENDING && j->spec->kind != PB__JOB_KIND__KIND_BATCH)
        end_job(t, j,
                &(struct end){ .state = JOB_CANCELLED, .by_user = true, .uid = j->uid, .done_node = UINT32_MAX }, &err);
}

/* An srun or salloc that disconnects while its allocation is pending does not want it any more.  Any other connection
 * that waits for the job may close without effect. */
void wait_session_closed(struct ctl *t, uint64_t session)
{
    for (size_t i = 0; i < t->wait->waiters.n; i++) {
        if (t->wait->waiters.at[i].session != session)
            continue;
        bool submitter = t->wait->waiters.at[i].submitter;
        uint32_t id = t->wait->waiters.at[i].jobs.at[0];
        wait_drop(t, i--);
        if (submitter)
            cancel_pending(t, id);
    }
}

/* May the caller wait for job or array `id`? */
static int check_job(const struct ctl_call *call, uint32_t id)
{
    const struct array_group *g = cluster_array(call->t->c, id);
    const struct job *j = cluster_job(call->t->c, id);
    if (!j && g && g->jobs.n)
        j = g->jobs.at[0];
    if (!j)
        return ESLURM_INVALID_JOB_ID;
    return access_may(call->t, call->peer, RIGHT_WAIT, j) ? 0 : ESLURM_USER_ID_MISSING;
}

/* The key of a submission is known to the command that made it alone. */
static bool shows_key(const struct ctl_call *call, const Pb__WaitRequest *r)
{
    return r->key.len == 16 && cluster_key(call->t->c, r->key.data, call->peer->uid) == r->job_id[0];
}

void ctl_wait(const struct ctl_call *call)
{
    const Pb__WaitRequest *r = (Pb__WaitRequest *)call->m;
    if (!r->n_job_id || r->n_job_id > 1000) {
        ctl_fail(call, EINVAL, "wait for 1 to 1000 jobs");
        return;
    }
    for (size_t i = 0; i < r->n_job_id; i++) {
        int code = check_job(call, r->job_id[i]);
        if (code) {
            ctl_fail(call, code, "%s", err_text(code));
            return;
        }
    }
    if (refused_before(call->t, call, r))
        return;
    struct waiter w = { .session = call->session,
                        .number = call->number,
                        .has_step = r->has_step && !r->start,
                        .step = r->step,
                        .reply = r->start ? MSG_START_REPLY : MSG_WAIT_REPLY,
                        .start = r->start,
                        .submitter = r->start && shows_key(call, r) };
    wait_add(call->t, w, r->job_id, r->start ? 1 : r->n_job_id);
}
