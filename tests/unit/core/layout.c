/* layout - where tasks go: rows as Slurm lays them out. */
#include "base/buf.h"
#include "base/mem.h"
#include "core/cluster.h"
#include "core/layout.h"
#include "core/pbutil.h"
#include "test.h"

struct row {
    const char *dist;
    uint32_t room[4]; /* up to the first 0 */
    uint32_t tasks;
    bool overcommit;
    const char *want; /* ranks of each node, nodes by ';' */
};

static const struct row rows[] = {
    /* srun -N 2 -n 5, -N 3 -n 6, ...: the job has so many CPUs there */
    { "", { 4, 1 }, 5, false, "0,1,2,3;4" },
    { "block", { 4, 1 }, 5, false, "0,1,2,3;4" },
    { "cyclic", { 4, 1 }, 5, false, "0,2,3,4;1" },
    { "", { 4, 1, 1 }, 6, false, "0,1,2,3;4;5" },
    { "cyclic", { 5, 1, 1 }, 7, false, "0,3,4,5,6;1;2" },
    { "*", { 5, 1, 1 }, 7, false, "0,1,2,3,4;5;6" },
    { "plane=2", { 7, 1 }, 8, false, "0,1,3,4,5,6,7;2" },
    { "plane=2", { 5, 1, 1 }, 7, false, "0,1,4,5,6;2;3" },
    { "plane=4", { 3, 1 }, 4, false, "0,1,2;3" },
    { "plane=4", { 4, 4 }, 4, false, "0,1,2;3" },
    { "plane=4", { 4, 4, 4 }, 6, false, "0,1,2,3;4;5" },
    /* steps inside: a block spreads over the nodes, its ranks are in a row */
    { "", { 7, 1 }, 3, false, "0,1;2" },
    { "block:cyclic", { 4, 4 }, 4, false, "0,1;2,3" },
    { "", { 4, 4, 4 }, 4, false, "0,1;2;3" },
    { "cyclic:cyclic", { 4, 4, 4 }, 12, false, "0,3,6,9;1,4,7,10;2,5,8,11" },
    { "cyclic", { 7, 1 }, 5, false, "0,2,3,4;1" },
    { "block,Pack", { 4, 4 }, 5, false, "0,1,2,3;4" },
    { "block,NoPack", { 4, 4 }, 5, false, "0,1,2;3,4" },
    { "", { 7, 1 }, 20, true, "0,1,2,3,4,5,6,7,8,9,10,11,12;13,14,15,16,17,18,19" },
    { "", { 1 }, 3, true, "0,1,2" },
    { "", { 2, 2 }, 1, false, "0;" },
    { "", { 2, 1 }, 4, false, NULL },
};

static char *ranks_text(const struct layout *l)
{
    struct buf b = BUF_INIT;
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        for (uint32_t k = 0; k < l->tasks[i]; k++)
            buf_addf(&b, "%s%u", k ? "," : "", l->rank[at++]);
        buf_adds(&b, i + 1 < l->n ? ";" : "");
    }
    return buf_take(&b);
}

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        struct err err = ERR_INIT;
        struct layout_ask ask = { .room = r->room, .tasks = r->tasks, .overcommit = r->overcommit };
        while (ask.n < 4 && r->room[ask.n])
            ask.n++;
        auto_layout struct layout l = { 0 };
        ok(!layout_parse(r->dist, &ask.dist, &err), "\"%s\" is a distribution", r->dist);
        int rc = layout_make(&ask, &l, &err);
        auto_free char *text = rc ? NULL : ranks_text(&l);
        is_str(text, r->want, "row %zu: %u tasks, -m \"%s\"", i, r->tasks, r->dist);
        bool plain = strncmp(r->dist, "cyclic", 6) && strncmp(r->dist, "plane", 5);
        ok(rc || !plain || l.plain, "row %zu: ranks that count up are told from others", i);
    }
}

