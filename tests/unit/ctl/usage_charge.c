/* usage_charge - usage is charged once, decays, is reset at its time and ends jobs that have used up a limit; and which
 * jobs accrue age. */
#include <math.h>

#include "rig.h"

#include "core/limits.h"

#define CONF                                                                                                      \
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"      \
    "MinJobAge=30\nKillWait=5\nPriorityType=priority/multifactor\nPriorityCalcPeriod=00:01\nPriorityWeightAge=1000\n" \
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"                                                \
    "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE\n"

#define ROSTER                                                                    \
    "QOS - normal:UsageFactor=1\nQOS - dear:UsageFactor=2\n"                       \
    "QOS - kept:Flags=NoDecay\nQOS - few:GrpTRESMins=cpu=4\n"                      \
    "QOS - one:GrpJobsAccrue=1\nQOS - resv:Flags=RequiresReservation\n"            \
    "QOS - strict:Flags=DenyOnLimit:MaxTRESPerNode=cpu=2:MaxTRESMins=cpu=100:MinTRES=cpu=1\n" \
    "Cluster - test:Fairshare=1\nParent - root\nAccount - phys:Fairshare=1:MaxSubmitJobs=40\n"    \
    "Parent - phys\nUser - daemon:DefaultAccount=phys:Fairshare=1:GrpTRES=cpu=12\n"

#define DAEMON 1 /* the number of that user on every machine */

static char *qos, *account;
static uint32_t tasks, minutes;

static void c_job(Pb__SubmitRequest *q)
{
    q->spec->ntasks = tasks;
    q->spec->time_limit_min = minutes;
    if (qos)
        q->spec->qos = qos;
    if (account)
        q->spec->account = account;
}

static uint32_t job(struct rig *r, const char *of, uint32_t n, uint32_t limit_min)
{
    qos = TEXT(of), tasks = n, minutes = limit_min;
    return rig_submit(r, DAEMON, c_job);
}

static void up(struct rig *r, const char *conf)
{
    Pb__AssocLoad q = PB__ASSOC_LOAD__INIT;
    rig_up_conf(r, conf, 4);
    q.text.data = (uint8_t *)TEXT(ROSTER), q.text.len = strlen(ROSTER);
    rig_ask(r, ROOT, MSG_ASSOC_LOAD, &q.base);
}

static void take_over(struct rig *r, const char *conf)
{
    struct ctl *next = rig_ctl(r, conf);
    for (size_t i = 0; i < r->log.n; i++)
        rig_replay(next, r->log.at[i].s, r->log.at[i].len);
    ctl_free(r->t);
    r->t = next;
    rig_lead(r);
    for (uint32_t i = 1; i <= r->nodes; i++)
        rig_register(r, i, "boot", NULL, 0);
}

static double raw(const struct rig *r)
{
    const struct assoc *a = limits_assoc(ctl_cluster(r->t), DAEMON, "phys", NULL);
    return a && a->pb->charged ? a->pb->charged->raw : 0;
}

static double raw_qos(const struct rig *r, const char *name)
{
    const struct qos *q = limits_qos(ctl_cluster(r->t), name);
    return q && q->pb->charged ? q->pb->charged->raw : 0;
}

static bool about(double got, double want)
{
    return fabs(got - want) <= 1 + want * 0.01;
}

/* It runs for so long, and ends by itself. */
static void run(struct rig *r, const char *of, uint32_t n, int64_t seconds)
{
    uint32_t id = job(r, of, n, 0);
    rig_pass(r, seconds);
    rig_finish(r, id, 0);
}

static void test_once(void)
{
    static const char conf[] = CONF "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\n";
    struct rig r;
    up(&r, conf);
    for (int i = 0; i < 5; i++)
        run(&r, "normal", 2, 10);
    job(&r, "normal", 1, 0);
    rig_pass(&r, 61);
    ok(about(raw(&r), 5 * 2 * 10 + 61), "jobs that ended and one that runs: %g", raw(&r));
    take_over(&r, conf);
    rig_pass(&r, 60);
    ok(about(raw(&r), 5 * 2 * 10 + 121), "another leader goes on, and charges no job twice: %g", raw(&r));
    run(&r, "dear", 3, 20);
    rig_pass(&r, 60);
    ok(about(raw(&r), 5 * 2 * 10 + 121 + 80 + 2 * 3 * 20), "a QOS may cost double: %g", raw(&r));
    ok(about(raw_qos(&r, "dear"), 120), "and is charged for its jobs alone: %g", raw_qos(&r, "dear"));
    rig_pass(&r, 100);
    ok(!rig_job(&r, 1), "a job that was charged may be forgotten");
    rig_down(&r);
}

