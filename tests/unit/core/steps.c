/* steps - shares of a job: what fits beside what, and that no two steps ever have the same thing. */
#include "core/step_fit.h"
#include "rig.h"

/* ---- a job to have steps in ---- */

struct shape {
    uint32_t cpus[4]; /* of each node, up to the first 0 */
    uint64_t mem_mb;  /* of each */
    uint32_t gpus;
    uint32_t threads;
};

static void start(struct rig *r, const struct shape *s)
{
    Pb__EvStart e = PB__EV_START__INIT;
    Pb__NodeAlloc at[4], *list[4];
    uint8_t cores[4], devices = (uint8_t)((1u << s->gpus) - 1);
    Pb__Gres gres = PB__GRES__INIT, *shares[] = { &gres };
    gres.slot = 1, gres.count = s->gpus, gres.index = (ProtobufCBinaryData){ 1, &devices };
    for (e.n_alloc = 0; e.n_alloc < 4 && s->cpus[e.n_alloc]; e.n_alloc++) {
        size_t i = e.n_alloc;
        cores[i] = (uint8_t)((1u << (s->cpus[i] / MAX(s->threads, 1u))) - 1);
        pb__node_alloc__init(&at[i]);
        at[i].node = (uint32_t)i, at[i].cpus = s->cpus[i], at[i].tasks = 1, at[i].mem_mb = s->mem_mb;
        at[i].cores = (ProtobufCBinaryData){ 1, &cores[i] };
        at[i].gres = shares, at[i].n_gres = s->gpus ? 1 : 0;
        list[i] = &at[i];
    }
    e.job_id = 10, e.attempt = 1, e.partition = TEXT("main"), e.alloc = list, e.time_limit_min = 10;
    rig_up(r);
    rig_submit(r, 10);
    RIG_EVENT(r, START, start, &e);
}

/* A step with that spec: 0 and it runs as `id`, or the error. */
static int step(struct rig *r, uint32_t id, const Pb__StepSpec *spec, char **nodes)
{
    struct err err = ERR_INIT;
    struct step_ask ask;
    struct step_share share;
    struct job *j = cluster_job(r->c, 10);
    if (step_ask_init(&ask, spec, &err))
        return err.code;
    int rc = step_fit(r->c, j, &ask, &share, &err);
    if (!rc) {
        Pb__EvStepStart e = PB__EV_STEP_START__INIT;
        Pb__Step s = PB__STEP__INIT;
        s.id = id, s.spec = (Pb__StepSpec *)(uintptr_t)spec, s.shared = ask.overlap;
        s.node = share.node, s.n_node = share.n, s.tasks = share.layout.tasks, s.n_tasks = share.n;
        s.alloc = share.alloc, s.n_alloc = share.n;
        e.job_id = 10, e.step = &s;
        rc = RIG_EVENT(r, STEP_START, step_start, &e);
        struct buf b = BUF_INIT;
        for (uint32_t i = 0; i < share.n; i++)
            buf_addf(&b, "%sn%u:%u/%u", i ? " " : "", share.node[i] + 1, share.layout.tasks[i], share.alloc[i]->cpus);
        if (nodes)
            *nodes = buf_take(&b);
        buf_clear(&b);
        step_share_clear(&share);
    }
    step_ask_clear(&ask);
    return rc;
}

static int end(struct rig *r, uint32_t id)
{
    Pb__EvStepEnd e = PB__EV_STEP_END__INIT;
    e.job_id = 10, e.attempt = 1, e.step_id = id, e.all = true;
    return RIG_EVENT(r, STEP_END, step_end, &e);
}

/* ---- rows: one job, one step after the other, all running ---- */


struct want {
    uint32_t nodes, max, n, c, per_node;
    const char *w, *x, *gres, *gpus, *per_task, *dist, *tres;
    uint64_t mem, mem_cpu;
    bool exact, overlap, overcommit, whole;
    uint32_t relative;
    int rc;
    const char *got; /* "n1:TASKS/CPUS ..." */
};

