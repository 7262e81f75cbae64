/*
 * lead - leading again equals leading for the first time.
 *
 * One controller leads through a random history, follows for a moment and leads again; another one has only replayed
 * the log.  From then on both get the same requests, and say and log the same, byte for byte: no module kept anything.
 */
#include "rig.h"

#define NODES 4
#define OPS 120

static const char conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "ReturnToService=1\nSlurmdTimeout=60\nMinJobAge=100\nKillWait=5\nMaxArraySize=100\nTreeWidth=2\n"
    "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityWeightJobSize=100\nPriorityCalcPeriod=1\n%s"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE OverSubscribe=%s\n";

static uint32_t seed;

static uint32_t roll(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- things that happen: the same for equal controllers ---- */

static uint32_t picked, amount;
static char text[64];

static void c_job(Pb__SubmitRequest *q)
{
    q->spec->ntasks = 1 + amount % 6;
    q->spec->time_limit_min = amount % 3 ? 1 + amount % 7 : 0;
    q->spec->nice = (int32_t)(amount % 5);
    if (amount % 4 == 1) {
        snprintf(text, sizeof(text), "after%s:%u%s", amount % 8 == 1 ? "ok" : "", picked, amount % 8 == 1 ? "" : "+1");
        q->spec->dependency = text;
    }
    if (amount % 7 == 2)
        q->spec->array = TEXT("0-3");
    if (amount % 11 == 3)
        q->spec->kind = PB__JOB_KIND__KIND_SALLOC, q->script.len = 0;
    if (amount % 5 == 4)
        q->spec->signal = 10, q->spec->signal_before_s = 30;
}

static void wait_for(struct rig *r, uint32_t id)
{
    Pb__WaitRequest q = PB__WAIT_REQUEST__INIT;
    q.job_id = &id, q.n_job_id = 1;
    rig_request(r, 3000 + id, (struct ctl_peer){ ADA, ADA, false, NULL }, MSG_WAIT, &q.base);
}

static void ask_step(struct rig *r, uint32_t id)
{
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    char *argv[] = { TEXT("true") };
    spec.argv = argv, spec.n_argv = 1, spec.ntasks = 1 + amount % 3, spec.exact = true;
    spec.time_limit_min = amount % 3;
    q.job_id = id, q.spec = &spec;
    rig_request(r, 4000 + amount % 50, (struct ctl_peer){ ADA, ADA, false, NULL }, MSG_STEP, &q.base);
}

static void reserve(struct rig *r)
{
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[4], *pairs[4];
    static const char *const key[] = { "StartTime", "Duration", "Users", "NodeCnt" };
    static const char *const value[] = { "now+5seconds", "1", "root", "1" };
    for (size_t i = 0; i < 4; i++) {
        pb__pair__init(&pair[i]);
        pair[i].op = TEXT("="), pair[i].key = TEXT(key[i]), pair[i].value = TEXT(value[i]);
        pairs[i] = &pair[i];
    }
    q.kind = PB__UPDATE_KIND__UPDATE_RESV, q.create = true, q.pairs = pairs, q.n_pairs = 4;
    rig_ask(r, ROOT, MSG_UPDATE, &q.base);
}

static void report_end(struct rig *r, uint32_t id)
{
    struct job *j = rig_job(r, id);
    if (!j || !j->alloc.n)
        return;
    uint32_t at = amount % j->alloc.n;
    uint32_t step = j->steps.n && amount % 2 ? j->steps.at[0].pb->id : PB__STEP_NUMBER__STEP_BATCH;
    rig_report(r, j->alloc.at[at].node + 1, id, j->attempt, step, amount % 5 ? 0 : 256, amount % 3);
}

static void happen(struct rig *r, uint32_t what)
{
    switch (what) {
    case 0:
    case 1:
    case 2: rig_submit(r, amount % 3 ? ADA : BOB, c_job); break;
    case 3:
    case 4: report_end(r, picked); break;
    case 5: rig_cancel(r, ROOT, picked); break;
    case 6: rig_op(r, ROOT, amount % 2 ? PB__JOB_OP__OP_HOLD : PB__JOB_OP__OP_RELEASE, picked); break;
    case 7: rig_op(r, ROOT, PB__JOB_OP__OP_REQUEUE, picked); break;
    case 8: rig_op(r, ROOT, amount % 2 ? PB__JOB_OP__OP_SUSPEND : PB__JOB_OP__OP_RESUME, picked); break;
    case 9: rig_gone(r, 1 + amount % NODES); break;
    case 10: rig_register(r, 1 + amount % NODES, amount % 9 ? "boot" : "again", NULL, 0); break;
    case 11: rig_pass(r, 1 + amount % 40); break;
    case 12: wait_for(r, picked); break;
    case 13: ask_step(r, picked); break;
    case 14: reserve(r); break;
    }
}

static uint32_t choose(const struct rig *r)
{
    picked = 1 + roll(MAX(ctl_cluster(r->t)->next_job, 2u));
    amount = roll(1000);
    return roll(15);
}

/* ---- the same? ---- */

static bool same_said(const struct rig *a, const struct rig *b)
{
    if (a->said.n != b->said.n)
        return false;
    for (size_t i = 0; i < a->said.n; i++) {
        const struct ctl_out *x = &a->said.at[i], *y = &b->said.at[i];
        if (x->session != y->session || x->type != y->type || x->number != y->number || x->len != y->len ||
            (x->len && memcmp(x->body, y->body, x->len)))
            return false;
    }
    return true;
}

static bool same_log(const struct rig *a, size_t a_from, const struct rig *b, size_t b_from)
{
    if (a->log.n - a_from != b->log.n - b_from)
        return false;
    for (size_t i = 0; a_from + i < a->log.n; i++) {
        const struct buf *x = &a->log.at[a_from + i], *y = &b->log.at[b_from + i];
        if (x->len != y->len || memcmp(x->s, y->s, x->len))
            return false;
    }
    return true;
}

static bool same(const struct rig *a, size_t a_from, const struct rig *b, size_t b_from)
{
    return same_log(a, a_from, b, b_from) && same_said(a, b) && ctl_next_ms(a->t) == ctl_next_ms(b->t);
}

/* Everything that is shown: jobs, nodes, priorities, reservations, counters. */
static bool same_shown(struct rig *a, struct rig *b)
{
    static const enum msg_type all[] = { MSG_JOBS, MSG_NODES, MSG_PARTS, MSG_PRIO, MSG_RESVS, MSG_DIAG };
    bool good = true;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct rig *two[] = { a, b };
        for (size_t k = 0; k < 2; k++) {
            ProtobufCMessage *q = protobuf_c_message_unpack(msg_descriptor(all[i]), NULL, 0, NULL);
            rig_ask(two[k], ROOT, all[i], q);
            rig_free(q);
        }
        if (!same_said(a, b))
            printf("# message type %d is answered differently\n", all[i]);
        good &= same_said(a, b);
    }
    return good;
}

