/*
 * incremental - a scheduler that keeps its state from cycle to cycle decides like a new one.
 *
 * Random clusters and jobs, with many seeds.  While the clock stands still (many events within one second), planned
 * starts are not searched again: nothing may be allocated twice then, and the first job in the queue must keep its
 * planned start. When the clock has moved on, both schedulers start the same jobs on the same nodes.
 */
#include "rig.h"
#include "sched/planned.h"

static uint64_t seed;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % n);
}

struct random_run {
    struct rig r;
    struct sched_conf conf;
    uint32_t first; /* first in the queue, and its promised start */
    int64_t promised_s;
    bool overfull, delayed, differs;
};

static void random_cluster(struct random_run *l)
{
    size_t n = 2 + dice(9);
    struct rig_node nodes[10];
    char names[10][16], all[32];
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i + 1);
        nodes[i] = (struct rig_node){ .name = names[i],
                                      .gres = dice(2) ? "gpu:4" : NULL,
                                      .sockets = 1,
                                      .cores = 2 + dice(7),
                                      .threads = 1,
                                      .mem_mb = 2000 + 1000 * dice(4),
                                      .weight = 1 };
    }
    snprintf(all, sizeof(all), "n[1-%zu]", n);
    Pb__Part a = PB__PART__INIT, b = PB__PART__INIT, *parts[] = { &a, &b };
    a.name = (char[]){ "main" }, a.nodes = all, a.priority_tier = 1;
    b.name = (char[]){ "high" }, b.nodes = (char[]){ "n[1-2]" }, b.priority_tier = 1 + dice(2);
    rig_up(&l->r, nodes, n, parts, 2);
    l->conf = (struct sched_conf){ .backfill = true, .by_core = true, .by_memory = true, .max_planned = 1 + dice(12) };
    sched_configure(l->r.s, &l->conf);
}

static struct rig_job random_job(void)
{
    struct rig_job j = { .ntasks = 1 + dice(12), .limit_min = 1 + dice(90), .prio = 1000 + dice(5) };
    if (!dice(3))
        j.nodes = j.max_nodes = 1 + dice(3), j.ntasks = MAX(j.ntasks, j.nodes);
    if (!dice(3))
        j.mem_cpu = 100 * (1 + dice(8));
    if (!dice(4))
        j.gres = "gpu:2";
    j.exclusive = !dice(15);
    j.part = dice(5) ? "main" : dice(2) ? "high" : "main,high";
    j.array = dice(8) ? 0 : 2 + dice(6);
    j.array_max = dice(2) ? 0 : 1 + dice(2);
    return j;
}

/* ---- invariants ---- */

static bool node_overfull(const struct rig *r, const struct node *n)
{
    uint32_t cpus = 0, jobs = 0, alone = 0;
    uint64_t mem = 0, gpus = 0;
    for (const struct job *j = r->c->active.head; j; j = j->next)
        for (uint32_t i = 0; i < j->alloc.n; i++) {
            const struct node_alloc *na = &j->alloc.at[i];
            if (na->node != n->index || na->done)
                continue;
            cpus += na->cpus, mem += na->mem_mb, jobs++, alone += j->spec->req.exclusive;
            for (uint32_t g = 0; g < na->ngres; g++)
                gpus += na->gres[g].count;
        }
    return cpus > n->cpus || mem > n->mem_mb || gpus > (n->ngres ? n->gres[0].count : 0) || (alone && jobs > 1);
}

static bool same_start(const struct sched_start *x, const struct sched_start *y)
{
    if (x->job != y->job || x->task != y->task || x->part != y->part || x->alloc.n != y->alloc.n)
        return false;
    for (uint32_t k = 0; k < x->alloc.n; k++)
        if (x->alloc.at[k].node != y->alloc.at[k].node || x->alloc.at[k].cpus != y->alloc.at[k].cpus)
            return false;
    return true;
}

