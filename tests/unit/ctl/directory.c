/* directory - users and groups of the machine: partitions by group, names in events, requests that are parked. */
#include "rig.h"

static const char conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n"
    "PartitionName=engines Nodes=n1 AllowGroups=wheels,engines\n";

#define UNKNOWN_UID 4711

static void c_engines(Pb__SubmitRequest *q)
{
    q->spec->partition = TEXT("engines");
}

static void test_groups(void)
{
    struct rig r;
    rig_up_conf(&r, conf, 4);
    uint32_t id = rig_submit(&r, ADA, c_engines);
    ok(id, "a member of one of its groups may use a partition");
    is_str(rig_job(&r, id)->user_name, "ada", "the job has the user's name");
    is_int(rig_submit(&r, BOB, c_engines), 0, "a user of other groups may not");
    is_int(rig_code(&r), ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP, "by Slurm's number");
    is_int(rig_submit(&r, UNKNOWN_UID, c_engines), 0, "nor may a user without an account");
    ok(rig_submit(&r, ROOT, c_engines), "root may");
    id = rig_submit(&r, UNKNOWN_UID, NULL);
    ok(id && str_empty(rig_job(&r, id)->user_name), "a user without an account has jobs without a name");
    rig_down(&r);
}

/* Ask, and say whether it was decided. */
static bool decided(struct rig *r, uint32_t uid, enum msg_type type, const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    struct ctl_peer peer = { uid, uid, false, NULL };
    pb_pack(&b, m);
    struct frame f = { type, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    rig_forget(r);
    ctl_begin(r->t, ++r->now_ms, NULL);
    bool yes = ctl_request(r->t, ASKER, &peer, &f);
    rig_end_turn(r);
    return yes;
}

static void test_parked(enum msg_type type, const ProtobufCMessage *m, const char *what)
{
    struct rig r;
    rig_up_conf(&r, conf, 4);
    size_t entries = r.log.n;
    rig_directory.slow = true;
    rig_directory.asked = 0;
    bool first = decided(&r, ROOT, type, m);
    ok(!first && rig_directory.asked, "%s waits for the lookup", what);
    ok(r.log.n == entries && rig_code(&r) == -1, "nothing is logged or answered");
    ok(!decided(&r, ROOT, type, m), "and it may have to wait again");
    rig_directory.slow = false;
    ok(decided(&r, ROOT, type, m), "then it is decided");
    ok(r.log.n == entries + 1 && rig_code(&r) != EAGAIN, "logged and answered, once");
    Pb__Done none = PB__DONE__INIT;
    ok(decided(&r, ROOT, MSG_CONFIG, &none.base), "and later requests do not wait");
    rig_down(&r);
}

static void test_requests(void)
{
    static char script[] = "#!/bin/sh\ntrue\n", assocs[] = "Cluster - 'test'\nParent - 'root'\nUser - 'ada'\n";
    Pb__SubmitRequest submit = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    spec.name = TEXT("test");
    submit.spec = &spec;
    submit.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    test_parked(MSG_SUBMIT, &submit.base, "a submission");
    Pb__AssocLoad load = PB__ASSOC_LOAD__INIT;
    load.text = (ProtobufCBinaryData){ sizeof(assocs) - 1, (uint8_t *)assocs };
    test_parked(MSG_ASSOC_LOAD, &load.base, "a file of associations");
}

int main(void)
{
    test_groups();
    test_requests();
    return test_done();
}
