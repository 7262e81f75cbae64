/* reconcile - orders follow from the records: each is sent once, in order, and again only where it is missing. */
#include <signal.h>

#include "rig.h"

static void c_salloc(Pb__SubmitRequest *q)
{
    q->spec->ntasks = 4, q->spec->kind = PB__JOB_KIND__KIND_SALLOC, q->spec->min_nodes = 1, q->script.len = 0;
}

static size_t orders(const struct rig *r)
{
    size_t n = 0;
    for (uint32_t node = 1; node <= r->nodes; node++)
        n += rig_count(r, node, MSG_LAUNCH) + rig_count(r, node, MSG_KILL);
    return n;
}

/* A request as a part of a turn that is under way. */
static void request(struct rig *r, uint32_t uid, enum msg_type type, const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    struct ctl_peer peer = { uid, uid, false, NULL };
    pb_pack(&b, m);
    ctl_request(r->t, ASKER, &peer, &(struct frame){ type, 0, 7, (uint8_t *)b.s, (uint32_t)b.len });
}

static void op(struct rig *r, Pb__JobOp what, uint32_t id)
{
    Pb__JobOpRequest q = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = id;
    q.op = what, q.jobs = refs, q.n_jobs = 1;
    request(r, ROOT, MSG_JOB_OP, &q.base);
}

static void ask_step(struct rig *r, uint32_t id)
{
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    char *argv[] = { TEXT("true") };
    spec.argv = argv, spec.n_argv = 1, spec.ntasks = 1, spec.exact = true;
    q.job_id = id, q.spec = &spec;
    request(r, ADA, MSG_STEP, &q.base);
}

static void signal_job(struct rig *r, uint32_t id, uint32_t number)
{
    Pb__CancelRequest q = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = id;
    q.jobs = refs, q.n_jobs = 1, q.signal = number, q.full = true;
    request(r, ADA, MSG_CANCEL, &q.base);
}

static void test_once(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    uint32_t node = rig_job(&r, id)->alloc.at[0].node + 1;
    is_int(rig_count(&r, node, MSG_LAUNCH), 1, "a job that starts is launched");
    is_int(orders(&r), 1, "on its node alone");
    rig_begin(&r);
    op(&r, PB__JOB_OP__OP_SUSPEND, id);
    op(&r, PB__JOB_OP__OP_RESUME, id);
    rig_end_turn(&r);
    is_str(rig_state(&r, id), "RUNNING", "suspended and resumed in one turn");
    is_int(orders(&r), 0, "nothing is ordered");
    rig_op(&r, ROOT, PB__JOB_OP__OP_SUSPEND, id);
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->signal == SIGSTOP && orders(&r) == 1, "suspended: its processes are stopped");
    rig_free(k);
    rig_op(&r, ROOT, PB__JOB_OP__OP_RESUME, id);
    k = rig_said(&r, node, MSG_KILL);
    ok(k && k->signal == SIGCONT && orders(&r) == 1, "resumed: they go on, and nothing is launched again");
    rig_free(k);
    rig_cancel(&r, ADA, id);
    k = rig_said(&r, node, MSG_KILL);
    ok(k && k->terminate && orders(&r) == 1 && strstr(k->reason, "CANCELLED AT"),
       "cancelled: it is ended, with a notice");
    rig_free(k);
    rig_begin(&r);
    rig_end_turn(&r);
    is_int(orders(&r), 0, "once");
    rig_down(&r);
}

/* A signal must not overtake the launch of what it is for. */
static void test_order(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_salloc);
    uint32_t node = rig_job(&r, id)->alloc.at[0].node + 1;
    rig_begin(&r);
    ask_step(&r, id);
    signal_job(&r, id, SIGUSR1);
    rig_end_turn(&r);
    size_t launch = 0, kill = 0;
    for (size_t i = 0; i < r.said.n; i++) {
        if (r.said.at[i].session == node && r.said.at[i].type == MSG_LAUNCH)
            launch = i + 1;
        if (r.said.at[i].session == node && r.said.at[i].type == MSG_KILL)
            kill = i + 1;
    }
    ok(launch && kill && launch < kill, "a step begins and is signalled in one turn: in this order");
    is_int(orders(&r), 2, "each once");
    rig_down(&r);
}

static void test_takeover(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL), stopped = rig_submit(&r, ADA, NULL), ended = rig_submit(&r, ADA, NULL);
    rig_op(&r, ROOT, PB__JOB_OP__OP_SUSPEND, stopped);
    rig_cancel(&r, ADA, ended);
    const struct job *j = rig_job(&r, id);
    uint32_t node = j->alloc.at[0].node + 1, attempt = j->attempt;
    rig_failover(&r);
    is_int(orders(&r), 0, "a new leader has no node to send to");
    Pb__Running run = PB__RUNNING__INIT, *runs[] = { &run };
    run.job_id = id, run.attempt = attempt, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
    for (uint32_t i = 1; i <= r.nodes; i++)
        if (i != node)
            rig_register(&r, i, "boot", NULL, 0);
    rig_register(&r, node, "boot", runs, 1);
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->job_id != id, "a node that runs the job is told of the others");
    rig_free(k);
    rig_pass(&r, 1);
    rig_begin(&r);
    op(&r, PB__JOB_OP__OP_SUSPEND, id);
    rig_end_turn(&r);
    is_int(rig_count(&r, node, MSG_LAUNCH), 0, "the job changes: it is not launched again");
    is_int(rig_count(&r, node, MSG_KILL), 1, "but stopped");
    rig_gone(&r, node);
    rig_register(&r, node, "boot", NULL, 0);
    ok(rig_count(&r, node, MSG_LAUNCH) >= 1, "a node that has lost the job is told to launch it");
    rig_down(&r);
}

int main(void)
{
    test_once();
    test_order();
    test_takeover();
    return test_done();
}
