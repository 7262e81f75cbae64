/* identity - which client may do what: a node for itself, a user for the user's own jobs, root for all. */
#include "rig.h"

static int refused(struct rig *r, uint64_t session)
{
    Pb__Failure *f = rig_said(r, session, MSG_FAILURE);
    int code = f ? f->code : 0;
    rig_free(f);
    return code;
}

/* What only a node's daemon may say, said by a user; root is no node either. */
static void test_agents_messages(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    Pb__RegisterRequest reg = PB__REGISTER_REQUEST__INIT;
    Pb__Heartbeat beat = PB__HEARTBEAT__INIT;
    Pb__LaunchReply launch = PB__LAUNCH_REPLY__INIT;
    Pb__Report rep = PB__REPORT__INIT;
    reg.node = TEXT("n1");
    launch.job_id = rep.job_id = id, launch.attempt = rep.attempt = rig_job(&r, id)->attempt, launch.code = 5;
    launch.step_id = rep.step_id = PB__STEP_NUMBER__STEP_BATCH;
    const struct {
        enum msg_type type;
        const ProtobufCMessage *m;
    } cases[] = { { MSG_REGISTER, &reg.base },
                  { MSG_HEARTBEAT, &beat.base },
                  { MSG_LAUNCH_REPLY, &launch.base },
                  { MSG_REPORT, &rep.base } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int root = 0; root < 2; root++) {
            rig_ask(&r, root ? ROOT : ADA, cases[i].type, cases[i].m);
            is_int(rig_code(&r), ESLURM_USER_ID_MISSING, "%s from %s is refused", msg_name(cases[i].type),
                   root ? "root" : "a user");
        }
    is_str(rig_state(&r, id), "RUNNING", "the job runs as if nothing had been said");
    rig_down(&r);
}

static void test_node_for_another(void)
{
    struct rig r;
    rig_up(&r);
    Pb__RegisterRequest reg = PB__REGISTER_REQUEST__INIT;
    reg.node = TEXT("n2"), reg.boot_id = TEXT("evil");
    rig_node_says(&r, 1, MSG_REGISTER, &reg.base);
    is_int(refused(&r, 1), EPERM, "n1 does not register as n2");
    is_str(cluster_node(ctl_cluster(r.t), "n2")->boot_id, "boot", "n2 is as it was");
    reg.node = TEXT("x9");
    rig_node_says(&r, 1, MSG_REGISTER, &reg.base);
    is_int(refused(&r, 1), ESLURM_INVALID_NODE_NAME, "nor as one that is not there");

    uint32_t id = rig_submit(&r, ADA, NULL);
    uint32_t here = rig_job(&r, id)->alloc.at[0].node + 1, there = here % 4 + 1, attempt = rig_job(&r, id)->attempt;
    rig_report(&r, there, id, attempt, PB__STEP_NUMBER__STEP_BATCH, 0, true);
    is_str(rig_state(&r, id), "RUNNING", "a node does not end what runs on another");
    rig_report(&r, 77, id, attempt, PB__STEP_NUMBER__STEP_BATCH, 0, true);
    is_str(rig_state(&r, id), "RUNNING", "nor one that has not registered");
    is_int(rig_count(&r, 77, MSG_REPORT_ACK), 0, "which is not told that it was heard");
    Pb__LaunchReply launch = PB__LAUNCH_REPLY__INIT;
    launch.job_id = id, launch.attempt = attempt, launch.step_id = PB__STEP_NUMBER__STEP_BATCH, launch.code = 5;
    rig_node_says(&r, there, MSG_LAUNCH_REPLY, &launch.base);
    is_str(rig_state(&r, id), "RUNNING", "nor does a foreign launch failure");
    rig_finish(&r, id, 0);
    is_str(rig_state(&r, id), "COMPLETED", "its own node does");
    rig_down(&r);
}

static void test_rights(void)
{
    static const struct {
        Pb__JobOp op;
        uint32_t uid;
        int code;
        const char *name;
    } cases[] = {
        { PB__JOB_OP__OP_HOLD, BOB, ESLURM_USER_ID_MISSING, "another user's hold" },
        { PB__JOB_OP__OP_RELEASE, BOB, ESLURM_USER_ID_MISSING, "another user's release" },
        { PB__JOB_OP__OP_REQUEUE, BOB, ESLURM_USER_ID_MISSING, "another user's requeue" },
        { PB__JOB_OP__OP_SUSPEND, ADA, ESLURM_ACCESS_DENIED, "the owner's suspend" },
        { PB__JOB_OP__OP_HOLD, ADA, 0, "the owner's hold" },
        { PB__JOB_OP__OP_RELEASE, ADA, 0, "the owner's release" },
        { PB__JOB_OP__OP_HOLD, ROOT, 0, "root's hold" },
        { PB__JOB_OP__OP_RELEASE, ADA, ESLURM_ACCESS_DENIED, "the owner's release of root's hold" },
        { PB__JOB_OP__OP_RELEASE, 500, 0, "the administrator's release" },
        { PB__JOB_OP__OP_SUSPEND, ROOT, 0, "root's suspend" },
        { PB__JOB_OP__OP_RESUME, ROOT, 0, "root's resume" },
        { PB__JOB_OP__OP_TOP, ROOT, ESLURM_JOB_NOT_PENDING, "a job that runs cannot come first" },
    };
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        is_int(rig_op(&r, cases[i].uid, cases[i].op, id), cases[i].code, "%s", cases[i].name);
    is_int(rig_cancel(&r, BOB, id), ESLURM_USER_ID_MISSING, "another user's cancel");
    is_str(rig_state(&r, id), "RUNNING", "changes nothing");
    is_int(rig_cancel(&r, ADA, 4711), ESLURM_INVALID_JOB_ID, "a cancel of nothing");
    is_int(rig_cancel(&r, ADA, id), 0, "the owner's cancel");
    is_str(rig_state(&r, id), "COMPLETING", "ends it");
    is_int(rig_cancel(&r, ADA, id), ESLURM_ALREADY_DONE, "once");
    rig_down(&r);
}

