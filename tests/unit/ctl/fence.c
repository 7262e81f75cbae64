/* fence - SpurFencing: a lost node's job is not started again before it is certain that it has ended. */
#include "rig.h"

static const char confirm_conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "ReturnToService=1\nSlurmdTimeout=60\nMinJobAge=100\nKillWait=5\nSpurFencing=confirm\n%s"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n";

static void c_requeue(Pb__SubmitRequest *q) { q->spec->requeue = 1; }

static char conf[1024];
static uint32_t first; /* attempt of the job under test */

/* A job, whose node is lost until it is down. */
static uint32_t lose_job(struct rig *r, const char *more, uint32_t *node)
{
    snprintf(conf, sizeof(conf), confirm_conf, more);
    rig_up_conf(r, conf, 4);
    uint32_t id = rig_submit(r, ADA, c_requeue);
    *node = rig_job(r, id)->alloc.at[0].node + 1;
    first = rig_job(r, id)->attempt;
    rig_gone(r, *node);
    rig_pass(r, 70);
    return id;
}

static bool waits(const struct rig *r, uint32_t id)
{
    return rig_job(r, id)->state == (JOB_PENDING | JOB_COMPLETING | JOB_REQUEUE_FLAG);
}

static bool runs_again(const struct rig *r, uint32_t id, uint32_t node)
{
    const struct job *j = rig_job(r, id);
    return j->state == JOB_RUNNING && j->attempt > first && j->alloc.at[0].node + 1 != node;
}

static int set_state(struct rig *r, uint32_t node, const char *state)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[] = { PB__PAIR__INIT, PB__PAIR__INIT, PB__PAIR__INIT }, *list[] = { &pair[0], &pair[1], &pair[2] };
    pair[0].key = TEXT("NodeName"), pair[0].value = name;
    pair[1].key = TEXT("State"), pair[1].value = TEXT(state);
    pair[2].key = TEXT("Reason"), pair[2].value = TEXT("test");
    q.kind = PB__UPDATE_KIND__UPDATE_NODE;
    for (int i = 0; i < 3; i++)
        pair[i].op = TEXT("=");
    q.pairs = list, q.n_pairs = 3;
    rig_ask(r, ROOT, MSG_UPDATE, &q.base);
    return rig_code(r);
}

static void test_agent(void)
{
    struct rig r;
    uint32_t node, id = lose_job(&r, "", &node);
    ok(waits(&r, id), "the node of a job is down: the job waits");
    rig_pass(&r, 36000);
    ok(waits(&r, id), "for as long as it takes");
    Pb__WhyRequest q = PB__WHY_REQUEST__INIT;
    q.job_id = id;
    rig_ask(&r, ADA, MSG_WHY, &q.base);
    Pb__WhyReply *why = rig_said(&r, ASKER, MSG_WHY_REPLY);
    ok(why && strstr(why->detail, "not certain") && why->n_hints == 1 && strstr(why->hints[0], "state=fenced"),
       "spur why says so, and what helps");
    rig_free(why);
    Pb__Running run = PB__RUNNING__INIT, *list[] = { &run };
    run.job_id = id, run.attempt = first, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
    rig_register(&r, node, "boot", list, 1);
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->terminate && k->job_id == id && k->attempt == first,
       "the node comes back: its agent is told to end the job");
    rig_free(k);
    ok(waits(&r, id), "and is waited for");
    rig_report(&r, node, id, first, PB__STEP_NUMBER__STEP_EXTERN, 0, true);
    rig_pass(&r, 2);
    ok(rig_job(&r, id)->state == JOB_RUNNING && rig_job(&r, id)->attempt > first, "then the job runs again");
    rig_down(&r);
}

static void test_boot(void)
{
    struct rig r;
    uint32_t node, id = lose_job(&r, "", &node);
    rig_register(&r, node, "another boot", NULL, 0);
    rig_pass(&r, 2);
    ok(rig_job(&r, id)->attempt > first, "a node that has booted again runs nothing of before");
    rig_down(&r);
}

static void test_administrator(void)
{
    struct rig r;
    uint32_t node, id = lose_job(&r, "", &node);
    ok(set_state(&r, node == 1 ? 2 : 1, "FENCED") != 0, "a node that is connected is not fenced by a word");
    is_int(set_state(&r, node, "DOWN"), 0, "a lost node is set down");
    ok(waits(&r, id), "which says nothing about the job");
    is_int(set_state(&r, node, "FENCED"), 0, "it is fenced");
    rig_pass(&r, 2);
    ok(runs_again(&r, id, node), "the job runs elsewhere");
    rig_down(&r);
}

