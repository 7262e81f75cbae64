/* layout - where tasks go: rows as Slurm lays them out. */
#include "base/buf.h"
#include "base/mem.h"
#include "core/layout.h"
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
    ok(!layout_parse("Cyclic:fcyclic,NOPACK", &d, NULL) && d.dist == LAYOUT_CYCLIC && d.no_pack, "case does not matter");
}

int main(void)
{
    test_rows();
    test_arbitrary();
    test_words();
    return test_done();
}