/* A filter that matches all jobs cancels only the user's own. */
static void test_filter(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t hers = rig_submit(&r, ADA, NULL), his = rig_submit(&r, BOB, NULL);
    Pb__CancelRequest q = PB__CANCEL_REQUEST__INIT;
    Pb__JobQuery all = PB__JOB_QUERY__INIT;
    q.by_filter = true, q.filter = &all;
    rig_ask(&r, BOB, MSG_CANCEL, &q.base);
    is_str(rig_state(&r, hers), "RUNNING", "hers runs on");
    is_str(rig_state(&r, his), "COMPLETING", "his has ended");
    rig_down(&r);
}

static void test_update(void)
{
    static const struct {
        Pb__UpdateKind kind;
        uint32_t uid;
        const char *key, *name, *what, *value;
        int code;
        const char *text;
    } cases[] = {
        { PB__UPDATE_KIND__UPDATE_NODE, ADA, "NodeName", "n1", "State", "DOWN", ESLURM_USER_ID_MISSING,
          "a user does not touch nodes" },
        { PB__UPDATE_KIND__UPDATE_PART, ADA, "PartitionName", "main", "State", "DOWN", ESLURM_USER_ID_MISSING,
          "nor partitions" },
        { PB__UPDATE_KIND__UPDATE_JOB, BOB, "JobId", "1", "TimeLimit", "1", ESLURM_USER_ID_MISSING,
          "nor other users' jobs" },
        { PB__UPDATE_KIND__UPDATE_JOB, ADA, "JobId", "1", "TimeLimit", "1", 0, "her own, she may shorten" },
        { PB__UPDATE_KIND__UPDATE_JOB, ADA, "JobId", "1", "TimeLimit", "500", ESLURM_ACCESS_DENIED,
          "but not lengthen while it runs" },
        { PB__UPDATE_KIND__UPDATE_JOB, ROOT, "JobId", "1", "TimeLimit", "500", 0, "root may" },
    };
    struct rig r;
    rig_up(&r);
    rig_submit(&r, ADA, NULL);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
        Pb__Pair a = PB__PAIR__INIT, b = PB__PAIR__INIT, *pairs[] = { &a, &b };
        a.key = TEXT(cases[i].key), a.value = TEXT(cases[i].name), b.key = TEXT(cases[i].what),
        b.value = TEXT(cases[i].value);
        q.kind = cases[i].kind, q.pairs = pairs, q.n_pairs = 2;
        rig_ask(&r, cases[i].uid, MSG_UPDATE, &q.base);
        is_int(rig_code(&r), cases[i].code, "%s", cases[i].text);
    }
    rig_down(&r);
}

static void test_orders_are_signed(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL), node = rig_job(&r, id)->alloc.at[0].node + 1;
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__Signed *s = rig_said(&r, node, MSG_LAUNCH);
    ok(s && cred_verify(&r.key, CRED_LAUNCH, s), "a launch order is signed as one");
    ok(s && !cred_verify(&r.key, CRED_CLIENT, s), "and as nothing else");
    Pb__LaunchOrder *o = s ? pb__launch_order__unpack(NULL, s->body.len, s->body.data) : NULL;
    ok(o && o->job_id == id && o->attempt == rig_job(&r, id)->attempt && o->uid == ADA,
       "it names job, attempt and user");
    is_str(o ? o->nodes : NULL, name, "and its nodes");
    if (o)
        pb__launch_order__free_unpacked(o, NULL);
    rig_free(s);
    rig_down(&r);
}

/* Messages that the daemon answers itself pass the same rows as all others. */
static void test_messages_to_the_daemon(void)
{
    static const enum msg_type types[] = { MSG_RECONFIGURE, MSG_SHUTDOWN, MSG_TAKEOVER };
    static const struct {
        struct ctl_peer peer;
        bool may;
        const char *text;
    } cases[] = {
        { { ROOT, ROOT, false, NULL }, true, "root may send it" },
        { { 500, 500, false, NULL }, true, "SlurmUser may" },
        { { ADA, ADA, false, NULL }, false, "a user may not" },
        { { ROOT, ROOT, true, TEXT("n1") }, false, "an agent may not" },
    };
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
            struct frame f = { types[i], 0, 7, NULL, 0 };
            rig_begin(&r);
            bool may = ctl_request_permitted(r.t, ASKER, &cases[k].peer, &f);
            rig_end_turn(&r);
            ok(may == cases[k].may, "%s: %s", msg_name(types[i]), cases[k].text);
            is_int(r.said.n, !cases[k].may, "a refusal is told, a permission is not");
        }
    rig_down(&r);
}

int main(void)
{
    test_messages_to_the_daemon();
    test_agents_messages();
    test_node_for_another();
    test_rights();
    test_filter();
    test_update();
    test_orders_are_signed();
    return test_done();
}
