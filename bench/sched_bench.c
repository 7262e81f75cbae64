/*
 * sched_bench - what a plan costs.
 *
 *     sched_bench            the table: {100, 1k, 10k} nodes x {1k, 10k, 100k} waiting jobs
 *     sched_bench resv [N]   N nodes (10,000) and 100,000 jobs, with reservations
 *     sched_bench array      an array of 2,000 tasks on 256 CPUs, one end after another
 *
 * `first` is the plan after everything is new; `full` one on a full cluster after anything may have
 * changed; `end` the plan that follows the end of one job, a second after the last one: planned starts are searched
 * again; `again` that after one more end within the same second; `new` the plan that follows one submission; `why` the
 * query of `spur why` for one waiting job.  Median and worst of many runs each.
 */
#include <time.h>

#include "../tests/unit/sched/rig_resv.h"

/* Processor time, because the machine may be busy. */
static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#define ROUNDS 300
#define PLANNED_STARTS 10 /* SpurPlannedStarts; the default is 2 */

static uint64_t seed = 42;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % n);
}

/* A plan, applied; its own time is returned. */
static double timed_plan(struct rig *r, uint32_t *starts)
{
    struct plan p;
    double from = now_us();
    sched_plan(r->s, r->c, r->now_s, NULL, &p);
    double us = now_us() - from;
    for (size_t i = 0; i < p.whys.n; i++)
        p.whys.at[i].job->why = p.whys.at[i].why;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(r, &p.starts.at[i]);
    *starts = (uint32_t)p.starts.n;
    plan_clear(&p);
    return us;
}

/* Sizes and limits as on a GPU cluster: mostly small, some wide, few limits that people type. */
static struct rig_job some_job(void)
{
    static const uint32_t limits[] = { 10, 30, 60, 120, 240, 480, 720, 1440 },
                          tasks[] = { 1, 1, 1, 2, 4, 8, 16, 32, 64, 128 };
    struct rig_job j = { .ntasks = tasks[dice(10)],
                         .limit_min = limits[dice(8)],
                         .mem_cpu = 1000u << dice(3),
                         .prio = 1000 + dice(100000) };
    if (!dice(3))
        j.gres = dice(2) ? "gpu:1" : "gpu:4";
    if (!dice(6))
        j.nodes = 1 + dice(4), j.ntasks = 0;
    return j;
}

/* What many plans of one kind cost. */
struct costs {
    double us[ROUNDS];
    int n;
};