/* SLURM_HOSTFILE: n2 n1 n2 n1 n1. */
static void test_arbitrary(void)
{
    static const uint32_t hosts[] = { 1, 0, 1, 0, 0 }, room[] = { 9, 9 }, away[] = { 0, 2 };
    struct err err = ERR_INIT;
    struct layout_ask ask = { .n = 2, .room = room, .tasks = 5, .host = hosts, .nhosts = 5 };
    ask.dist.dist = LAYOUT_ARBITRARY;
    auto_layout struct layout l = { 0 }, shorter = { 0 };
    ok(!layout_make(&ask, &l, &err), "a host for each task");
    auto_free char *text = ranks_text(&l);
    is_str(text, "1,3,4;0,2", "each task is where its line says");
    ask.tasks = 3;
    ok(!layout_make(&ask, &shorter, &err), "fewer tasks than lines");
    auto_free char *first = ranks_text(&shorter);
    is_str(first, "1;0,2", "the first lines count");
    struct layout none;
    ask.tasks = 6;
    is_int(layout_make(&ask, &none, &err), EINVAL, "more tasks than lines");
    ask.tasks = 2, ask.host = away, ask.nhosts = 2;
    is_int(layout_make(&ask, &none, &err), EINVAL, "a line that names another node");
}

/* sbatch -N 2 -n 5 ...: what SLURM_TASKS_PER_NODE says. */
static void test_job(void)
{
    static const struct {
        uint32_t cpus[4], ntasks, cpus_per_task, per_node;
        bool overcommit;
        const char *dist, *want;
    } jobs[] = {
        { { 4, 1 }, 5, 0, 0, false, "", "4,1" },
        { { 8, 8 }, 5, 0, 0, false, "", "3,2" },
        { { 8, 8 }, 5, 0, 0, false, "plane=2", "3,2" },
        { { 8, 8 }, 5, 0, 0, false, "block,Pack", "4,1" },
        { { 8, 8 }, 3, 3, 0, false, "", "2,1" },
        { { 8, 8 }, 10, 0, 0, false, "", "5,5" },
        { { 8, 8 }, 4, 0, 3, false, "", "2,2" },
        { { 8, 4, 2 }, 7, 2, 0, false, "", "4,2,1" },
        { { 1, 1 }, 20, 0, 0, true, "", "10,10" },
    };
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        struct err err = ERR_INIT;
        auto_buf struct buf bytes = BUF_INIT, got = BUF_INIT;
        Pb__JobSpec p = PB__JOB_SPEC__INIT;
        Pb__NodeAlloc at[4], *alloc[4];
        size_t n = 0;
        p.ntasks = jobs[i].ntasks, p.cpus_per_task = jobs[i].cpus_per_task, p.ntasks_per_node = jobs[i].per_node;
        p.overcommit = jobs[i].overcommit, p.distribution = (char *)(uintptr_t)jobs[i].dist;
        pb_pack(&bytes, &p.base);
        struct spec *spec = spec_make(bytes.s, bytes.len, &err);
        uint32_t left = jobs[i].ntasks;
        for (; n < 4 && jobs[i].cpus[n]; n++) { /* as the scheduler counts them: as many as there is room for */
            pb__node_alloc__init(&at[n]);
            at[n].cpus = jobs[i].cpus[n], at[n].tasks = MIN(left, at[n].cpus / MAX(p.cpus_per_task, 1u));
            left -= at[n].tasks;
            alloc[n] = &at[n];
        }
        layout_job(spec, alloc, n);
        for (size_t k = 0; k < n; k++)
            buf_addf(&got, "%s%u", k ? "," : "", at[k].tasks);
        is_str(got.s, jobs[i].want, "a job of %u tasks, row %zu", jobs[i].ntasks, i);
        spec_free(spec);
    }
}

static void test_words(void)
{
    static const char *const bad[] = { "plane", "plane=0", "plane=x", "round", "block,tight", "plane=99999999999" };
    struct layout_dist_of d;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        is_int(layout_parse(bad[i], &d, &err), EINVAL, "\"%s\" is no distribution", bad[i]);
        ok(strstr(err.text, bad[i]), "the sentence names it");
    }
    ok(!layout_parse(NULL, &d, NULL) && d.dist == LAYOUT_BLOCK, "nothing said is a block");
    ok(!layout_parse("Cyclic:fcyclic,NOPACK", &d, NULL) && d.dist == LAYOUT_CYCLIC && d.no_pack,
       "case does not matter");
}

int main(void)
{
    test_rows();
    test_arbitrary();
    test_job();
    test_words();
    return test_done();
}