static bool same_starts(const struct plan *a, const struct plan *b)
{
    bool same = a->starts.n == b->starts.n;
    for (size_t i = 0; same && i < a->starts.n; i++)
        same = same_start(&a->starts.at[i], &b->starts.at[i]);
    return same;
}

static uint32_t tier_of(const struct rig *r, const struct job *j)
{
    return str_eq(j->partition, "main") ? 1 : cluster_part(r->c, "high")->pb->priority_tier;
}

static bool stands_before(const struct rig *r, const struct job *a, const struct job *b)
{
    if (tier_of(r, a) != tier_of(r, b))
        return tier_of(r, a) > tier_of(r, b);
    return job_priority(a) != job_priority(b) ? job_priority(a) > job_priority(b) : a->id < b->id;
}

/* The first pending job: no planned start comes before its own. */
static const struct job *first_in_line(const struct rig *r)
{
    const struct job *first = NULL;
    for (const struct job *j = r->c->pending.head; j; j = j->next)
        if (!first || stands_before(r, j, first))
            first = j;
    return first;
}

/* By a new scheduler, which knows of no promise. */
static int64_t asked_anew(const struct random_run *l, const struct job *j)
{
    struct sched *other = sched_new(&l->conf);
    int64_t at = sched_estimate(other, l->r.c, j, l->r.now_s, NULL);
    sched_free(other);
    return at;
}

static void check_promise(struct random_run *l)
{
    const struct job *j = l->first ? cluster_job(l->r.c, l->first) : NULL;
    if (j && job_pending(j) && l->promised_s) {
        int64_t at = asked_anew(l, j);
        l->delayed |= !at || at > MAX(l->promised_s, l->r.now_s);
    }
    j = first_in_line(&l->r);
    const struct planned_start *p = j && !j->array && !strchr(j->partition, ',') ? planned_find(l->r.s, j->id) : NULL;
    l->first = p && !p->invalid ? j->id : 0;
    l->promised_s = p ? p->at_s : 0;
}

static void plan_and_compare(struct random_run *l, bool compare)
{
    struct plan p, q = { 0 };
    sched_plan(l->r.s, l->r.c, l->r.now_s, NULL, &p);
    if (compare) {
        struct sched *other = sched_new(&l->conf);
        sched_plan(other, l->r.c, l->r.now_s, NULL, &q);
        l->differs |= !same_starts(&p, &q);
        plan_clear(&q);
        sched_free(other);
    }
    for (size_t i = 0; i < p.whys.n; i++)
        p.whys.at[i].job->why = p.whys.at[i].why;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(&l->r, &p.starts.at[i]);
    plan_clear(&p);
    for (size_t i = 0; i < l->r.c->nnodes; i++)
        l->overfull |= node_overfull(&l->r, &l->r.c->node[i]);
}

/* ---- events ---- */

static bool end_one(struct random_run *l)
{
    uint32_t n = 0;
    for (const struct job *j = l->r.c->active.head; j; j = j->next)
        n++;
    uint32_t which = n ? dice(n) : 0;
    const struct job *j = l->r.c->active.head;
    for (; j && which > 0; which--)
        j = j->next;
    if (j)
        rig_end(&l->r, j->id);
    return j != NULL;
}

static void submit_one(struct random_run *l)
{
    struct err err = ERR_INIT;
    uint32_t id = rig_submit(&l->r, random_job());
    if (sched_feasible(l->r.s, l->r.c, cluster_job(l->r.c, id), &err))
        rig_end(&l->r, id);
    else if (l->first != first_in_line(&l->r)->id)
        l->first = 0; /* a job with a higher priority came: the promise did not account for it */
}

/* A pending job is cancelled, or changes its priority. */
static void change_one(struct random_run *l)
{
    const struct job *j = l->r.c->pending.head;
    for (uint32_t skip = dice(6); j && skip > 0; skip--)
        j = j->next;
    if (!j)
        return;
    if (j->id == l->first)
        l->first = 0;
    rig_end(&l->r, j->id);
}

