/* fanout - orders to many nodes through a few agents, which may fall silent; reports of many nodes in one message and
 * in one entry of the log. */
#include "core/step.h"
#include "rig.h"
#include "text/hostlist.h"

static const char conf[] = "ClusterName=test\nSlurmctldHost=localhost\nTreeWidth=2\nSlurmdTimeout=300\nKillWait=5\n"
                           "NodeName=n[1-10] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
                           "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n";

static Pb__StepSpec step = PB__STEP_SPEC__INIT;
static char *argv[] = { (char[]){ "true" } };

/* srun on all ten nodes. */
static void c_srun(Pb__SubmitRequest *q)
{
    step.argv = argv, step.n_argv = 1, step.nodes = 10, step.ntasks = 10;
    q->spec->kind = PB__JOB_KIND__KIND_SRUN, q->spec->min_nodes = 10, q->spec->ntasks = 10, q->script.len = 0;
    q->step = &step;
}

/* ... of twelve. */
static const char conf_more[] = "ClusterName=test\nSlurmctldHost=localhost\nTreeWidth=2\nSlurmdTimeout=300\n"
                                "KillWait=5\nNodeName=n[1-12] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
                                "PartitionName=main Nodes=n[1-10] Default=YES DefaultTime=10 MaxTime=INFINITE\n"
                                "PartitionName=rest Nodes=n[11-12]\n";

static uint32_t up(struct rig *r)
{
    rig_up_conf(r, conf, 10);
    return rig_submit(r, ADA, c_srun);
}

static size_t count_all(const struct rig *r, enum msg_type type)
{
    size_t n = 0;
    for (size_t i = 0; i < r->said.n; i++)
        n += r->said.at[i].type == type;
    return n;
}

/* The number of what was spread to a node; 0: nothing was. */
static uint64_t spread_number(const struct rig *r, uint64_t session)
{
    for (size_t i = r->said.n; i-- > 0;)
        if (r->said.at[i].session == session && r->said.at[i].type == MSG_FANOUT)
            return r->said.at[i].number;
    return 0;
}

static void answer(struct rig *r, uint32_t node, uint64_t number, const char *unreached)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__FanoutReply a = PB__FANOUT_REPLY__INIT;
    a.unreached = TEXT(unreached);
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, &a.base);
    struct frame f = { MSG_FANOUT_REPLY, 0, number, (uint8_t *)b.s, (uint32_t)b.len };
    rig_begin(r);
    ctl_request(r->t, node, &(struct ctl_peer){ 0, 0, true, name }, &f);
    rig_end_turn(r);
}

static void is_below(const struct rig *r, uint64_t session, const char *want, const char *what)
{
    Pb__Fanout *m = rig_said(r, session, MSG_FANOUT);
    is_str(m ? m->below : NULL, want, "%s", what);
    rig_free(m);
}

/* Nodes [first, last] say that step 0 ended so. */
static void report(struct rig *r, uint32_t from, uint32_t id, uint32_t first, uint32_t last, uint32_t status)
{
    Pb__Report rep = PB__REPORT__INIT;
    Pb__NodeReport one[10], *list[10];
    char names[10][8];
    rep.job_id = id, rep.attempt = rig_job(r, id)->attempt, rep.exit_code = status, rep.node_clean = true;
    for (uint32_t i = 0; i <= last - first; i++) {
        snprintf(names[i], sizeof(names[i]), "n%u", first + i);
        pb__node_report__init(&one[i]);
        one[i].node = names[i], one[i].report = &rep;
        list[i] = &one[i];
    }
    Pb__Reports m = PB__REPORTS__INIT;
    m.nodes = list, m.n_nodes = last - first + 1;
    rig_node_says(r, from, MSG_REPORTS, &m.base);
}

static void test_two_for_ten(void)
{
    struct rig r;
    uint32_t id = up(&r);
    is_str(rig_state(&r, id), "RUNNING", "srun on ten nodes");
    is_int(count_all(&r, MSG_FANOUT), 2, "two are told");
    is_int(count_all(&r, MSG_LAUNCH), 0, "and no other node");
    is_below(&r, 1, "n[2-5]", "the first has four below it");
    is_below(&r, 6, "n[7-10]", "so has the sixth");
    size_t entries = r.log.n;
    report(&r, 1, id, 1, 5, 0);
    ok(rig_count(&r, 1, MSG_REPORTS_ACK) == 1 && r.log.n == entries + 1,
       "five reports are one entry, acknowledged once");
    is_int(step_find(rig_job(&r, id), 0)->n_done, 5, "all five are heard");
    report(&r, 1, id, 1, 5, 0);
    is_int(step_find(rig_job(&r, id), 0)->n_done, 5, "said again they change nothing");
    report(&r, 6, id, 6, 10, 3 << 8);
    is_str(rig_state(&r, id), "FAILED", "the last five end the step, and the job with it");
    is_int(count_all(&r, MSG_KILL) + count_all(&r, MSG_FANOUT), 0, "no node is told to clean what is clean");
    rig_down(&r);
}

static void test_silence(void)
{
    struct rig r;
    uint32_t id = up(&r);
    (void)id;
    uint64_t six = spread_number(&r, 6);
    answer(&r, 6, six, "");
    answer(&r, 1, six, "n2"); /* not its number: nothing comes of it */
    is_int(r.said.n, 0, "an agent that has informed all below is done");
    rig_forget(&r);
    rig_pass(&r, 60);
    is_below(&r, 2, "n3", "the one that does not answer is passed over: the first below it is told");
    is_below(&r, 4, "n5", "and another");
    is_int(count_all(&r, MSG_FANOUT), 2, "and no node of the branch that answered");
    rig_down(&r);
}