static void test_requeued(void)
{
    struct rig r;
    up(&r, CONF "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\n");
    uint32_t id = job(&r, "normal", 4, 0);
    rig_pass(&r, 30);
    rig_op(&r, ROOT, PB__JOB_OP__OP_REQUEUE, id);
    rig_pass(&r, 70);
    ok(raw(&r) >= 4 * 30, "a run that was broken off is charged: %g", raw(&r));
    rig_down(&r);
}

static void test_fading(void)
{
    static const char conf[] = CONF "PriorityDecayHalfLife=01:00:00\n";
    struct rig r;
    up(&r, conf);
    run(&r, "normal", 4, 300);
    run(&r, "kept", 2, 300);
    rig_pass(&r, 60);
    double before = raw(&r), kept = raw_qos(&r, "kept");
    ok(before > 1500 && before <= 1800, "a little less than 1800 after some minutes: %g", before);
    rig_pass(&r, 3600);
    job(&r, "normal", 1, 0); /* charged within a minute */
    rig_pass(&r, 61);
    ok(fabs(raw(&r) - before / 2) < before * 0.06, "half of it is left an hour later: %g", raw(&r));
    ok(kept > 590 && about(raw_qos(&r, "kept"), kept), "NoDecay: %g", raw_qos(&r, "kept"));
    ok(fabs(raw_qos(&r, "normal") - 600) < 120, "that of a QOS fades as well: %g", raw_qos(&r, "normal"));
    take_over(&r, conf);
    double there = raw(&r);
    rig_pass(&r, 1800);
    ok(raw(&r) > 1500 && raw(&r) < there + 1800, "a job that runs for half an hour loses and gains: %g", raw(&r));
    rig_down(&r);
}

/* The clock of the test begins on a Friday, the 15th, in the first quarter. */
static void test_forgotten(void)
{
    static const struct {
        const char *word;
        int64_t days; /* forgotten by then; not a day before */
    } cases[] = { { "DAILY", 1 }, { "WEEKLY", 2 }, { "MONTHLY", 17 }, { "QUARTERLY", 76 }, { "YEARLY", 351 } };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *conf = mem_printf(CONF "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=%s\n", cases[i].word);
        struct rig r;
        up(&r, conf);
        run(&r, "normal", 4, 100);
        run(&r, "kept", 1, 100);
        rig_pass(&r, 60);
        ok(about(raw(&r), 500), "%s: charged", cases[i].word);
        r.now_ms += (cases[i].days - 1) * 86400000;
        uint32_t id = job(&r, "normal", 1, 0);
        rig_pass(&r, 61);
        ok(raw(&r) > 450, "%s: not forgotten a day before: %g", cases[i].word, raw(&r));
        rig_finish(&r, id, 0);
        r.now_ms += 86400000;
        job(&r, "normal", 1, 0);
        rig_pass(&r, 61);
        ok(raw(&r) < 150, "%s: forgotten: %g", cases[i].word, raw(&r));
        ok(about(raw_qos(&r, "kept"), 100), "%s: but not by NoDecay", cases[i].word);
        rig_down(&r);
    }
}

static void test_now(void)
{
    static const char conf[] = CONF "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NOW\n";
    struct rig r;
    up(&r, conf);
    run(&r, "normal", 4, 100);
    rig_pass(&r, 60);
    ok(about(raw(&r), 400), "NOW: charged as ever");
    rig_pass(&r, 10);
    take_over(&r, conf);
    ok(raw(&r) < 1, "and forgotten at the next start: %g", raw(&r));
    rig_down(&r);
}

/* ---- used up ---- */

static void test_used_up(void)
{
    for (int safe = 0; safe < 2; safe++) {
        auto_free char *conf = mem_printf(CONF "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\n"
                                               "AccountingStorageEnforce=%s\n", safe ? "safe" : "limits");
        struct rig r;
        up(&r, conf);
        uint32_t id = job(&r, "few", 4, safe ? 1 : 10), late = job(&r, "few", 1, safe ? 1 : 10);
        rig_pass(&r, 40);
        is_str(rig_state(&r, id), "RUNNING", "four minutes of CPU, four CPUs");
        is_str(rig_state(&r, late), safe ? "PENDING" : "RUNNING", "one more");
        if (safe) {
            is_int(rig_job(&r, late)->why.code, WHY_QOS_GRP_CPU_MINS, "could not be ended in time");
        } else {
            rig_pass(&r, 80);
            is_str(rig_state(&r, id), "COMPLETING", "what is used up stops them");
            rig_finish(&r, id, 15);
            is_str(rig_state(&r, id), "TIMEOUT", "as their own limit would");
        }
        rig_down(&r);
    }
}

