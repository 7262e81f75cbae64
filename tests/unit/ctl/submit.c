/* submit - the ladder every submission climbs, and that a retry does not climb it twice. */
#include "rig.h"

static uint8_t large[5u << 20];
static char key_bytes[16] = "0123456789abcde";

static void c_key(Pb__SubmitRequest *q) { q->key = (ProtobufCBinaryData){ 16, (uint8_t *)key_bytes }; }
static void c_noscript(Pb__SubmitRequest *q) { q->script.len = 0; }
static void c_nopart(Pb__SubmitRequest *q) { q->spec->partition = TEXT("nowhere"); }
static void c_onepart(Pb__SubmitRequest *q) { q->spec->partition = TEXT("main,nowhere"); }
static void c_rootpart(Pb__SubmitRequest *q) { q->spec->partition = TEXT("root"); }
static void c_offpart(Pb__SubmitRequest *q) { q->spec->partition = TEXT("off"); }
static void c_commas(Pb__SubmitRequest *q) { q->spec->partition = TEXT(",,"); }
static void c_badnode(Pb__SubmitRequest *q) { q->spec->nodelist = TEXT("n[1-9]"); }
static void c_badlist(Pb__SubmitRequest *q) { q->spec->nodelist = TEXT("n[1-"); }
static void c_badexclude(Pb__SubmitRequest *q) { q->spec->exclude = TEXT("x1"); }
static void c_license(Pb__SubmitRequest *q) { q->spec->licenses = TEXT("matlab"); }
static void c_resv(Pb__SubmitRequest *q) { q->spec->reservation = TEXT("r"); }
static void c_nogres(Pb__SubmitRequest *q) { q->spec->gres = TEXT("tape:1"); }
static void c_badgres(Pb__SubmitRequest *q) { q->spec->gres = TEXT("gpu:x:y:z:1"); }
static void c_deadline(Pb__SubmitRequest *q) { q->spec->deadline_s = START_MS / 1000 - 5; }
static void c_array(Pb__SubmitRequest *q) { q->spec->array = TEXT("1-2-3"); }
static void c_bigarray(Pb__SubmitRequest *q) { q->spec->array = TEXT("0-100"); }
static void c_hugearray(Pb__SubmitRequest *q) { q->spec->array = TEXT("0-4294967294"); }
static void c_manynodes(Pb__SubmitRequest *q) { q->spec->min_nodes = 5; }
static void c_manycpus(Pb__SubmitRequest *q) { q->spec->ntasks = 17; }
static void c_memory(Pb__SubmitRequest *q) { q->spec->mem_per_node_mb = 9000; }
static void c_depend(Pb__SubmitRequest *q) { q->spec->dependency = TEXT("afterok:77"); }
static void c_baddepend(Pb__SubmitRequest *q) { q->spec->dependency = TEXT("sometime:1"); }
static void c_other(Pb__SubmitRequest *q) { q->as_other = true, q->uid = BOB, q->gid = BOB; }
static void c_script(Pb__SubmitRequest *q) { q->script = (ProtobufCBinaryData){ sizeof(large), large }; }
static void c_env(Pb__SubmitRequest *q) { q->env = (ProtobufCBinaryData){ 3u << 20, large }; }
static void c_test(Pb__SubmitRequest *q) { q->test_only = true; }
static void c_hold(Pb__SubmitRequest *q) { q->spec->hold = true; }
static void c_nice(Pb__SubmitRequest *q) { q->spec->nice = -100; }
static void c_priority(Pb__SubmitRequest *q) { q->spec->has_priority = true, q->spec->priority = 5000; }