static void fill(Pb__StepSpec *s, const struct want *w)
{
    pb__step_spec__init(s);
    s->nodes = w->nodes, s->max_nodes = w->max, s->ntasks = w->n, s->cpus_per_task = w->c,
    s->ntasks_per_node = w->per_node;
    s->nodelist = TEXT(w->w ? w->w : ""), s->exclude = TEXT(w->x ? w->x : ""), s->gres = TEXT(w->gres ? w->gres : "");
    s->gpus = TEXT(w->gpus ? w->gpus : ""), s->gpus_per_task = TEXT(w->per_task ? w->per_task : "");
    s->tres_per_task = TEXT(w->tres ? w->tres : "");
    s->distribution = TEXT(w->dist ? w->dist : "");
    s->mem_per_node_mb = w->mem, s->mem_per_cpu_mb = w->mem_cpu, s->relative = w->relative;
    s->exact = w->exact, s->overlap = w->overlap, s->overcommit = w->overcommit, s->whole = w->whole;
}

enum {
    BUSY = ESLURM_NODES_BUSY,
    CPUS = ESLURM_TOO_MANY_REQUESTED_CPUS,
    CONFIG = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
    MEMORY = ESLURM_INVALID_TASK_MEMORY,
    GRES = ESLURM_INVALID_GRES
};

static void run(const char *name, const struct shape *shape, const struct want *w, size_t n)
{
    struct rig r;
    start(&r, shape);
    for (size_t i = 0; i < n; i++) {
        Pb__StepSpec spec;
        auto_free char *got = NULL;
        fill(&spec, &w[i]);
        is_int(step(&r, (uint32_t)i, &spec, &got), w[i].rc, "%s, step %zu", name, i);
        is_str(got, w[i].got, "%s, step %zu: its nodes", name, i);
    }
    ok(rig_round_trip(&r), "%s: survives a snapshot", name);
    rig_down(&r);
}
#define RUN(name, rows, ...) run(name, &(const struct shape)__VA_ARGS__, rows, ARRAY_LEN(rows))

static void test_rows(void)
{
    static const struct want one_cpu_held[] = {
        { .n = 1, .exact = true, .got = "n1:1/1" },
        { .n = 1, .rc = BUSY },
        { .n = 3, .rc = BUSY },
        { .n = 4, .exact = true, .rc = BUSY },
        { .n = 2, .c = 2, .rc = BUSY },
        { .n = 1, .whole = true, .rc = BUSY },
        { .n = 1, .overlap = true, .got = "n1:1/4" },
        { .n = 1, .overlap = true, .exact = true, .got = "n1:1/1" },
        { .n = 4, .overlap = true, .got = "n1:4/4" },
        { .n = 3, .exact = true, .got = "n1:3/3" },
        { .n = 1, .exact = true, .rc = BUSY },
        { .n = 5, .rc = CPUS },
        { .n = 5, .overcommit = true, .rc = BUSY },
        { .n = 1, .c = 5, .rc = CPUS },
    };
    RUN("4 CPUs, one held", one_cpu_held, { { 4 }, 400 });
    static const struct want uneven[] = {
        { .nodes = 2, .n = 3, .exact = true, .got = "n1:2/2 n2:1/1" },
        { .nodes = 1, .n = 1, .c = 5, .got = "n1:1/5" },
        { .nodes = 2, .n = 2, .c = 3, .rc = CPUS },
        { .nodes = 2, .n = 9, .rc = CPUS },
        { .nodes = 3, .n = 3, .rc = CONFIG },
        { .n = 1, .w = "n3", .rc = CONFIG },
        { .n = 1, .x = "n[1-2]", .rc = CONFIG },
        { .nodes = 1, .n = 1, .relative = 3, .rc = CONFIG },
        { .nodes = 2, .n = 20, .overcommit = true, .overlap = true, .got = "n1:13/7 n2:7/1" },
        { .nodes = 2, .n = 4, .per_node = 2, .overlap = true, .got = "n1:3/7 n2:1/1" },
        { .nodes = 1, .max = 2, .n = 2, .exact = true, .overlap = true, .got = "n1:1/1 n2:1/1" },
        { .nodes = 2, .n = 5, .dist = "cyclic", .overlap = true, .got = "n1:4/7 n2:1/1" },
    };
    RUN("7 and 1 CPUs", uneven, { { 7, 1 } });
    static const struct want three[] = {
        { .nodes = 1, .n = 1, .got = "n1:1/4" },
        { .nodes = 1, .n = 1, .w = "n1", .rc = BUSY },
        { .nodes = 3, .n = 3, .exact = true, .rc = BUSY },
        { .nodes = 1, .n = 1, .exact = true, .got = "n2:1/1" },
        { .nodes = 1, .n = 2, .exact = true, .got = "n3:2/2" },
        { .nodes = 1, .n = 3, .exact = true, .got = "n2:3/3" },
        { .nodes = 2, .n = 2, .exact = true, .rc = BUSY },
        { .n = 2, .exact = true, .got = "n3:2/2" },
        { .nodes = 2, .n = 2, .w = "n2", .overlap = true, .got = "n1:1/4 n2:1/4" },
        { .nodes = 2, .n = 2, .w = "n3,n2", .overlap = true, .got = "n2:1/4 n3:1/4" },
        { .nodes = 2, .n = 2, .w = "n3,n3,n1", .overlap = true, .got = "n1:1/4 n3:1/4" },
        { .nodes = 1, .n = 8, .w = "n2", .rc = CPUS },
        { .nodes = 2, .n = 8, .x = "n1", .overlap = true, .got = "n2:4/4 n3:4/4" },
        { .nodes = 2, .n = 2, .relative = 2, .overlap = true, .got = "n2:1/4 n3:1/4" },
    };
    RUN("three nodes", three, { { 4, 4, 4 } });
}

