/* nodes - they come, go silent, reboot; and what they say of old attempts is heard and dropped. */
#include "rig.h"

static void c_norequeue(Pb__SubmitRequest *q) { q->spec->requeue = PB__REQUEUE__REQUEUE_NO; }
static void c_requeue(Pb__SubmitRequest *q) { q->spec->requeue = PB__REQUEUE__REQUEUE_YES; }
static void c_two(Pb__SubmitRequest *q)
{
    q->spec->min_nodes = q->spec->max_nodes = 2, q->spec->exclusive = TEXT("yes");
}

static uint32_t node_of(const struct rig *r, uint32_t id)
{
    return rig_job(r, id)->alloc.at[0].node + 1;
}

static const char *node_state(const struct rig *r, uint32_t node)
{
    return node_state_name(node_shown_state(&ctl_cluster(r->t)->node[node - 1]), false);
}

static void test_silence(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t stays = rig_submit(&r, ADA, c_norequeue);
    uint32_t node = node_of(&r, stays);
    rig_gone(&r, node);
    rig_pass(&r, 5);
    ok(!strchr(node_state(&r, node), '*'), "a lost connection is forgiven for some seconds");
    rig_pass(&r, 10);
    ok(strchr(node_state(&r, node), '*'), "then the node does not respond");
    is_str(rig_state(&r, stays), "RUNNING", "its jobs run on");
    rig_pass(&r, 50);
    is_str(node_state(&r, node), "down*", "after SlurmdTimeout it is down");
    is_str(rig_state(&r, stays), "NODE_FAIL", "and what ran there has failed");
    Pb__Running run = PB__RUNNING__INIT, *list[] = { &run };
    run.job_id = stays, run.attempt = rig_job(&r, stays)->attempt, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
    rig_register(&r, node, "boot", list, 1);
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->terminate && k->job_id == stays, "it comes back and still runs it: it is told to end it");
    rig_free(k);
    is_str(node_state(&r, node), "idle", "and is of use again");
    rig_down(&r);
}

/* An agent may be of a newer release than the controllers: fields that they do not know do not get into the log, where
 * they would stop every controller that reads it. */
static void test_newer_agent(void)
{
    static uint8_t one[] = { 1 };
    ProtobufCMessageUnknownField more = { 1000, PROTOBUF_C_WIRE_TYPE_VARINT, sizeof(one), one };
    struct rig r;
    rig_up(&r);
    Pb__RegisterRequest q = PB__REGISTER_REQUEST__INIT;
    Pb__NodeHw hw = PB__NODE_HW__INIT;
    hw.base.n_unknown_fields = 1, hw.base.unknown_fields = &more;
    hw.cpus = 4, hw.mem_mb = 8000, hw.sockets = 1, hw.cores = 4, hw.threads = 1, hw.boards = 1;
    q.node = TEXT("n1"), q.boot_id = TEXT("boot"), q.version = TEXT("next"), q.start_s = 2, q.hw = &hw;
    rig_node_says(&r, 1, MSG_REGISTER, &q.base);
    is_str(ctl_cluster(r.t)->node[0].version, "next", "a newer agent registers, with a field that is not known");
    uint32_t id = rig_submit(&r, ADA, c_norequeue), node = node_of(&r, id);
    Pb__Report p = PB__REPORT__INIT;
    Pb__Usage usage = PB__USAGE__INIT;
    usage.base.n_unknown_fields = 1, usage.base.unknown_fields = &more;
    usage.user_us = 5;
    p.job_id = id, p.attempt = rig_job(&r, id)->attempt, p.step_id = PB__STEP_NUMBER__STEP_BATCH;
    p.usage = &usage, p.node_clean = true;
    rig_node_says(&r, node, MSG_REPORT, &p.base);
    is_str(rig_state(&r, id), "COMPLETED", "its report is taken");
    rig_failover(&r); /* stops at an event that does not replay */
    is_str(rig_state(&r, id), "COMPLETED", "and the log is read by the next leader");
    rig_down(&r);
}