static void test_ladder(void)
{
    static const struct {
        void (*change)(Pb__SubmitRequest *q);
        int code;
        const char *name;
    } cases[] = {
        { c_noscript, ESLURM_JOB_SCRIPT_MISSING, "no script" },
        { c_script, ESLURM_PATHNAME_TOO_LONG, "a script too large" },
        { c_env, E2BIG, "an environment too large" },
        { c_nopart, ESLURM_INVALID_PARTITION_NAME, "no such partition" },
        { c_onepart, ESLURM_INVALID_PARTITION_NAME, "one partition of two is not there" },
        { c_commas, ESLURM_INVALID_PARTITION_NAME, "a list of no partition" },
        { c_rootpart, ESLURM_ACCESS_DENIED, "a partition for root alone" },
        { c_offpart, ESLURM_PARTITION_NOT_AVAIL, "a partition that is off" },
        { c_badnode, ESLURM_INVALID_NODE_NAME, "a node that is not there" },
        { c_badlist, ESLURM_INVALID_NODE_NAME, "a list of nodes that does not parse" },
        { c_badexclude, ESLURM_INVALID_NODE_NAME, "a node to avoid that is not there" },
        { c_license, ESLURM_INVALID_LICENSES, "licenses" },
        { c_resv, ESLURM_RESERVATION_INVALID, "a reservation" },
        { c_nogres, ESLURM_INVALID_GRES, "a device that no node has" },
        { c_badgres, ESLURM_INVALID_GRES, "a device that does not parse" },
        { c_deadline, ESLURM_INVALID_TIME_LIMIT, "a deadline in the past" },
        { c_array, ESLURM_INVALID_ARRAY, "an array that does not parse" },
        { c_bigarray, ESLURM_INVALID_ARRAY, "an array over the site's limit" },
        { c_hugearray, ESLURM_INVALID_ARRAY, "an array over the limit of all users" },
        { c_memory, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "more memory than a node has" },
        { c_nice, ESLURM_INVALID_NICE, "a negative nice from a user" },
        { c_depend, ESLURM_DEPENDENCY, "a job to wait for that is not there" },
        { c_baddepend, ESLURM_DEPENDENCY, "a dependency that does not parse" },
    };
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t entries = r.log.n;
        ok(!rig_submit(&r, ADA, cases[i].change), "%s: nothing is submitted", cases[i].name);
        is_int(rig_code(&r), cases[i].code, "%s: Slurm's number", cases[i].name);
        ok(r.log.n == entries && !ctl_cluster(r.t)->jobs.n, "%s: and nothing is in the log", cases[i].name);
    }
    rig_down(&r);
}

/* Larger than its partition: as in Slurm it is taken, and waits with a reason, where EnforcePartLimits does not say
 * otherwise. */
static void test_too_large(void)
{
    void (*const cases[])(Pb__SubmitRequest *) = { c_manynodes, c_manycpus };
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint32_t id = rig_submit(&r, ADA, cases[i]);
        is_str(rig_state(&r, id), "PENDING", "a job larger than its partition waits");
        ok(id && rig_job(&r, id)->why.code != WHY_NONE, "with a reason: %s",
           id ? why_name(rig_job(&r, id)->why.code) : "");
    }
    rig_down(&r);
}

static void c_small(Pb__SubmitRequest *q)
{
    q->spec->partition = TEXT("small");
}
static void c_small_nodes(Pb__SubmitRequest *q)
{
    c_small(q), q->spec->min_nodes = 3;
}
static void c_small_time(Pb__SubmitRequest *q)
{
    c_small(q), q->spec->time_limit_min = 61;
}
static void c_small_memory(Pb__SubmitRequest *q)
{
    c_small(q), q->spec->mem_per_node_mb = 2001;
}
static void c_small_few(Pb__SubmitRequest *q)
{
    c_small(q), q->spec->min_nodes = q->spec->max_nodes = 1;
}
static void c_both(Pb__SubmitRequest *q)
{
    c_small_nodes(q), q->spec->partition = TEXT("small,main");
}

/* A job outside the limits of a partition is refused where EnforcePartLimits says so: by any of its partitions, or only
 * by all of them. */