static void test_devices(void)
{
    static const struct want gpus[] = {
        { .n = 1, .exact = true, .gres = "gpu:1", .got = "n1:1/1" },
        { .n = 1, .exact = true, .rc = BUSY }, /* without a word it wants all that the job has */
        { .n = 1, .exact = true, .gres = "gpu:2", .rc = BUSY },
        { .n = 1, .exact = true, .gres = "gpu:3", .rc = GRES },
        { .n = 1, .exact = true, .gres = "nic:1", .rc = GRES },
        { .n = 2, .exact = true, .per_task = "1", .rc = BUSY },
        { .n = 1, .exact = true, .gpus = "3", .rc = GRES },
        { .n = 1, .exact = true, .overlap = true, .got = "n1:1/1" },
        { .n = 1, .exact = true, .gres = "none", .got = "n1:1/1" },
        { .n = 1, .exact = true, .gpus = "1", .got = "n1:1/1" },
        { .n = 1, .exact = true, .tres = "cpu:1,gres/gpu:1", .rc = BUSY },
    };
    RUN("two GPUs", gpus, { { 4 }, 400, 2 });
    static const struct want memory[] = {
        { .n = 1, .exact = true, .mem = 600, .got = "n1:1/1" },
        { .n = 1, .exact = true, .mem = 600, .rc = BUSY },
        { .n = 1, .exact = true, .mem = 2000, .rc = MEMORY },
        { .n = 1, .exact = true, .mem_cpu = 500, .rc = BUSY },
        { .n = 1, .exact = true, .mem = 400, .got = "n1:1/1" },
        { .n = 1, .exact = true, .mem_cpu = 1, .rc = BUSY },
        { .n = 1, .exact = true, .got = "n1:1/1" }, /* what was not asked for is lent */
        { .n = 1, .exact = true, .mem = 1000, .overlap = true, .got = "n1:1/1" },
    };
    RUN("memory", memory, { { 4 }, 1000 });
    static const struct want threads[] = {
        { .n = 1, .exact = true, .got = "n1:1/2" }, /* a core is not shared */
        { .n = 3, .exact = true, .rc = BUSY },
        { .n = 2, .exact = true, .got = "n1:2/2" },
    };
    RUN("two threads a core", threads, { { 4 }, 0, 0, 2 });
}

/* ---- whatever is asked for, nothing is given twice ---- */

static uint32_t seed;
static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static bool twice(struct bitmap *seen, const ProtobufCBinaryData *bytes, const struct bitmap *of)
{
    auto_bitmap struct bitmap bits = BITMAP_INIT;
    bool bad = false;
    pb_to_bitmap(&bits, bytes);
    bitmap_each(&bits, i)
    {
        bad |= bitmap_has(seen, i) || !bitmap_has(of, i);
        bitmap_set(seen, i);
    }
    return bad;
}

/* Add up one node's steps: within the job's share, no core and no device of two. */
static bool node_sound(const struct job *j, uint32_t pos)
{
    const struct node_alloc *na = &j->alloc.at[pos];
    auto_bitmap struct bitmap cores = BITMAP_INIT, devices = BITMAP_INIT;
    uint64_t cpus = 0, mem = 0, gpus = 0;
    bool bad = false;
    for (size_t s = 0; s < j->steps.n; s++) {
        const Pb__Step *p = j->steps.at[s].pb;
        for (size_t i = 0; !p->shared && i < p->n_node; i++) {
            if (p->node[i] != pos)
                continue;
            cpus += p->alloc[i]->cpus;
            mem += p->spec->mem_per_node_mb || p->spec->mem_per_cpu_mb ? p->alloc[i]->mem_mb : 0;
            bad |= twice(&cores, &p->alloc[i]->cores, &na->cores);
            for (size_t g = 0; g < p->alloc[i]->n_gres; g++) {
                gpus += p->alloc[i]->gres[g]->count;
                bad |= twice(&devices, &p->alloc[i]->gres[g]->index, &na->gres[0].index);
            }
        }
    }
    return !bad && cpus <= na->cpus && mem <= na->mem_mb && gpus <= (na->ngres ? na->gres[0].count : 0) &&
           (!j->held || (j->held[pos].cpus == cpus && j->held[pos].mem_mb == mem &&
                         bitmap_count(&j->held[pos].cores) == bitmap_count(&cores)));
}