static void test_frozen(void)
{
    struct rig r;
    rig_up(&r);
    Pb__Heartbeat beat = PB__HEARTBEAT__INIT;
    uint32_t id = rig_submit(&r, ADA, c_norequeue), node = node_of(&r, id);
    for (int i = 0; i < 5; i++) {
        rig_node_says(&r, node, MSG_HEARTBEAT, &beat.base);
        rig_pass(&r, 30);
    }
    is_str(rig_state(&r, id), "RUNNING", "a node that is heard of every 30 s is fine");
    rig_pass(&r, 70);
    is_str(node_state(&r, node), "down*", "one that falls silent with its connection open is down after SlurmdTimeout");
    is_str(rig_state(&r, id), "NODE_FAIL", "with what ran there");
    rig_down(&r);
}

/* SIGSTOP, a suspended machine: the controller's own silence is not the nodes'. */
static void test_stood_still(void)
{
    struct rig r;
    rig_up(&r);
    Pb__Heartbeat beat = PB__HEARTBEAT__INIT;
    uint32_t id = rig_submit(&r, ADA, c_norequeue), node = node_of(&r, id);
    rig_node_says(&r, node, MSG_HEARTBEAT, &beat.base);
    r.now_ms += 300000;
    rig_begin(&r);
    rig_end_turn(&r);
    is_str(rig_state(&r, id), "RUNNING", "a controller that stood still does not lose its nodes by that");
    rig_node_says(&r, node, MSG_HEARTBEAT, &beat.base);
    rig_pass(&r, 30);
    is_str(rig_state(&r, id), "RUNNING", "it reads what they sent meanwhile");
    rig_pass(&r, 40);
    is_str(rig_state(&r, id), "NODE_FAIL", "and a node that stays silent is lost as ever");
    rig_down(&r);
    rig_up(&r);
    id = rig_submit(&r, ADA, c_norequeue), node = node_of(&r, id);
    rig_gone(&r, node);
    rig_pass(&r, 30);
    r.now_ms += 300000;
    rig_begin(&r);
    rig_end_turn(&r);
    is_str(rig_state(&r, id), "RUNNING", "nor a node that was to connect again meanwhile");
    rig_pass(&r, 70);
    is_str(rig_state(&r, id), "NODE_FAIL", "unless it does not");
    rig_down(&r);
}

static void test_back_in_time(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL), node = node_of(&r, id);
    rig_gone(&r, node);
    rig_pass(&r, 20);
    Pb__Running run = PB__RUNNING__INIT, *list[] = { &run };
    run.job_id = id, run.attempt = rig_job(&r, id)->attempt, run.step_id = PB__STEP_NUMBER__STEP_BATCH;
    rig_register(&r, node, "boot", list, 1);
    is_int(rig_count(&r, node, MSG_LAUNCH), 0, "a node that came back with its job is not told to run it again");
    rig_gone(&r, node);
    rig_register(&r, node, "boot", NULL, 0);
    is_int(rig_count(&r, node, MSG_LAUNCH), 1, "one that came back without is told once more");
    rig_pass(&r, 200);
    is_str(rig_state(&r, id), "RUNNING", "no job failed");
    rig_down(&r);
}

static void test_reboot(void)
{
    for (int requeue = 0; requeue < 2; requeue++) {
        struct rig r;
        rig_up(&r);
        uint32_t id = rig_submit(&r, ADA, requeue ? c_requeue : c_norequeue), node = node_of(&r, id),
                 first = rig_job(&r, id)->attempt;
        rig_register(&r, node, "another boot", NULL, 0);
        is_str(rig_state(&r, id), requeue ? "RUNNING" : "NODE_FAIL", "a reboot ends what ran: %s",
               requeue ? "it is run again" : "it has failed");
        ok(!requeue || rig_job(&r, id)->attempt > first, "as another attempt");
        ok(!requeue || rig_job(&r, id)->restarts == 1, "and counts");
        rig_down(&r);
    }
}

/* A registration of `boot` by a connection of its own. */
static void register_by(struct rig *r, uint32_t node, uint64_t session, const char *boot, uint64_t order,
                        uint64_t answer)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__RegisterRequest q = PB__REGISTER_REQUEST__INIT;
    q.node = name, q.boot_id = TEXT(boot), q.version = TEXT("t"), q.start_s = 1;
    q.order = order, q.answer = answer;
    rig_request(r, session, (struct ctl_peer){ 0, 0, true, name }, MSG_REGISTER, &q.base);
}

