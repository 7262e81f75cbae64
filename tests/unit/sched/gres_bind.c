/*
 * gres_bind - devices and the cores of their sockets: what a job gets, as Slurm answered, and invariants for random
 * jobs.
 */
#include "rig.h"

#define ENFORCE .gres_flags = "enforce-binding"

/* Nodes with two sockets of four cores; the first two GPUs are on the first socket, the other two on the second. */
static void up(struct rig *r, size_t nodes)
{
    static uint8_t first[] = { 0x0f }, second[] = { 0xf0 };
    static ProtobufCBinaryData cores[] = { { 1, first }, { 1, first }, { 1, second }, { 1, second } };
    static Pb__GresDevices gpus, *all[] = { &gpus };
    pb__gres_devices__init(&gpus);
    gpus.name = (char[]){ "gpu" }, gpus.cores = cores, gpus.n_cores = ARRAY_LEN(cores);
    rig_devices = all, rig_ndevices = 1;
    rig_plain(r, nodes, 2, 4, 1, 4000, "gpu:4");
    rig_devices = NULL, rig_ndevices = 0;
}

static size_t put_bits(char *out, size_t size, const struct bitmap *b)
{
    size_t n = 0;
    bitmap_each (b, i)
        n += (size_t)snprintf(out + n, size - n, "%zu", i);
    return n;
}

/* "n1 04/13": cores and GPUs that the job got of each node, a digit each; "-" when it waits. */
static const char *got(const struct rig *r, uint32_t id)
{
    static char text[256];
    size_t n = 0;
    const struct job *j = cluster_job(r->c, id);
    if (job_base(j) != JOB_RUNNING)
        return "-";
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s ", i ? " " : "", r->c->node[na->node].name);
        n += put_bits(text + n, sizeof(text) - n, &na->cores);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "/");
        for (uint32_t g = 0; g < na->ngres; g++)
            n += put_bits(text + n, sizeof(text) - n, &na->gres[g].index);
    }
    return text;
}

/* ---- as recorded from Slurm ---- */

static void test_recorded(void)
{
    static const struct {
        const char *name, *want;
        struct rig_job before, job; /* before: an empty request ends the list */
    } cases[] = {
        { "the first socket is full", "n1 4/2", { .ntasks = 1, .cpus = 4 }, { .ntasks = 1, .gres = "gpu:1", ENFORCE } },
        { "three GPUs and one task: a core on each socket",
          "n1 04/012",
          { 0 },
          { .ntasks = 1, .gres = "gpu:3", ENFORCE } },
        { "four GPUs, two tasks", "n1 04/0123", { 0 }, { .ntasks = 2, .gres = "gpu:4", ENFORCE } },
        { "two GPUs, six tasks: four on one socket, the rest on another node",
          "n1 0123/01 n2 01/01",
          { 0 },
          { .ntasks = 6, .gres = "gpu:2", ENFORCE } },
        { "one GPU, two tasks on its socket", "n1 01/0", { 0 }, { .ntasks = 2, .gres = "gpu:1", ENFORCE } },
        { "the GPUs of the first socket are taken",
          "n1 45/2",
          { .ntasks = 1, .gres = "gpu:2" },
          { .ntasks = 2, .gres = "gpu:1", ENFORCE } },
        { "a GPU a task", "n1 0145/0123", { 0 }, { .ntasks = 4, .gpus_per_task = "1", ENFORCE } },
        { "a job without devices gets any core", "n1 012456/", { 0 }, { .ntasks = 6, ENFORCE } },
        { "without the flag any core will do", "n1 012456/01", { 0 }, { .ntasks = 6, .gres = "gpu:2" } },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        up(&r, 2);
        if (cases[i].before.ntasks) {
            rig_submit(&r, cases[i].before);
            rig_plan(&r);
        }
        uint32_t id = rig_submit(&r, cases[i].job);
        rig_plan(&r);
        is_str(got(&r, id), cases[i].want, "%s", cases[i].name);
        rig_down(&r);
    }
}

/* Devices on the sockets of the cores come first, with and without binding. */
static void test_nearest(void)
{
    struct rig r;
    up(&r, 1);
    rig_submit(&r, (struct rig_job){ .ntasks = 1, .cpus = 4 });
    rig_plan(&r);
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:1" });
    rig_plan(&r);
    is_str(got(&r, id), "n1 4/2", "a job on the second socket gets a GPU of the second socket");
    id = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:2" });
    rig_plan(&r);
    is_str(got(&r, id), "n1 5/03", "and another one when there are no more");
    rig_down(&r);
}

/* ---- waiting jobs ---- */