/* ---- ---- */

static void fresh_from(struct rig *b, const struct rig *a, const char *with)
{
    *b = (struct rig){ .now_ms = a->now_ms, .nodes = a->nodes, .key = a->key };
    b->t = rig_ctl(b, with);
    for (size_t i = 0; i < a->log.n; i++)
        rig_replay(b->t, a->log.at[i].s, a->log.at[i].len);
}

static bool go_on(struct rig *a, size_t from, struct rig *b)
{
    for (int i = 0; i < OPS; i++) {
        uint32_t what = i < NODES ? 10 : choose(a);
        if (i < NODES)
            amount = (uint32_t)i + 9 * 4;
        happen(a, what);
        happen(b, what);
        if (!same(a, from, b, 0)) {
            printf("# they part at operation %d, of kind %u, job %u\n", i, what, picked);
            return false;
        }
    }
    return true;
}

static void test_again(uint32_t number, const char *more, const char *over)
{
    struct rig a, b;
    auto_free char *with = mem_printf(conf, more, over);
    seed = number;
    rig_up_conf(&a, with, NODES);
    for (int i = 0; i < OPS; i++)
        happen(&a, choose(&a));
    fresh_from(&b, &a, with);
    ctl_follow(a.t);
    size_t from = a.log.n;
    rig_lead(&a);
    rig_lead(&b);
    ok(same(&a, from, &b, 0), "seed %u: leading again begins as leading for the first time does", number);
    ok(same_shown(&a, &b), "seed %u: and shows the same", number);
    ok(go_on(&a, from, &b), "seed %u: and goes on in the same way", number);
    ok(same_shown(&a, &b), "seed %u: to the same end", number);
    rig_down(&a);
    rig_down(&b);
}

int main(void)
{
    for (uint32_t i = 1; i <= 30; i++)
        test_again(i, "", "NO");
    for (uint32_t i = 31; i <= 40; i++)
        test_again(i, "PreemptMode=GANG\nSchedulerTimeSlice=5\n", "FORCE:2");
    return test_done();
}