static void random_want(struct want *w)
{
    static const char *const gres[] = { "", "", "gpu:1", "gpu:2", "none" };
    *w = (struct want){ .n = draw(6), .nodes = draw(4), .c = draw(3), .exact = draw(2), .overlap = !draw(5) };
    w->max = w->nodes && draw(2) ? w->nodes + draw(3) : 0;
    w->mem = draw(2) ? 0 : 50 * (1 + draw(8));
    w->gres = gres[draw(5)];
    w->per_task = draw(6) ? "" : "1";
    w->overcommit = !draw(8);
    w->dist = draw(3) ? "" : draw(2) ? "cyclic" : "plane=2";
}

static void test_random(void)
{
    bool sound = true, whole = true, same = true, empty = true;
    uint32_t ran = 0;
    for (uint32_t round = 1; round <= 60; round++) {
        struct rig r;
        seed = round;
        start(&r, &(struct shape){ { 4, 2 + draw(2) * 2, draw(2) * 4 }, 100 + draw(4) * 100, draw(3), 1 });
        uint32_t id = 0;
        for (uint32_t i = 0; i < 60; i++) {
            struct job *j = cluster_job(r.c, 10);
            Pb__StepSpec spec;
            struct want w;
            random_want(&w);
            fill(&spec, &w);
            if (draw(3) || !j->steps.n) {
                bool began = !step(&r, id, &spec, NULL);
                ran += began;
                id += began;
                if (began && w.n)
                    whole &= step_tasks(step_find(j, id - 1)) == w.n;
            } else {
                end(&r, j->steps.at[draw((uint32_t)j->steps.n)].pb->id);
            }
            for (uint32_t pos = 0; pos < j->alloc.n; pos++)
                sound &= node_sound(j, pos);
        }
        same &= rig_round_trip(&r);
        struct job *j = cluster_job(r.c, 10);
        for (uint32_t pos = 0; pos < j->alloc.n; pos++)
            sound &= node_sound(j, pos);
        while (j->steps.n)
            end(&r, j->steps.at[0].pb->id);
        for (uint32_t pos = 0; j->held && pos < j->alloc.n; pos++)
            empty &= !j->held[pos].cpus && !j->held[pos].mem_mb && !j->held[pos].steps &&
                     bitmap_none(&j->held[pos].cores);
        rig_down(&r);
    }
    ok(ran > 500, "%u random steps ran", ran);
    ok(sound, "no step ever had what another one held, or more than the job has");
    ok(whole, "every step got all its tasks");
    ok(same, "a snapshot brings all of it back");
    ok(empty, "when all have ended nothing is held");
}

static void test_limit(void)
{
    struct rig r;
    start(&r, &(struct shape){ { 4 } });
    Pb__StepSpec spec;
    Pb__EvStepUpdate e = PB__EV_STEP_UPDATE__INIT;
    fill(&spec, &(struct want){ .n = 1 });
    step(&r, 0, &spec, NULL);
    e.job_id = 10, e.step_id = 0, e.time_limit_min = 3;
    ok(!RIG_EVENT(&r, STEP_UPDATE, step_update, &e), "a step's limit is changed");
    is_int(step_find(cluster_job(r.c, 10), 0)->spec->time_limit_min, 3, "to what was said");
    ok(rig_round_trip(&r), "and kept");
    e.step_id = 1;
    ok(RIG_EVENT(&r, STEP_UPDATE, step_update, &e), "not of a step that is not there");
    end(&r, 0);
    e.step_id = 0;
    ok(RIG_EVENT(&r, STEP_UPDATE, step_update, &e), "nor of one that has ended");
    rig_down(&r);
}

int main(void)
{
    test_limit();
    test_rows();
    test_devices();
    test_random();
    return test_done();
}