/* Jobs never run longer than their limit. */
static void end_overdue(struct random_run *l)
{
    for (struct job *j = l->r.c->active.head, *next; j; j = next) {
        next = j->next;
        if (job_limit_s(j) <= l->r.now_s)
            rig_end(&l->r, j->id);
    }
}

static void live(uint64_t with)
{
    struct random_run l = { 0 };
    seed = with * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; i++)
        dice(2);
    random_cluster(&l);
    for (int turn = 0; turn < 40; turn++) {
        for (uint32_t k = 1 + dice(6); k > 0; k--) { /* within one second */
            switch (dice(4)) {
            case 0: end_one(&l); break;
            case 1: change_one(&l); break;
            default: submit_one(&l); break;
            }
            plan_and_compare(&l, false);
            check_promise(&l);
        }
        l.r.now_s += 1 + (dice(2) ? 0 : dice(600));
        end_overdue(&l);
        plan_and_compare(&l, end_one(&l));
        check_promise(&l);
    }
    ok(!l.overfull && !l.delayed && !l.differs, "seed %lu%s%s%s", (unsigned long)with,
       l.overfull ? ": given twice" : "", l.delayed ? ": the first was delayed" : "",
       l.differs ? ": two schedulers differ" : "");
    rig_down(&l.r);
}

/* ---- a second later ---- */

/* Run a cycle, apply it, and return when the next one is wanted. */
static int64_t plan_next(struct rig *r)
{
    struct plan p;
    sched_plan(r->s, r->c, r->now_s, NULL, &p);
    int64_t next = p.next_s;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(r, &p.starts.at[i]);
    plan_clear(&p);
    return next;
}

/* A big job has a planned start on n1 and n2, when both are free; a small job would fit on n2, but not beside that.
 * Then n3 becomes free in the same second: with n1 and n3 the big job could start earlier, and n2 would not be needed.
 */
static void looks_again(void)
{
    struct rig r;
    rig_plain(&r, 3, 1, 8, 1, 8000, NULL);
    rig_submit(&r, (struct rig_job){ .ntasks = 8, .nodelist = "n1", .limit_min = 50 });
    rig_submit(&r, (struct rig_job){ .ntasks = 4, .nodelist = "n2", .limit_min = 100 });
    uint32_t last = rig_submit(&r, (struct rig_job){ .ntasks = 8, .nodelist = "n3", .limit_min = 200 });
    plan_next(&r);
    uint32_t big = rig_submit(&r, (struct rig_job){ .ntasks = 16, .nodes = 2, .limit_min = 60, .prio = 2000 });
    uint32_t small = rig_submit(&r, (struct rig_job){ .ntasks = 4, .nodelist = "n2", .limit_min = 200 });
    ok(plan_next(&r) == 0 && str_eq(rig_where(&r, small), "-"), "no job starts, and time alone will not help");
    ok(planned_find(r.s, big) && planned_find(r.s, big)->at_s == r.now_s + 6000, "the big job has a planned start");
    rig_end(&r, last);
    ok(plan_next(&r) == r.now_s + 1, "an earlier time is searched in a second");
    ok(planned_find(r.s, big) && planned_find(r.s, big)->at_s == r.now_s + 6000, "and the old one is kept until then");
    r.now_s++;
    ok(plan_next(&r) == 0 && str_eq(rig_where(&r, small), "n2:4/4"), "then the small one starts");
    ok(planned_find(r.s, big) && planned_find(r.s, big)->at_s == r.now_s - 1 + 3000,
       "as the big one comes sooner, elsewhere");
    rig_submit(&r, (struct rig_job){ .ntasks = 8, .nodes = 1, .nodelist = "n1", .limit_min = 10, .prio = 3000 });
    ok(plan_next(&r) == r.now_s + 1, "a job comes before jobs with planned starts: they are searched again");
    rig_down(&r);
}

int main(int argc, char **argv)
{
    looks_again();
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, n = argc > 2 ? strtoull(argv[2], NULL, 10) : 120;
    for (uint64_t i = 0; i < n; i++)
        live(from + i);
    return test_done();
}