static void test_part_limits(void)
{
    static const char form[] =
        "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "EnforcePartLimits=%s\nNodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
        "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n"
        "PartitionName=small Nodes=ALL DefaultTime=10 MaxTime=60 MinNodes=2 MaxNodes=2 MaxMemPerNode=2000\n";
    static const struct {
        void (*change)(Pb__SubmitRequest *q);
        int all, any;
        const char *name;
    } cases[] = {
        { c_small_nodes, ESLURM_INVALID_NODE_COUNT, ESLURM_INVALID_NODE_COUNT, "more nodes than MaxNodes" },
        { c_small_few, ESLURM_INVALID_NODE_COUNT, ESLURM_INVALID_NODE_COUNT, "fewer nodes than MinNodes" },
        { c_small_time, ESLURM_INVALID_TIME_LIMIT, ESLURM_INVALID_TIME_LIMIT, "more time than MaxTime" },
        { c_small_memory, ESLURM_INVALID_TASK_MEMORY, ESLURM_INVALID_TASK_MEMORY, "more memory than MaxMemPerNode" },
        { c_both, ESLURM_INVALID_NODE_COUNT, 0, "too large for one of two partitions" },
        { c_small, 0, 0, "within the limits" },
    };
    static const char *const words[] = { "ALL", "ANY", "NO" };
    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        struct rig r;
        auto_free char *conf = mem_printf(form, words[w]);
        rig_up_conf(&r, conf, 4);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
            int want = w == 0 ? cases[i].all : w == 1 ? cases[i].any : 0;
            uint32_t id = rig_submit(&r, ADA, cases[i].change);
            ok(!id == !!want, "EnforcePartLimits=%s: %s", words[w], cases[i].name);
            if (want)
                is_int(rig_code(&r), want, "%s: Slurm's number", cases[i].name);
        }
        rig_down(&r);
    }
}

static void test_nothing(void)
{
    struct rig r;
    rig_up(&r);
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    rig_ask(&r, ADA, MSG_SUBMIT, &q.base);
    is_int(rig_code(&r), EBADMSG, "a submission of nothing");
    struct frame junk = { MSG_SUBMIT, 0, 3, (const uint8_t *)"\xff\xff\xff", 3 };
    struct ctl_peer peer = { ADA, ADA, false, NULL };
    rig_begin(&r);
    ctl_request(r.t, ASKER, &peer, &junk);
    rig_end_turn(&r);
    is_int(rig_code(&r), EBADMSG, "bytes that do not parse");
    rig_down(&r);
}

static void test_retry(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t first = rig_submit(&r, ADA, c_key);
    size_t entries = r.log.n;
    is_int(rig_submit(&r, ADA, c_key), first, "a retry gets the same job");
    is_int(r.log.n, entries, "and adds nothing to the log");
    ok(rig_submit(&r, BOB, c_key) != first, "another user's key is another key");
    rig_failover(&r);
    is_int(rig_submit(&r, ADA, c_key), first, "also from the next leader");
    rig_register(&r, 1, "boot", NULL, 0);
    rig_cancel(&r, ADA, first);
    rig_report(&r, 1, first, rig_job(&r, first)->attempt, PB__STEP_NUMBER__STEP_BATCH, 15, true);
    rig_pass(&r, 300);
    is_str(rig_state(&r, first), "gone", "the job ends and is forgotten");
    is_int(rig_submit(&r, ADA, c_key), first, "a late retry still does not run it again");
    rig_down(&r);
}

static void test_sender(void)
{
    struct rig r;
    rig_up(&r);
    ok(!rig_submit(&r, ADA, c_other), "a user does not submit as another");
    is_int(rig_code(&r), ESLURM_USER_ID_MISSING, "says Slurm's number");
    uint32_t id = rig_submit(&r, ROOT, c_other);
    ok(id && rig_job(&r, id)->uid == BOB, "root does");
    ok(rig_job(&r, rig_submit(&r, ADA, NULL))->uid == ADA, "the sender is the user that the kernel names");
    is_int(rig_job(&r, rig_submit(&r, ADA, c_priority))->priority, 1, "a user's own priority is not taken");
    is_int(rig_job(&r, rig_submit(&r, ROOT, c_priority))->priority, 5000, "root's is");
    rig_down(&r);
}

static void test_test_only(void)
{
    struct rig r;
    rig_up(&r);
    size_t entries = r.log.n;
    rig_submit(&r, ADA, c_test);
    Pb__SubmitReply *a = rig_said(&r, ASKER, MSG_SUBMIT_REPLY);
    ok(a && !a->code && a->planned_start_s >= START_MS / 1000 && !str_empty(a->planned_nodes),
       "a test says when and where");
    ok(r.log.n == entries, "and submits nothing");
    rig_free(a);
    uint32_t id = rig_submit(&r, ADA, c_hold);
    is_str(rig_state(&r, id), "PENDING", "a held job waits");
    is_int(rig_job(&r, id)->priority, 0, "with no priority");
    rig_down(&r);
}

int main(void)
{
    test_ladder();
    test_too_large();
    test_part_limits();
    test_nothing();
    test_retry();
    test_sender();
    test_test_only();
    return test_done();
}
