/*
 * yield_invariants - what holds for yields, for every mix of jobs, tried with many seeds.
 *
 * Only a job that can yield and has run for its time is asked, and never twice.  No job yields in vain: when the jobs
 * that were asked are gone, and those whose end was counted on, the pending jobs start.  No job is requeued more often
 * than it ran for its minimum time, so every job ends.
 */
#include "rig.h"

#define HOUR 3600
#define SOON_S 900 /* a job that ends by then counts as gone */

static uint64_t seed;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % n);
}

struct life {
    struct rig r;
    int64_t after_s;
    size_t asked;
    bool wrong_one, in_vain, too_often;
    uint32_t vain_id;
};

/* ---- the cluster and its jobs ---- */

static void random_cluster(struct life *l)
{
    static const char *const gres[] = { NULL, "gpu:4" };
    rig_learns = true;
    rig_plain(&l->r, 1 + dice(6), 1 + dice(2), 1 + dice(8), 1, 1000 * (1 + dice(4)), gres[dice(2)]);
    l->after_s = 600 + 600 * dice(6);
    struct sched_conf conf = { .backfill = dice(8) > 0,
                               .by_core = true,
                               .by_memory = dice(2),
                               .policy = POLICY_SHORT,
                               .yield_after_s = l->after_s,
                               .max_planned = 1 + dice(3),
                               .max_switch_wait_s = 300 };
    sched_configure(l->r.s, &conf);
}

static void submit(struct life *l)
{
    struct rig_job j = {
        .ntasks = 1 + dice(12), .limit_min = 1u << dice(14), .checkpoints = dice(3) > 0, .uid = dice(3)
    };
    struct err err = ERR_INIT;
    if (!dice(3))
        j.nodes = 1 + dice(3), j.ntasks = MAX(j.ntasks, j.nodes);
    if (!dice(4))
        j.mem = 100 * (1 + dice(10));
    if (!dice(5))
        j.gpus = dice(2) ? "1" : "3";
    j.exclusive = !dice(12);
    j.array = dice(12) ? 0 : 2 + dice(4);
    j.mincpus = dice(15) ? 0 : 1 + dice(4);
    j.time_min = dice(12) ? 0 : 1 + dice(j.limit_min);
    uint32_t id = rig_submit(&l->r, j);
    if (sched_feasible(l->r.s, l->r.c, cluster_job(l->r.c, id), &err))
        rig_end(&l->r, id);
}

/* ---- invariants ---- */

static bool may_be_asked(const struct life *l, const struct job *j)
{
    return j->state == JOB_RUNNING && j->spec->signal && j->spec->says_requeue && !j->yield_s &&
           l->r.now_s - j->start_s >= l->after_s;
}

static void check_asked(struct life *l, const struct plan *p)
{
    for (size_t i = 0; i < p->yields.n; i++) {
        const struct job *by = cluster_job(l->r.c, p->yields.at[i].by);
        l->wrong_one |= !may_be_asked(l, p->yields.at[i].job) || !by || by->state != JOB_PENDING;
        for (size_t k = 0; k < i; k++)
            l->wrong_one |= p->yields.at[k].job == p->yields.at[i].job;
    }
}

static bool goes_by_itself(const struct life *l, const struct job *j)
{
    int64_t left_s = job_limit_s(j) - l->r.now_s;
    return left_s > 0 && left_s <= SOON_S;
}

static void put_back(struct life *l, uint32_t id)
{
    Pb__EvRequeue e = PB__EV_REQUEUE__INIT;
    e.job_id = id, e.all_done = true, e.eligible_s = l->r.now_s;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_REQUEUE, ev.requeue = &e;
    rig_apply(&l->r, &ev);
    const struct job *j = cluster_job(l->r.c, id);
    sched_changed(l->r.s, j);
    l->too_often |= (int64_t)j->restarts * l->after_s > j->ran_s;
}

static bool starts(const struct plan *p, uint32_t id)
{
    for (size_t i = 0; i < p->starts.n; i++)
        if (p->starts.at[i].job->id == id)
            return true;
    return false;
}

/* When the jobs that were asked, and those that end soon, are gone, the jobs they yielded for start at once. */
static void go(struct life *l, const uint32_t *asked, const uint32_t *by, size_t n)
{
    struct plan p;
    for (const struct job *j = l->r.c->active.head, *next; j && n; j = next) {
        next = j->next;
        if (goes_by_itself(l, j))
            rig_end(&l->r, j->id);
    }
    for (size_t i = 0; i < n; i++)
        put_back(l, asked[i]);
    sched_plan(l->r.s, l->r.c, l->r.now_s, NULL, &p);
    for (size_t i = 0; i < n; i++)
        if (!starts(&p, by[i]))
            l->in_vain = true, l->vain_id = by[i];
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(&l->r, &p.starts.at[i]);
    plan_clear(&p);
}

static void turn(struct life *l)
{
    struct plan p;
    uint32_t asked[256], by[256];
    size_t n = 0;
    sched_plan(l->r.s, l->r.c, l->r.now_s, NULL, &p);
    check_asked(l, &p);
    for (size_t i = 0; i < p.whys.n; i++)
        p.whys.at[i].job->why = p.whys.at[i].why;
    for (; n < p.yields.n && n < ARRAY_LEN(asked); n++)
        asked[n] = p.yields.at[n].job->id, by[n] = p.yields.at[n].by;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(&l->r, &p.starts.at[i]);
    plan_clear(&p);
    l->asked += n;
    if (n)
        go(l, asked, by, n);
}

static void end_some(struct life *l)
{
    for (const struct job *j = l->r.c->active.head, *next; j; j = next) {
        next = j->next;
        if (job_limit_s(j) <= l->r.now_s || !dice(12))
            rig_end(&l->r, j->id);
    }
}

static size_t live(uint64_t with)
{
    struct life l = { 0 };
    seed = with * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; i++)
        dice(2);
    random_cluster(&l);
    for (int i = 0; i < 80; i++) {
        for (uint32_t k = dice(4); k > 0; k--)
            submit(&l);
        turn(&l);
        l.r.now_s += 61 + dice(2 * HOUR);
        end_some(&l);
    }
    if (!ok(!l.wrong_one && !l.in_vain && !l.too_often, "seed %lu: %zu yields%s%s%s", (unsigned long)with, l.asked,
            l.wrong_one ? ": a job was asked that must not be" : "", l.in_vain ? ": a job yielded in vain" : "",
            l.too_often ? ": a job was requeued too often" : ""))
        printf("# for job %u\n", l.vain_id);
    rig_down(&l.r);
    return l.asked;
}

int main(int argc, char **argv)
{
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, n = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    size_t asked = 0;
    for (uint64_t i = 0; i < n; i++)
        asked += live(from + i);
    ok(argc > 1 || asked > 500, "and many were asked (%zu)", asked);
    return test_done();
}