/* What a connection is asked after its registration; 0: it is registered, or was not answered. */
static uint64_t question_to(const struct rig *r, uint64_t session)
{
    Pb__RegisterReply *reply = rig_said(r, session, MSG_REGISTER_REPLY);
    uint64_t question = reply ? reply->question : 0;
    rig_free(reply);
    return question;
}

static void test_register_order(void)
{
    enum { OLD = 201, LIVE = 202 };
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_norequeue), node = node_of(&r, id);
    register_by(&r, node, LIVE, "boot", 12, 0);
    register_by(&r, node, OLD, "boot", 11, 0);
    ok(!rig_count(&r, OLD, MSG_REGISTER_REPLY), "an earlier registration that is read late is not answered");
    rig_gone(&r, OLD);
    rig_pass(&r, 70);
    ok(!strchr(node_state(&r, node), '*'), "the end of its connection is not the end of the node's");
    register_by(&r, node, OLD, "another boot", 5, 0);
    ok(question_to(&r, OLD), "a connection that claims another boot is asked");
    is_str(rig_state(&r, id), "RUNNING", "and nothing is lost before it answers");
    register_by(&r, node, OLD, "another boot", 6, question_to(&r, OLD) + 1);
    is_str(rig_state(&r, id), "RUNNING", "a wrong answer is none");
    uint64_t old = question_to(&r, OLD);
    register_by(&r, node, LIVE, "third boot", 1, 0);
    uint64_t live = question_to(&r, LIVE);
    register_by(&r, node, OLD, "another boot", 7, old);
    is_str(rig_state(&r, id), "RUNNING", "nor does an answer count once a further connection was asked");
    register_by(&r, node, LIVE, "third boot", 2, live);
    ok(question_to(&r, LIVE) > live, "which is asked again then");
    register_by(&r, node, LIVE, "third boot", 3, question_to(&r, LIVE));
    is_str(rig_state(&r, id), "NODE_FAIL", "the node that lives answers, and what ran before is gone");
    is_str(ctl_cluster(r.t)->node[node - 1].boot_id, "third boot", "its boot counts");
    rig_down(&r);
}

static void test_stale(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_requeue), node = node_of(&r, id), first = rig_job(&r, id)->attempt;
    rig_op(&r, ADA, PB__JOB_OP__OP_REQUEUE, id);
    rig_report(&r, node, id, first, PB__STEP_NUMBER__STEP_BATCH, 15, true);
    is_str(rig_state(&r, id), "RUNNING", "it runs again");
    uint32_t now = node_of(&r, id);
    rig_report(&r, now, id, first, PB__STEP_NUMBER__STEP_BATCH, 0, true);
    is_str(rig_state(&r, id), "RUNNING", "the end of an old attempt is not the end of this one");
    is_int(rig_count(&r, now, MSG_REPORT_ACK), 1, "but the node may forget it");
    rig_report(&r, now, id, first, PB__STEP_NUMBER__STEP_EXTERN, 0, true);
    is_str(rig_state(&r, id), "RUNNING", "nor is a node that is clean of the old one");
    rig_report(&r, now, 4711, 1, PB__STEP_NUMBER__STEP_BATCH, 0, true);
    is_int(rig_count(&r, now, MSG_REPORT_ACK), 1, "a report of an unknown job is acknowledged, too");
    Pb__LaunchReply late = PB__LAUNCH_REPLY__INIT;
    late.job_id = id, late.attempt = first, late.step_id = PB__STEP_NUMBER__STEP_BATCH, late.code = 5;
    rig_node_says(&r, now, MSG_LAUNCH_REPLY, &late.base);
    is_str(rig_state(&r, id), "RUNNING", "a late failure of the old launch fails nothing");
    rig_finish(&r, id, 256);
    is_str(rig_state(&r, id), "FAILED", "this attempt's end is its end");
    rig_finish(&r, id, 0);
    is_str(rig_state(&r, id), "FAILED", "said twice it stays");
    rig_down(&r);
}