static int by_cost(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void say(struct costs *k)
{
    qsort(k->us, (size_t)k->n, sizeof(*k->us), by_cost);
    printf(" %8.0f %8.0f", k->us[k->n / 2], k->us[k->n - 1]);
}

static void one_ends(struct rig *r, struct costs *k)
{
    uint32_t starts;
    size_t skip = dice(1000);
    const struct job *j = r->c->active.head;
    for (; skip > 0 && j->next; skip--)
        j = j->next;
    rig_end(r, j->id);
    k->us[k->n++] = timed_plan(r, &starts);
}

/* The query of `spur why`, for waiting jobs. */
static void one_asks(struct rig *r, struct costs *k)
{
    const struct job *j = r->c->pending.head;
    for (size_t skip = dice((uint32_t)r->c->pending.n); skip > 0 && j->next; skip--)
        j = j->next;
    struct why_text text;
    double from = now_us();
    sched_explain(r->s, r->c, j, r->now_s, &text);
    k->us[k->n++] = now_us() - from;
    why_text_clear(&text);
}

/* One that has begun and is empty, one of whole nodes in two hours, one of cores that comes every day. */
static void reserve(struct rig *r, uint32_t nodes)
{
    const int64_t hour = 3600;
    const struct rig_resv wish[] = {
        { .name = "now", .nodes = nodes / 50, .from_s = r->now_s, .to_s = r->now_s + 24 * hour, .uid = 7 },
        { .name = "soon", .nodes = nodes / 20, .from_s = r->now_s + 2 * hour, .to_s = r->now_s + 8 * hour, .uid = 7 },
        { .name = "daily",
          .nodes = nodes / 20,
          .cores = nodes / 20 * 16,
          .flags = RESV_DAILY,
          .from_s = r->now_s + 10 * hour,
          .to_s = r->now_s + 12 * hour,
          .uid = 7 },
    };
    for (size_t i = 0; i < ARRAY_LEN(wish); i++)
        if (rig_reserve(r, &wish[i]))
            printf("no room for reservation %s\n", wish[i].name);
}

static void row(size_t nodes, size_t waiting, bool reserved)
{
    struct rig r;
    struct costs end = { 0 }, burst = { 0 }, fresh = { 0 }, why = { 0 };
    uint32_t starts, fill;
    rig_plain(&r, nodes, 2, 32, 1, 512000, "gpu:8");
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .max_planned = PLANNED_STARTS };
    sched_configure(r.s, &conf);
    if (reserved)
        reserve(&r, (uint32_t)nodes);
    for (size_t i = 0; i < waiting + nodes * 8; i++)
        rig_submit(&r, some_job());
    double first = timed_plan(&r, &fill), full = 0;
    timed_plan(&r, &starts); /* the starts of the first plan are counted */
    for (int i = 0; i < ROUNDS; i++) {
        r.now_s += 1;
        one_ends(&r, &end);
        one_ends(&r, &burst);
        rig_submit(&r, some_job());
        fresh.us[fresh.n++] = timed_plan(&r, &starts);
        if (i % 3 == 0)
            one_asks(&r, &why);
    }
    for (int i = 0; i < 3; i++) {
        sched_changed(r.s, NULL);
        full += timed_plan(&r, &starts);
    }
    printf("%6zu %8zu %8u %9.1f %8.1f", nodes, r.c->pending.n, fill, first / 1e3, full / 3 / 1e3);
    say(&end);
    say(&burst);
    say(&fresh);
    say(&why);
    printf("\n");
    fflush(stdout);
    rig_down(&r);
}

/* An array on 256 CPUs, beside `held` jobs that are held and `behind` that wait their turn. */
static void array(uint32_t held, uint32_t behind)
{
    struct rig r;
    uint32_t starts;
    rig_plain(&r, 4, 2, 32, 1, 512000, NULL);
    rig_submit(&r, (struct rig_job){ .ntasks = 1, .array = 2000 });
    for (uint32_t i = 0; i < held; i++)
        rig_submit(&r, (struct rig_job){ .ntasks = 1, .hold = HOLD_USER });
    for (uint32_t i = 0; i < behind; i++)
        rig_submit(&r, (struct rig_job){ .ntasks = 1 + i % 7 });
    double first = timed_plan(&r, &starts), sum = 0, worst = 0;
    printf("array of 2000 on 256 CPUs, %u held, %u behind: first %.1f us, %u started; ", held, behind, first, starts);
    int n = 0;
    while (n < 1744) {
        rig_end(&r, r.c->active.head->id);
        double us = timed_plan(&r, &starts);
        sum += us;
        worst = us > worst ? us : worst;
        n++;
    }
    printf("one ends, one starts: mean %.2f us, worst %.1f us\n", sum / n, worst);
    rig_down(&r);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "array")) {
        array(0, 0);
        array(50000, 0);
        array(0, 50000);
        return 0;
    }
    static const size_t nodes[] = { 100, 1000, 10000 }, waiting[] = { 1000, 10000, 100000 };
    printf("%6s %8s %8s %9s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "nodes", "waiting", "started", "first ms",
           "full ms", "end us", "worst", "again us", "worst", "new us", "worst", "why us", "worst");
    for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
        for (size_t k = 0; k < ARRAY_LEN(waiting); k++)
            if (argc < 2 || strtoul(argv[1], NULL, 10) == nodes[i])
                row(nodes[i], waiting[k], false);
    if (argc < 2 || !strcmp(argv[1], "resv"))
        row(argc > 2 ? strtoul(argv[2], NULL, 10) : 10000, 100000, true);
    return 0;
}