static void test_waits(void)
{
    struct rig r;
    struct err err = ERR_INIT;
    up(&r, 1);
    uint32_t never = rig_submit(&r,
                                (struct rig_job){ .nodes = 1, .max_nodes = 1, .ntasks = 5, .gres = "gpu:1", ENFORCE });
    ok(sched_feasible(r.s, r.c, cluster_job(r.c, never), &err), "five tasks on the socket of one GPU: never");
    ok(!sched_feasible(
           r.s, r.c, cluster_job(r.c, rig_submit(&r, (struct rig_job){ .ntasks = 4, .gres = "gpu:1", ENFORCE })), &err),
       "four: yes");
    rig_down(&r);

    up(&r, 1);
    uint32_t hog = rig_submit(&r, (struct rig_job){ .ntasks = 1, .cpus = 4, .limit_min = 30 });
    rig_plan(&r);
    uint32_t long_one = rig_submit(&r, (struct rig_job){ .ntasks = 1, .gres = "gpu:1", .cpus = 2, .limit_min = 120 });
    rig_plan(&r);
    is_str(got(&r, long_one), "n1 45/2", "a job stays on the second socket");
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 1, .cpus = 3, .gres = "gpu:1", ENFORCE });
    uint32_t later = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 300 });
    uint32_t brief = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 20 });
    rig_plan(&r);
    is_str(got(&r, id), "-", "two cores are left of the second socket, none of the first: it waits");
    is_str(rig_why(&r, id), "Resources", "for resources");
    ok(sched_estimate(r.s, r.c, cluster_job(r.c, id), r.now_s, NULL) == r.now_s + 1800,
       "until the first socket is free");
    is_str(got(&r, later), "-", "a job that would still run then does not start before it");
    is_str(got(&r, brief), "n1 6/", "a job that will have ended does");
    struct why_text why;
    sched_explain(r.s, r.c, cluster_job(r.c, id), r.now_s, &why);
    ok(strstr(why.sentence, "on sockets with cores for it") != NULL, "it is told so: %s", why.sentence);
    why_text_clear(&why);
    r.now_s += 1800;
    rig_end(&r, hog);
    rig_plan(&r);
    is_str(got(&r, id), "n1 012/0", "and there it begins");
    rig_down(&r);
}

static void test_default(void)
{
    struct rig r;
    up(&r, 1);
    sched_configure(r.s,
                    &(struct sched_conf){ .backfill = true, .by_core = true, .by_memory = true, .gres_bind = true });
    sched_changed(r.s, NULL);
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 3, .gres = "gpu:1" });
    uint32_t free = rig_submit(&r, (struct rig_job){ .ntasks = 3, .gres = "gpu:1", .gres_flags = "disable-binding" });
    rig_plan(&r);
    is_str(got(&r, id), "n1 012/0", "ENFORCE_BINDING_GRES: cores are on the sockets of the devices");
    is_str(got(&r, free), "n1 345/1", "except with disable-binding");
    rig_down(&r);
}

/* ---- random jobs ---- */

static uint32_t seed;

static uint32_t dice(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static uint32_t sockets(const struct bitmap *b, uint32_t per)
{
    uint32_t mask = 0;
    bitmap_each (b, i)
        mask |= 1u << (i / per);
    return mask;
}

/* No two jobs hold the same core or device; and a job with binding has cores exactly on the sockets of its devices. */
static bool holds(const struct rig *r)
{
    for (size_t n = 0; n < r->c->nnodes; n++) {
        auto_bitmap struct bitmap cores = BITMAP_INIT, gpus = BITMAP_INIT;
        size_t ncores = 0, ngpus = 0;
        for (const struct job *j = r->c->active.head; j; j = j->next)
            for (uint32_t i = 0; i < j->alloc.n; i++) {
                const struct node_alloc *na = &j->alloc.at[i];
                if (na->node != n)
                    continue;
                bitmap_or(&cores, &na->cores);
                ncores += bitmap_count(&na->cores);
                if (bitmap_count(&na->cores) != na->cpus)
                    return false;
                if (!na->ngres)
                    continue;
                bitmap_or(&gpus, &na->gres[0].index);
                ngpus += na->gres[0].count;
                if (j->spec->req.gres_bind == GRES_BIND_ENFORCE &&
                    sockets(&na->cores, 4) != sockets(&na->gres[0].index, 2))
                    return false;
            }
        if (bitmap_count(&cores) != ncores || bitmap_count(&gpus) != ngpus)
            return false;
    }
    return true;
}

static void submit_any(struct rig *r)
{
    static const char *const counts[] = { "1", "2", "3" };
    struct rig_job j = { .ntasks = 1 + dice(4),
                         .limit_min = 5 + dice(90),
                         .gres_flags = dice(3) ? "enforce-binding" : NULL };
    switch (dice(4)) {
    case 0: j.gpus_per_node = counts[dice(3)]; break;
    case 1: j.gpus_per_task = "1"; break;
    case 2: j.gpus = counts[dice(3)]; break;
    case 3: j.ntasks = 2, j.cpus = 1 + dice(3); break;
    }
    uint32_t id = rig_submit(r, j);
    struct err err = ERR_INIT;
    if (sched_feasible(r->s, r->c, cluster_job(r->c, id), &err))
        rig_end(r, id);
}

static void test_any_mix(void)
{
    bool good = true;
    uint32_t started = 0, left = 0;
    for (uint32_t run = 0; run < 60 && good; run++) {
        struct rig r;
        seed = run + 1;
        up(&r, 1 + dice(3));
        for (uint32_t turn = 0; turn < 90 && good; turn++) {
            if (turn < 30)
                submit_any(&r);
            started += rig_plan(&r);
            good = holds(&r);
            r.now_s += 60 * (1 + dice(20));
            for (const struct job *j = r.c->active.head, *next; j; j = next) {
                next = j->next;
                if (job_limit_s(j) <= r.now_s || !dice(4))
                    rig_end(&r, j->id);
            }
        }
        for (const struct job *j = r.c->pending.head; j; j = j->next)
            left++;
        rig_down(&r);
    }
    ok(good && started > 1000, "cores and GPUs match in any mix (%u starts)", started);
    ok(!left, "and no job waits for ever (%u do)", left);
}

int main(void)
{
    test_recorded();
    test_nearest();
    test_waits();
    test_default();
    test_any_mix();
    return test_done();
}