/* The node that the fence program is to be run for, or NULL. */
static char *program_node(struct rig *r)
{
    struct ctl_script *s;
    char *node = NULL;
    for (size_t i = 0, n = ctl_scripts(r->t, &s); i < n; i++) {
        buf_clear(&s[i].env);
        free(node);
        node = s[i].fence;
    }
    return node;
}

static void program_ends(struct rig *r, const char *node, int status)
{
    rig_begin(r);
    ctl_fence_done(r->t, node, status);
    rig_end_turn(r);
}

static void test_program(void)
{
    struct rig r;
    uint32_t node, id = lose_job(&r, "SpurFenceProgram=/bin/fence\n", &node);
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    char *told = program_node(&r);
    is_str(told, name, "the fence program is run for the node");
    free(told);
    program_ends(&r, name, 1);
    ok(waits(&r, id), "it fails: the job waits");
    rig_pass(&r, 61);
    told = program_node(&r);
    is_str(told, name, "and the program is tried again");
    free(told);
    program_ends(&r, name, 0);
    rig_pass(&r, 2);
    ok(runs_again(&r, id, node), "it ends well: the job runs elsewhere");
    rig_down(&r);
}

static void test_connected(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_requeue), node = rig_job(&r, id)->alloc.at[0].node + 1;
    first = rig_job(&r, id)->attempt;
    is_int(set_state(&r, node, "DOWN"), 0, "as Slurm: a node that is connected is set down");
    ok(waits(&r, id), "its agent is waited for");
    rig_report(&r, node, id, first, PB__STEP_NUMBER__STEP_EXTERN, 0, true);
    rig_pass(&r, 2);
    ok(runs_again(&r, id, node), "and ends the job, which runs elsewhere then");
    rig_down(&r);
    rig_up(&r);
    id = rig_submit(&r, ADA, c_requeue), node = rig_job(&r, id)->alloc.at[0].node + 1;
    first = rig_job(&r, id)->attempt;
    set_state(&r, node, "DOWN");
    rig_gone(&r, node);
    rig_pass(&r, 70);
    ok(runs_again(&r, id, node), "it falls silent before: SlurmdTimeout later the job runs elsewhere");
    rig_down(&r);
}

/* ---- SpurFencing=lease ---- */

static const char lease_conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "ReturnToService=1\nSlurmdTimeout=60\nMinJobAge=100\nKillWait=6\nSpurFencing=lease\nSpurLeaseTime=100\n"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n";

#define LEASE_WAIT_S 130 /* lease, KillWait and margin, and an eighth */

static uint32_t lease_given(const struct rig *r, uint32_t node)
{
    Pb__HeartbeatReply *reply = rig_said(r, node, MSG_HEARTBEAT_REPLY);
    uint32_t lease_s = reply ? reply->lease_s : 0;
    rig_free(reply);
    return lease_s;
}

static void test_lease(void)
{
    struct rig r;
    rig_up_conf(&r, lease_conf, 4);
    uint32_t id = rig_submit(&r, ADA, c_requeue), node = rig_job(&r, id)->alloc.at[0].node + 1;
    first = rig_job(&r, id)->attempt;
    Pb__Heartbeat beat = PB__HEARTBEAT__INIT;
    beat.sent_ms = 5;
    rig_node_says(&r, node, MSG_HEARTBEAT, &beat.base);
    is_int((int)lease_given(&r, node), 100, "an answered heartbeat renews the lease");
    rig_gone(&r, node);
    rig_pass(&r, 70);
    ok(waits(&r, id), "the node is down and its lease is not over: the job waits");
    rig_pass(&r, LEASE_WAIT_S - 70 - 5);
    ok(waits(&r, id), "until its lease is over and its steps are killed");
    rig_pass(&r, 10);
    ok(runs_again(&r, id, node), "then it runs elsewhere");
    rig_down(&r);
}

static void test_lease_lost(void)
{
    struct rig r;
    rig_up_conf(&r, lease_conf, 4);
    uint32_t id = rig_submit(&r, ADA, c_requeue), node = rig_job(&r, id)->alloc.at[0].node + 1;
    first = rig_job(&r, id)->attempt;
    Pb__Report q = PB__REPORT__INIT;
    q.job_id = id, q.attempt = first, q.step_id = PB__STEP_NUMBER__STEP_BATCH, q.exit_code = 15, q.node_clean = true;
    q.lost = true, q.text = TEXT("no controller");
    rig_node_says(&r, node, MSG_REPORT, &q.base);
    rig_pass(&r, 2);
    ok(rig_job(&r, id)->attempt > first, "a job that was ended for want of a controller is run again");
    rig_down(&r);
}

int main(void)
{
    test_lease();
    test_lease_lost();
    test_agent();
    test_boot();
    test_administrator();
    test_program();
    test_connected();
    return test_done();
}