/* ---- growing older ---- */

static void test_accrue(void)
{
    static const char conf[] = CONF "AccountingStorageEnforce=limits\nPriorityMaxAge=1:00:00\n";
    struct rig r;
    up(&r, conf);
    job(&r, "normal", 12, 0);
    uint32_t a = job(&r, "one", 12, 0), b = job(&r, "one", 12, 0), other = job(&r, "normal", 12, 0);
    rig_pass(&r, 600);
    uint32_t first = job_priority(rig_job(&r, a));
    ok(first > 150 && job_priority(rig_job(&r, b)) <= 1, "the first grows older, the second does not: %u, %u", first,
       job_priority(rig_job(&r, b)));
    ok(job_priority(rig_job(&r, other)) > 150, "others do");
    is_int(rig_job(&r, b)->accrue_s, ACCRUE_NEVER, "it is told so");
    take_over(&r, conf);
    rig_pass(&r, 60);
    ok(job_priority(rig_job(&r, a)) > first && job_priority(rig_job(&r, b)) <= 1, "another leader knows");
    rig_op(&r, ROOT, PB__JOB_OP__OP_HOLD, a);
    rig_pass(&r, 121);
    ok(rig_job(&r, b)->accrue_s > START_MS / 1000 + 600, "when the first is held, the second begins");
    rig_op(&r, ROOT, PB__JOB_OP__OP_RELEASE, a);
    rig_pass(&r, 61);
    is_int(rig_job(&r, a)->accrue_s, ACCRUE_NEVER, "and the first comes after it");
    rig_down(&r);
}

/* ---- at the door ---- */

static void test_refused(void)
{
    static const struct {
        const char *qos;
        uint32_t tasks, minutes;
        int want;
        const char *says;
    } cases[] = {
        { "strict", 3, 10, ESLURM_ACCOUNTING_POLICY, "QOSMaxCpuPerNode" },
        { "strict", 2, 51, ESLURM_ACCOUNTING_POLICY, "QOSMaxCpuMinutesPerJobLimit" },
        { "strict", 2, 50, 0, NULL },
        { "resv", 1, 1, ESLURM_INVALID_QOS, NULL },
        { "normal", 13, 1, 0, NULL },
    };
    struct rig r;
    up(&r, CONF "AccountingStorageEnforce=limits,qos\n");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        job(&r, cases[i].qos, cases[i].tasks, cases[i].minutes);
        is_int(rig_code(&r), cases[i].want, "%s, %u CPUs, %u minutes", cases[i].qos, cases[i].tasks, cases[i].minutes);
        Pb__SubmitReply *s = rig_said(&r, ASKER, MSG_SUBMIT_REPLY);
        ok(!cases[i].says || (s && s->n_warnings == 1 && str_eq(s->warnings[0], cases[i].says)), "the limit is named");
        rig_free(s);
    }
    rig_down(&r);
}

/* A set of more CPUs than the user may ever hold together. */
static void test_set(void)
{
    struct rig r;
    up(&r, CONF "AccountingStorageEnforce=limits\n");
    for (uint32_t second = 8; second <= 9; second++) {
        static char script[] = "#!/bin/sh\ntrue\n";
        Pb__SubmitRequest a = PB__SUBMIT_REQUEST__INIT, b = PB__SUBMIT_REQUEST__INIT, *het[] = { &b };
        Pb__JobSpec sa = PB__JOB_SPEC__INIT, sb = PB__JOB_SPEC__INIT;
        sa.name = sb.name = TEXT("set"), sa.ntasks = 4, sb.ntasks = second;
        a.spec = &sa, b.spec = &sb, a.het = het, a.n_het = 1;
        a.script = b.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
        rig_ask(&r, DAEMON, MSG_SUBMIT, &a.base);
        is_int(rig_code(&r), second == 8 ? 0 : ESLURM_ACCOUNTING_POLICY, "4 and %u CPUs of 12", second);
    }
    rig_down(&r);
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    test_once();
    test_requeued();
    test_fading();
    test_forgotten();
    test_now();
    test_used_up();
    test_accrue();
    test_refused();
    test_set();
    return test_done();
}