static void test_gone(void)
{
    struct rig r;
    uint32_t id = up(&r);
    report(&r, 6, id, 3, 3, 0);
    rig_gone(&r, 1);
    is_below(&r, 2, "n4", "its connection is gone: the nodes below it are informed at once, but for the ended one");
    is_int(rig_count(&r, 5, MSG_LAUNCH), 1, "one alone is told directly");
    is_int(rig_count(&r, 3, MSG_FANOUT) + rig_count(&r, 3, MSG_LAUNCH), 0, "the ended one is not");
    rig_down(&r);
}

static void test_unreached(void)
{
    struct rig r;
    up(&r);
    answer(&r, 1, spread_number(&r, 1), "n[3,5]");
    is_int(rig_count(&r, 3, MSG_LAUNCH), 1, "a node that no agent reaches is informed from here");
    is_int(rig_count(&r, 5, MSG_LAUNCH), 1, "each of them");
    is_int(r.said.n, 2, "and no other node");
    rig_down(&r);
}

static void test_end(void)
{
    struct rig r;
    uint32_t id = up(&r);
    rig_cancel(&r, ADA, id);
    is_int(count_all(&r, MSG_FANOUT), 2, "a cancel is told to two");
    Pb__Fanout *m = rig_said(&r, 1, MSG_FANOUT);
    ok(m && m->kill && cred_verify(&r.key, CRED_KILL, m->kill) && m->step_id == PB__STEP_NUMBER__STEP_EXTERN,
       "that forward it, signed");
    Pb__KillOrder *k = m && m->kill ? pb__kill_order__unpack(NULL, m->kill->body.len, m->kill->body.data) : NULL;
    ok(k && k->terminate && k->job_id == id && k->issued_ms, "it says which job is to end, and when that was said");
    is_str(k ? k->nodes : NULL, "n[1-10]", "and on which nodes");
    if (k)
        pb__kill_order__free_unpacked(k, NULL);
    rig_free(m);
    rig_down(&r);
}

static void test_strangers(void)
{
    struct rig r;
    uint32_t id = up(&r);
    Pb__Reports none = PB__REPORTS__INIT;
    rig_ask(&r, ROOT, MSG_REPORTS, &none.base);
    ok(rig_count(&r, ASKER, MSG_FAILURE) == 1, "a user, even root, brings no reports");
    rig_node_says(&r, 1, MSG_REPORTS, &none.base);
    is_int(r.said.n, 0, "reports without a node are dropped");
    Pb__Report rep = PB__REPORT__INIT;
    Pb__NodeReport x = PB__NODE_REPORT__INIT, y = x, *list[] = { &x, &y };
    rep.job_id = id, rep.attempt = rig_job(&r, id)->attempt + 1;
    x.node = TEXT("n1"), x.report = &rep, y.node = TEXT("nowhere"), y.report = &rep;
    Pb__Reports old = PB__REPORTS__INIT;
    old.nodes = list, old.n_nodes = 2;
    rig_node_says(&r, 1, MSG_REPORTS, &old.base);
    ok(rig_count(&r, 1, MSG_REPORTS_ACK) == 1 && !step_find(rig_job(&r, id), 0)->n_done,
       "of another attempt, or of a node that is not there: acknowledged and dropped");
    rig_down(&r);
}

static bool is_drained(const struct rig *r, uint32_t node)
{
    return ctl_cluster(r->t)->node[node - 1].state & NODE_DRAIN;
}

/* `from` says that the epilog of the job failed on `node`. */
static void epilog_failed(struct rig *r, uint32_t from, uint32_t node, uint32_t id, uint32_t attempt)
{
    char name[8];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__Report rep = PB__REPORT__INIT;
    Pb__NodeReport one = PB__NODE_REPORT__INIT, *list = &one;
    Pb__Reports m = PB__REPORTS__INIT;
    rep.job_id = id, rep.attempt = attempt, rep.step_id = PB__STEP_NUMBER__STEP_EXTERN, rep.epilog_failed = true;
    one.node = name, one.report = &rep;
    m.nodes = &list, m.n_nodes = 1;
    rig_node_says(r, from, MSG_REPORTS, &m.base);
}

static void test_outsiders(void)
{
    struct rig r;
    rig_up_conf(&r, conf_more, 12);
    uint32_t id = rig_submit(&r, ADA, c_srun), attempt = rig_job(&r, id)->attempt;
    report(&r, 11, id, 1, 5, 0);
    is_int(step_find(rig_job(&r, id), 0)->n_done, 0, "a node without a part in the job ends no step of it");
    ok(!count_all(&r, MSG_REPORTS_ACK), "and is not answered: the nodes that it speaks for tell it themselves");
    report(&r, 11, id, 11, 11, 0);
    is_int(step_find(rig_job(&r, id), 0)->n_done, 0, "of its own part, which it has not, it ends none either");
    epilog_failed(&r, 11, 1, id, attempt);
    ok(!is_drained(&r, 1), "it drains no node of the job");
    epilog_failed(&r, 11, 12, 4711, 1);
    ok(!is_drained(&r, 12), "nor a node by a job that is not there");
    epilog_failed(&r, 11, 11, 4711, 1);
    ok(is_drained(&r, 11), "only itself");
    epilog_failed(&r, 1, 2, id, attempt);
    ok(is_drained(&r, 2), "a node of the job speaks for the nodes below it");
    report(&r, 1, id, 1, 5, 0);
    is_int(step_find(rig_job(&r, id), 0)->n_done, 5, "and ends their steps");
    rig_down(&r);
}

int main(void)
{
    test_two_for_ten();
    test_silence();
    test_gone();
    test_unreached();
    test_end();
    test_strangers();
    test_outsiders();
    return test_done();
}
