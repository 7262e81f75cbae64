/*
 * turn_bench [JOBS [NODES [KINDS]]] - how long one request of an ordinary user holds the controller's thread, by type.
 *
 * A controller without sockets and disk (the rig of the unit tests), full nodes, and JOBS waiting jobs of one user.
 * Each row is the largest request of its kind that admission (wire/bounds.c, ctl/spec_fields.c) lets pass: the
 * processor's time of the longest turn until its reply is complete, and how many turns that took.  KINDS: q queries,
 * s submissions, c changes.
 */
#include <stdlib.h>
#include <time.h>

#include "rig.h"
#include "wire/bounds.h"

#define TURNS_MAX 20000

static uint32_t jobs_wanted = 50000, nodes_wanted = 1000;
static double worst_us;

/* Time of the processor: other programs on the machine do not count.  The controller measures itself by the same. */
static int64_t bench_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return ts.tv_sec * (int64_t)1000000 + ts.tv_nsec / 1000;
}

static struct ctl *bench_ctl(struct rig *r)
{
    auto_free char *conf = mem_printf(
        "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
        "SchedulerParameters=enable_user_top\n"
        "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nMaxJobCount=1000000\nMaxArraySize=1000001\n"
        "NodeName=n[1-%u] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
        "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE\n",
        nodes_wanted);
    struct err err = ERR_INIT;
    struct site *site;
    if (site_load_text(&site, conf, strlen(conf), "bench.conf", &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    struct ctl_conf c = { .site = site, .key = &r->key, .admin_uid = 500, .id = 1, .accounts = &rig_accounts,
                          .clock_us = bench_us };
    return ctl_new(&c);
}

/* ---- a request, from its turn to the turn of its reply ---- */

static bool replied(const struct rig *r)
{
    for (size_t i = 0; i < r->said.n; i++)
        if (r->said.at[i].session == ASKER && !(r->said.at[i].flags & FRAME_MORE))
            return true;
    return false;
}

struct cost {
    int64_t request_us, end_us, read_us; /* of the longest turn */
    int64_t turn_us;
    unsigned turns;
};

static void bench_turn(struct rig *r, const struct frame *f, uint32_t uid, bool *more, struct cost *cost)
{
    static struct ctl_work *work;
    struct ctl_peer peer = { uid, uid, false, NULL };
    struct ctl_out *outs;
    ctl_begin(r->t, r->now_ms, NULL);
    ctl_timers(r->t);
    int64_t from = bench_us();
    if (*more)
        *more = ctl_request_slice(r->t, ASKER, &peer, f, &work) != CTL_ANSWERED;
    int64_t asked = bench_us();
    ctl_end(r->t);
    int64_t ended = bench_us();
    ctl_read(r->t);
    int64_t read = bench_us();
    size_t n = ctl_outs(r->t, &outs);
    for (size_t i = 0; i < n; i++)
        vec_push(&r->said, outs[i]);
    if (read - from > cost->turn_us)
        *cost = (struct cost){ asked - from, ended - asked, read - ended, read - from, cost->turns };
    cost->turns++;
    r->now_ms += MAX((read - from) / 1000, 1);
}

static void bench_settle(struct rig *r)
{
    struct cost nothing = { 0 };
    bool more = false;
    for (int i = 0; i < TURNS_MAX && (ctl_again(r->t) || i < 3); i++)
        bench_turn(r, NULL, 0, &more, &nothing);
    rig_forget(r);
}

static void bench_ask(struct rig *r, const char *name, uint32_t uid, enum msg_type type, const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cost cost = { 0 };
    pb_pack(&b, m);
    struct frame f = { type, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    bench_settle(r);
    if (bounds_check_frame(&f, &err) || b.len > (bounds_of(type) ? bounds_of(type)->bytes : BOUNDS_SMALL))
        printf("# %s: %zu bytes, admission refuses it: %s\n", name, b.len, err.text);
    bool more = true;
    for (int i = 0; i < TURNS_MAX && (more || !replied(r)); i++)
        bench_turn(r, &f, uid, &more, &cost);
    printf("%-9s %-44s %8.1f ms  (request %.1f plan %.1f read %.1f) turns %u%s\n", msg_name(type), name,
           (double)cost.turn_us / 1000, (double)cost.request_us / 1000, (double)cost.end_us / 1000,
           (double)cost.read_us / 1000, cost.turns, replied(r) ? "" : " NO REPLY");
    worst_us = MAX(worst_us, (double)cost.turn_us);
    rig_forget(r);
}

/* ---- the cluster ---- */

static char **words(const char *fmt, size_t n)
{
    char **list = mem_array(n, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        list[i] = mem_printf(fmt, (unsigned)i);
    return list;
}

static char *joined(const char *first, const char *fmt, const char *sep, size_t n, size_t max)
{
    struct buf b = BUF_INIT;
    buf_adds(&b, first);
    for (size_t i = 0; i < n && b.len < max - 32; i++)
        buf_addf(&b, fmt, i ? sep : "", (unsigned)i + 1);
    return buf_take(&b);
}

static void bench_job(struct rig *r, uint32_t uid, const char *name, const char *array)
{
    static char script[] = "#!/bin/sh\ntrue\n";
    struct ctl_peer peer = { uid, uid, false, NULL };
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    spec.name = TEXT(name), spec.array = TEXT(array), spec.cpus_per_task = 4;
    q.spec = &spec;
    q.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, &q.base);
    struct frame f = { MSG_SUBMIT, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    ctl_request(r->t, ASKER, &peer, &f);
}

static void bench_fill(struct rig *r, uint32_t jobs)
{
    for (uint32_t i = 0; i < jobs;) {
        ctl_begin(r->t, r->now_ms, NULL);
        ctl_timers(r->t);
        for (uint32_t k = 0; k < 500 && i < jobs; k++, i++) {
            char name[16];
            snprintf(name, sizeof(name), "job%u", i % 1000);
            bench_job(r, ADA, name, "");
        }
        struct ctl_out *outs;
        ctl_end(r->t);
        size_t n = ctl_outs(r->t, &outs);
        for (size_t k = 0; k < n; k++)
            ctl_out_clear(&outs[k]);
        r->now_ms += 10;
    }
}

/* ---- rows ---- */

static void bench_queries(struct rig *r)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    size_t n = 9990;
    uint32_t *uids = mem_array(n, sizeof(*uids));
    char **names = words("%u", n), **nodes = words("x%u", n);
    for (size_t i = 0; i < n; i++)
        uids[i] = (uint32_t)i + 100000;
    bench_ask(r, "all jobs", BOB, MSG_JOBS, &q.base);
    bench_ask(r, "all jobs, nothing has changed", BOB, MSG_JOBS, &q.base);
    q.uid = uids, q.n_uid = n;
    bench_ask(r, "9990 users", BOB, MSG_JOBS, &q.base);
    uids[n - 1] = ADA;
    q.name = names, q.n_name = 0;
    q.n_uid = 0, q.n_name = n;
    bench_ask(r, "9990 names", BOB, MSG_JOBS, &q.base);
    q.n_name = 0, q.qos = names, q.n_qos = n;
    bench_ask(r, "9990 QOS", BOB, MSG_JOBS, &q.base);
    q.n_qos = 0, q.partition = names, q.n_partition = n;
    bench_ask(r, "9990 partitions", BOB, MSG_JOBS, &q.base);
    q.n_partition = 0, q.node = nodes, q.n_node = n;
    bench_ask(r, "9990 nodes", BOB, MSG_JOBS, &q.base);
    q.n_node = 0, q.licenses = names, q.n_licenses = n;
    bench_ask(r, "9990 licenses", BOB, MSG_JOBS, &q.base);
    q.n_licenses = 0, q.wckey = names, q.n_wckey = n;
    bench_ask(r, "9990 wckeys", BOB, MSG_JOBS, &q.base);
    q.n_wckey = 0, q.reservation = names, q.n_reservation = n;
    bench_ask(r, "9990 reservations", BOB, MSG_JOBS, &q.base);
    q.n_reservation = 0, q.account = names, q.n_account = n;
    bench_ask(r, "9990 accounts", BOB, MSG_JOBS, &q.base);
    q.n_account = 0, q.state = uids, q.n_state = n;
    bench_ask(r, "9990 states", BOB, MSG_JOBS, &q.base);
    q.n_state = 0, q.steps = true;
    bench_ask(r, "all jobs with steps", BOB, MSG_JOBS, &q.base);
    q.steps = false;
    for (size_t i = 0; i < n; i++)
        uids[i] = (uint32_t)i + 1;
    q.job = uids, q.n_job = n;
    bench_ask(r, "9990 jobs by number", BOB, MSG_JOBS, &q.base);
    q.n_job = 0;
    bench_ask(r, "priorities of all", BOB, MSG_PRIO, &q.base);
    q.job = uids, q.n_job = n;
    bench_ask(r, "priorities of 9990", BOB, MSG_PRIO, &q.base);
    Pb__NodeQuery nq = PB__NODE_QUERY__INIT;
    bench_ask(r, "all", BOB, MSG_NODES, &nq.base);
    bench_ask(r, "all", BOB, MSG_CLUSTER, &nq.base);
    nq.name = nodes, nq.n_name = n;
    bench_ask(r, "9990 names", BOB, MSG_NODES, &nq.base);
    Pb__PartQuery pq = PB__PART_QUERY__INIT;
    pq.name = nodes, pq.n_name = n;
    bench_ask(r, "9990 names", BOB, MSG_PARTS, &pq.base);
    bench_ask(r, "9990 names", BOB, MSG_RESVS, &pq.base);
    Pb__LicenseQuery lq = PB__LICENSE_QUERY__INIT;
    lq.name = nodes, lq.n_name = n;
    bench_ask(r, "9990 names", BOB, MSG_LICENSES, &lq.base);
    Pb__WhyRequest why = PB__WHY_REQUEST__INIT;
    why.job_id = jobs_wanted - 1;
    bench_ask(r, "the last job", BOB, MSG_WHY, &why.base);
    Pb__DiagRequest dq = PB__DIAG_REQUEST__INIT;
    bench_ask(r, "", BOB, MSG_DIAG, &dq.base);
    Pb__AssocQuery aq = PB__ASSOC_QUERY__INIT;
    aq.shares = true;
    bench_ask(r, "shares", BOB, MSG_ASSOC, &aq.base);
    Pb__Done none = PB__DONE__INIT;
    bench_ask(r, "", BOB, MSG_CONFIG, &none.base);
    bench_ask(r, "", BOB, MSG_STATUS, &none.base);
    Pb__TopologyQuery tq = PB__TOPOLOGY_QUERY__INIT;
    bench_ask(r, "", BOB, MSG_TOPOLOGY, &tq.base);
    Pb__PermitRequest pr = PB__PERMIT_REQUEST__INIT;
    pr.job_id = 1, pr.node = nodes, pr.n_node = n;
    bench_ask(r, "9990 nodes", BOB, MSG_PERMIT, &pr.base);
    Pb__WaitRequest wq = PB__WAIT_REQUEST__INIT;
    uint32_t ended[990];
    for (size_t i = 0; i < 990; i++)
        ended[i] = 4000000 + (uint32_t)i;
    wq.job_id = ended, wq.n_job_id = 990;
    bench_ask(r, "990 jobs that are gone", ADA, MSG_WAIT, &wq.base);
}

static void bench_submissions(struct rig *r)
{
    static char script[4 << 20], env[8 << 20];
    memset(script, ' ', sizeof(script));
    memcpy(script, "#!/bin/sh\n", 10);
    memset(env, 'x', sizeof(env)), env[1] = '=', env[sizeof(env) - 1] = 0;
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    q.spec = &spec;
    q.script = (ProtobufCBinaryData){ 100, (uint8_t *)script };
    spec.hold = true;
    bench_ask(r, "small", ADA, MSG_SUBMIT, &q.base);
    q.script.len = sizeof(script) - 1;
    bench_ask(r, "script of 4 MB", ADA, MSG_SUBMIT, &q.base);
    q.script.len = 100;
    q.env = (ProtobufCBinaryData){ 3 << 20, (uint8_t *)env };
    env[(3 << 20) - 1] = 0;
    bench_ask(r, "environment of 3 MB", ADA, MSG_SUBMIT, &q.base);
    q.env.len = 0;
    spec.array = TEXT("0-1000000");
    bench_ask(r, "array of a million tasks", ADA, MSG_SUBMIT, &q.base);
    spec.array = joined("", "%s%u0-1000000:2", ",", 2000, 16000);
    bench_ask(r, "array text of 16 kB, ranges", ADA, MSG_SUBMIT, &q.base);
    spec.array = TEXT("");
    spec.dependency = joined("afterok:", "%s%u", ":", 20000, 128 << 10);
    bench_ask(r, "dependency of 128 kB", ADA, MSG_SUBMIT, &q.base);
    spec.dependency = joined("", "%safterany:%u", ",", 20000, 128 << 10);
    bench_ask(r, "dependency of 128 kB, afterany each", ADA, MSG_SUBMIT, &q.base);
    spec.dependency = joined("", "%safter:%u+5", ",", 100, 128 << 10);
    bench_ask(r, "100 dependencies", ADA, MSG_SUBMIT, &q.base);
    spec.dependency = TEXT("singleton"), spec.name = TEXT("nobody");
    bench_ask(r, "singleton", ADA, MSG_SUBMIT, &q.base);
    spec.dependency = TEXT("");
    spec.nodelist = joined("", "%sn[1-1000]", ",", 12000, 128 << 10);
    bench_ask(r, "node list of 128 kB, ranges", ADA, MSG_SUBMIT, &q.base);
    spec.nodelist = joined("", "%sn%u", ",", 1000, 128 << 10);
    bench_ask(r, "1000 nodes by name", ADA, MSG_SUBMIT, &q.base);
    spec.nodelist = TEXT("");
    spec.exclude = TEXT("n[1-999]");
    bench_ask(r, "exclude 999 nodes", ADA, MSG_SUBMIT, &q.base);
    spec.exclude = TEXT("");
    spec.constraint = joined("", "%sf%u", "|", 5000, 16000);
    bench_ask(r, "constraint of 16 kB", ADA, MSG_SUBMIT, &q.base);
    spec.constraint = TEXT("");
    spec.gres = joined("", "%sgpu:t%u:1", ",", 5000, 16000);
    bench_ask(r, "gres of 16 kB", ADA, MSG_SUBMIT, &q.base);
    spec.gres = TEXT("");
    spec.licenses = joined("", "%sl%u:1", ",", 5000, 16000);
    bench_ask(r, "licenses of 16 kB", ADA, MSG_SUBMIT, &q.base);
    spec.licenses = TEXT("");
    spec.argv = words("%u", 65000), spec.n_argv = 65000;
    bench_ask(r, "65000 arguments", ADA, MSG_SUBMIT, &q.base);
    spec.n_argv = 0;
    spec.hold = false, spec.min_nodes = nodes_wanted, q.test_only = true;
    bench_ask(r, "test only, all nodes", ADA, MSG_SUBMIT, &q.base);
    Pb__SubmitRequest part[127], *parts[127];
    for (size_t i = 0; i < 127; i++) {
        pb__submit_request__init(&part[i]);
        part[i].spec = &spec;
        parts[i] = &part[i];
    }
    spec.min_nodes = 1, q.test_only = false, q.het = parts, q.n_het = 127;
    bench_ask(r, "128 components", ADA, MSG_SUBMIT, &q.base);
}

static void bench_changes(struct rig *r)
{
    size_t n = 9990;
    char **names = words("job%u", n);
    Pb__JobRef *ref = mem_array(n, sizeof(*ref)), **refs = mem_array(n, sizeof(*refs));
    for (size_t i = 0; i < n; i++) {
        pb__job_ref__init(&ref[i]);
        ref[i].job = (uint32_t)i + 2000;
        refs[i] = &ref[i];
    }
    Pb__JobOpRequest op = PB__JOB_OP_REQUEST__INIT;
    op.op = PB__JOB_OP__OP_UHOLD, op.jobs = refs, op.n_jobs = n;
    bench_ask(r, "hold 9990 jobs", ADA, MSG_JOB_OP, &op.base);
    op.op = PB__JOB_OP__OP_RELEASE;
    bench_ask(r, "release 9990 jobs", ADA, MSG_JOB_OP, &op.base);
    bench_ask(r, "release 9990 jobs of another user", BOB, MSG_JOB_OP, &op.base);
    op.op = PB__JOB_OP__OP_TOP;
    bench_ask(r, "top of 9990 jobs", ADA, MSG_JOB_OP, &op.base);
    op.op = PB__JOB_OP__OP_UHOLD, op.n_jobs = 0, op.name = names, op.n_name = n;
    bench_ask(r, "hold 9990 names", BOB, MSG_JOB_OP, &op.base);
    bench_ask(r, "hold 9990 names, all jobs", ADA, MSG_JOB_OP, &op.base);
    op.op = PB__JOB_OP__OP_RELEASE;
    bench_ask(r, "release 9990 names, all jobs", ADA, MSG_JOB_OP, &op.base);

    Pb__UpdateRequest u = PB__UPDATE_REQUEST__INIT;
    Pb__Pair id = PB__PAIR__INIT, pair[2000], *pairs[2001] = { &id };
    for (size_t i = 0; i < ARRAY_LEN(pair); i++) {
        pb__pair__init(&pair[i]);
        pair[i].key = TEXT("Comment"), pair[i].value = TEXT("x"), pair[i].op = TEXT("=");
        pairs[i + 1] = &pair[i];
    }
    id.key = TEXT("JobId"), id.op = TEXT("="), id.value = joined("", "%s%u", ",", 40000, 3 << 20);
    u.pairs = pairs, u.n_pairs = 2;
    bench_ask(r, "40000 jobs by number", ADA, MSG_UPDATE, &u.base);
    id.value = TEXT("3000"), u.n_pairs = 2001;
    bench_ask(r, "one job, 2000 pairs", ADA, MSG_UPDATE, &u.base);
    id.key = TEXT("JobName"), id.value = TEXT("job1"), u.n_pairs = 2;
    bench_ask(r, "jobs by name", ADA, MSG_UPDATE, &u.base);

    bench_job(r, ADA, "array", "0-999999");
    uint32_t array = ctl_cluster(r->t)->next_job - 1;
    auto_free uint8_t *bits = mem_alloc(125000);
    memset(bits, 0x55, 125000);
    Pb__JobRef tasks = PB__JOB_REF__INIT, *one[] = { &tasks };
    tasks.job = array, tasks.tasks = (ProtobufCBinaryData){ 2000, bits };
    op.op = PB__JOB_OP__OP_UHOLD, op.n_name = 0, op.jobs = one, op.n_jobs = 1;
    bench_ask(r, "hold 8000 tasks of an array", ADA, MSG_JOB_OP, &op.base);
    tasks.tasks = (ProtobufCBinaryData){ 0, NULL };
    for (size_t i = 0; i < n; i++)
        ref[i].job = array;
    op.jobs = refs, op.n_jobs = 20;
    bench_ask(r, "hold an array of 8000 records 20 times", ADA, MSG_JOB_OP, &op.base);

    Pb__CancelRequest c = PB__CANCEL_REQUEST__INIT;
    Pb__JobQuery filter = PB__JOB_QUERY__INIT;
    c.jobs = refs, c.n_jobs = 20;
    bench_ask(r, "an array of 8000 records 20 times", BOB, MSG_CANCEL, &c.base);
    c.n_jobs = 0, c.filter = &filter, c.by_filter = true;
    bench_ask(r, "all jobs of another user", BOB, MSG_CANCEL, &c.base);
    filter.name = words("x%u", n), filter.n_name = n;
    bench_ask(r, "by 9990 names", BOB, MSG_CANCEL, &c.base);
    filter.n_name = 0;
    bench_ask(r, "all jobs", ADA, MSG_CANCEL, &c.base);
}

int main(int argc, char **argv)
{
    jobs_wanted = argc > 1 ? (uint32_t)atoi(argv[1]) : jobs_wanted;
    nodes_wanted = argc > 2 ? (uint32_t)atoi(argv[2]) : nodes_wanted;
    struct rig r = { .now_ms = START_MS, .nodes = nodes_wanted };
    memset(r.key.bytes, 42, sizeof(r.key.bytes));
    log_open("bench", LOG_FATAL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    r.t = bench_ctl(&r);
    rig_lead(&r);
    for (uint32_t i = 1; i <= nodes_wanted; i++)
        rig_register(&r, i, "boot", NULL, 0);
    bench_fill(&r, jobs_wanted);
    bench_settle(&r);
    printf("# %zu waiting, %zu running\n", (size_t)ctl_cluster(r.t)->pending.n, (size_t)ctl_cluster(r.t)->active.n);
    const char *only = argc > 3 ? argv[3] : "qsc";
    if (strchr(only, 'q'))
        bench_queries(&r);
    if (strchr(only, 's'))
        bench_submissions(&r);
    if (strchr(only, 'c'))
        bench_changes(&r);
    printf("worst turn of a user's request, ms: %.1f\n", worst_us / 1000);
    rig_down(&r);
    return 0;
}
