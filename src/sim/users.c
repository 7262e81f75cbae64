/* users - simulated users: every request is repeated unchanged until it is answered. */
#include "sim/world.h"

#define PATIENCE_MS 15000

void users_start(struct sim *s)
{
    int64_t at = 4000;
    /* Enough jobs to keep the cluster full for a while, whatever its size. */
    int64_t gap = s->conf.jobs ? MAX(600000LL / s->conf.jobs, 1) : 1;
    for (uint32_t i = 0; i < s->conf.jobs + s->conf.jobs / 2; i++) {
        at += rng_range(&s->request_rng, 0, gap * 4 / 3);
        sim_push(s, at, W_OP, 0, 0, NULL);
    }
    s->quiet_ms = at + 300000;
    sim_push(s, s->quiet_ms, W_SWEEP, 0, 0, NULL);
}

void user_act(struct sim *s)
{
    bool submit = s->submitted < s->conf.jobs && (s->submitted < 3 || rng_chance(&s->request_rng, 67));
    if (submit)
        wish_submit(s);
    else
        wish_other(s);
}

static void user_send(struct sim *s, uint32_t i)
{
    struct op *op = &s->ops.at[i];
    struct session *n = net_open(s, false, i);
    op->tries++;
    s->stats.retries += op->tries > 1;
    op->session = n ? n->id : 0;
    if (n)
        net_send_bytes(s, n->id, op->type, op->tries, op->body.s, op->body.len);
    sim_push(s, s->now_ms + PATIENCE_MS + rng_range(&s->request_rng, 0, 5000), W_OP_AGAIN, i, 0, NULL);
}

void user_ask(struct sim *s, enum op_kind kind, enum msg_type type, uint32_t uid, uint32_t job,
              const ProtobufCMessage *m)
{
    struct op op = { .kind = kind, .type = type, .uid = uid, .job = job };
    pb_pack(&op.body, m);
    vec_push(&s->ops, op);
    user_send(s, (uint32_t)s->ops.n - 1);
}

/* A simulated user waits for the end of a job as long as the connection holds. */
void user_again(struct sim *s, uint32_t i)
{
    struct op *op = &s->ops.at[i];
    if (op->done)
        return;
    if ((op->kind == OP_KIND_WAIT || op->waits) && net_find(s, op->session)) {
        sim_push(s, s->now_ms + PATIENCE_MS * 4, W_OP_AGAIN, i, 0, NULL);
        return;
    }
    net_cut(s, op->session, 5);
    user_send(s, i);
}

static void user_finish(struct sim *s, struct op *op)
{
    op->done = true;
    net_cut(s, op->session, 5);
    buf_clear(&op->body);
}

static void wait_for(struct sim *s, uint32_t uid, uint32_t job)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    w.job_id = &job;
    w.n_job_id = 1;
    user_ask(s, OP_KIND_WAIT, MSG_WAIT, uid, job, &w.base);
}

static void on_submitted(struct sim *s, uint32_t i, const Pb__SubmitReply *r)
{
    struct op *op = &s->ops.at[i];
    if (r->code) {
        s->stats.refused++;
        sim_tell(s, "refused: %s", r->text);
        user_finish(s, op);
        return;
    }
    struct track *t = check_track(s, r->job_id);
    bool first = !t->acked;
    t->acked = true;
    if (op->job && op->job != r->job_id)
        sim_break(s, "one submission became two jobs, %u and %u", op->job, r->job_id);
    op->job = r->job_id;
    if (first) {
        s->stats.jobs_acked++;
        vec_push(&s->acked, r->job_id);
    }
    check_acked(s, r->job_id);
    uint32_t uid = op->uid;
    user_finish(s, op);
    if (first && rng_chance(&s->request_rng, 10))
        wait_for(s, uid, r->job_id);
}

static void on_waited(struct sim *s, const Pb__WaitReply *r)
{
    for (size_t i = 0; i < r->n_jobs; i++)
        if ((r->jobs[i]->state & JOB_STATE_BASE) <= JOB_SUSPENDED)
            sim_break(s, "a user was told that job %u has ended, and it is %s", r->jobs[i]->id,
                      job_state_name(r->jobs[i]->state));
}