/* A node's prolog failed for an attempt that is over; PrologSlurmctld of it ended. */
static void test_stale_prolog(void)
{
    static const char more[] = "PrologSlurmctld=/bin/true\n";
    struct rig r;
    auto_free char *conf = mem_printf("%s%s", rig_conf, more);
    rig_up_conf(&r, conf, 4);
    uint32_t id = rig_submit(&r, ADA, c_requeue), first = rig_job(&r, id)->attempt;
    rig_op(&r, ADA, PB__JOB_OP__OP_REQUEUE, id);
    rig_report(&r, node_of(&r, id), id, first, PB__STEP_NUMBER__STEP_EXTERN, 0, true);
    rig_pass(&r, 1);
    ok(rig_job(&r, id)->attempt > first && (rig_job(&r, id)->state & JOB_CONFIGURING), "the second attempt");
    rig_begin(&r);
    ctl_script_done(r.t, id, first, false, 0);
    ctl_script_done(r.t, id, first, false, 256);
    rig_end_turn(&r);
    is_str(rig_state(&r, id), "CONFIGURING", "the script of the first changes nothing, whatever its end");
    rig_begin(&r);
    ctl_script_done(r.t, id, rig_job(&r, id)->attempt, false, 0);
    rig_end_turn(&r);
    is_str(rig_state(&r, id), "RUNNING", "its own script lets it run");
    Pb__LaunchReply late = PB__LAUNCH_REPLY__INIT;
    late.job_id = id, late.attempt = first, late.step_id = PB__STEP_NUMBER__STEP_BATCH;
    late.code = ESLURMD_PROLOG_FAILED;
    rig_node_says(&r, node_of(&r, id), MSG_LAUNCH_REPLY, &late.base);
    is_str(rig_state(&r, id), "RUNNING", "a prolog of the first attempt that failed on the node ends nothing");
    ok(!(ctl_cluster(r.t)->node[node_of(&r, id) - 1].state & NODE_DRAIN), "and drains nothing");
    rig_down(&r);
}

static void test_launch_failed(void)
{
    for (int requeue = 0; requeue < 2; requeue++) {
        struct rig r;
        rig_up(&r);
        uint32_t id = rig_submit(&r, ADA, requeue ? c_requeue : c_norequeue);
        Pb__LaunchReply no = PB__LAUNCH_REPLY__INIT;
        no.job_id = id, no.attempt = rig_job(&r, id)->attempt, no.step_id = PB__STEP_NUMBER__STEP_BATCH, no.code = 5,
        no.text = TEXT("cannot");
        rig_node_says(&r, node_of(&r, id), MSG_LAUNCH_REPLY, &no.base);
        is_str(rig_state(&r, id), requeue ? "PENDING" : "FAILED", "what cannot be launched %s",
               requeue ? "is held" : "has failed");
        is_int(rig_job(&r, id)->hold, requeue ? HOLD_ADMIN : HOLD_NONE, "for an administrator");
        rig_down(&r);
    }
}

static void test_two_nodes(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_two);
    struct job *j = rig_job(&r, id);
    uint32_t a = j->alloc.at[0].node + 1, b = j->alloc.at[1].node + 1, attempt = j->attempt;
    rig_finish(&r, id, 0);
    is_str(rig_state(&r, id), "COMPLETING", "the script ended, the other node is not clean");
    is_int(rig_count(&r, b, MSG_KILL), 1, "it is told to be");
    ok(!rig_count(&r, a, MSG_KILL), "the first is clean");
    rig_gone(&r, b);
    rig_register(&r, b, "boot", NULL, 0);
    is_int(rig_count(&r, b, MSG_KILL), 1, "a node that comes back is told again");
    rig_report(&r, b, id, attempt, PB__STEP_NUMBER__STEP_EXTERN, 0, true);
    is_str(rig_state(&r, id), "COMPLETED", "when it says so, the job is over");
    rig_down(&r);
}

int main(void)
{
    test_silence();
    test_newer_agent();
    test_frozen();
    test_stood_still();
    test_back_in_time();
    test_reboot();
    test_register_order();
    test_stale();
    test_stale_prolog();
    test_launch_failed();
    test_two_nodes();
    return test_done();
}