void user_mail(struct sim *s, struct mail *m)
{
    struct session *n = net_find(s, m->session);
    struct op *op = n ? &s->ops.at[n->owner] : NULL;
    if (!op || op->done || op->session != m->session) {
        mail_free(m);
        return;
    }
    uint32_t i = n->owner;
    ProtobufCMessage *p = protobuf_c_message_unpack(msg_descriptor(m->type), NULL, m->len, (uint8_t *)m->body);
    if (!p)
        sim_break(s, "a user got a %s that does not parse", msg_name(m->type));
    else if (m->type == MSG_SUBMIT_REPLY)
        on_submitted(s, i, (Pb__SubmitReply *)p);
    else if (m->type == MSG_WAIT_REPLY)
        on_waited(s, (Pb__WaitReply *)p);
    else if (s->conf.rules && m->type == MSG_DONE && ((Pb__Done *)p)->code)
        sim_tell(s, "not done: %s", ((Pb__Done *)p)->text);
    bool later = p && m->type == MSG_STEP_REPLY && step_reply_received(s, i, (Pb__StepReply *)p);
    if (!s->ops.at[i].done && !later)
        user_finish(s, &s->ops.at[i]);
    if (p)
        protobuf_c_message_free_unpacked(p, NULL);
    mail_free(m);
}

/* ---- the end ---- */

static void job_op(struct sim *s, Pb__JobOp what, uint32_t job)
{
    Pb__JobOpRequest r = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = job;
    r.op = what;
    r.jobs = refs, r.n_jobs = 1;
    user_ask(s, OP_KIND_OTHER, MSG_JOB_OP, 0, job, &r.base);
}

static void user_cancel(struct sim *s, uint32_t job)
{
    Pb__CancelRequest r = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = job;
    r.jobs = refs, r.n_jobs = 1;
    user_ask(s, OP_KIND_OTHER, MSG_CANCEL, 0, job, &r.base);
}

/* Longer than any of its partitions allows. */
static bool too_long(const struct cluster *c, const struct job *j)
{
    const char *pos = j->partition;
    bool fits = false;
    for (char *name; (name = str_next(&pos, ",")); free(name)) {
        const struct part *p = cluster_part(c, name);
        fits |= p && (!p->pb->max_time_min || j->time_limit_min <= p->pb->max_time_min);
    }
    return !fits;
}

/* It waits for what will not happen: a failed dependency, a partition that is too small, a missing program. */
static bool job_never_starts(const struct cluster *c, const struct job *j)
{
    static const enum why_code hopeless[] = { WHY_PART_TIME_LIMIT, WHY_PART_NODE_LIMIT, WHY_PART_CONFIG,
                                              WHY_BAD_CONSTRAINTS, WHY_DEPEND_NEVER };
    bool failed = (j->hold && j->reason == WHY_LAUNCH_FAILED_HELD) || too_long(c, j);
    failed |= j->het_job && !j->hold && !c->active.n; /* components that do not fit beside each other on any nodes */
    failed |= rules_never(j);
    for (size_t i = 0; i < ARRAY_LEN(hopeless); i++)
        failed |= !j->hold && j->why.code == hopeless[i];
    return failed;
}

static void free_nodes(struct sim *s, const struct cluster *c)
{
    for (size_t i = 0; i < c->nnodes; i++) {
        if (!(c->node[i].state & NODE_DRAIN) && node_base(&c->node[i]) != NODE_DOWN)
            continue;
        Pb__UpdateRequest r = PB__UPDATE_REQUEST__INIT;
        Pb__Pair name = PB__PAIR__INIT, state = PB__PAIR__INIT, *pairs[] = { &name, &state };
        name.key = (char *)"NodeName", name.value = c->node[i].name;
        state.key = (char *)"State", state.value = (char *)"RESUME";
        r.kind = 1, r.pairs = pairs, r.n_pairs = 2;
        user_ask(s, OP_KIND_OTHER, MSG_UPDATE, 0, 0, &r.base);
    }
}

bool users_content(const struct sim *s)
{
    for (size_t i = 0; i < s->ops.n; i++)
        if (!s->ops.at[i].done)
            return false;
    return true;
}

void user_sweep(struct sim *s)
{
    if (users_content(s) && check_empty(s)) {
        s->over = true;
        return;
    }
    sim_push(s, s->now_ms + 60000, W_SWEEP, 0, 0, NULL);
    if (s->leader == NO_LEADER || s->ctl[s->leader].lead_wanted)
        return;
    const struct cluster *c = ctl_cluster(s->ctl[s->leader].t);
    free_nodes(s, c);
    rules_sweep(s, c);
    for (const struct job *j = c->pending.head; j; j = j->next) {
        if (job_never_starts(c, j))
            user_cancel(s, j->het_job ? j->het_job : j->id);
        else if (j->hold)
            job_op(s, PB__JOB_OP__OP_RELEASE, j->id);
    }
    for (const struct job *j = c->active.head; j; j = j->next)
        if (j->state == JOB_SUSPENDED)
            job_op(s, PB__JOB_OP__OP_RESUME, j->id);
}
