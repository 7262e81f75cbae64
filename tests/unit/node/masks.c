/* Shapes of nodes x requests -> the CPUs of each task, as Slurm's task/affinity gives them. */
#include "step/masks.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* Hyperthreads as Linux numbers them: the second thread of each core comes after all first ones. */
#define ONE "1:1:2:1 0.0 1.0"
#define TWO_BY_FOUR "1:2:4:1 0.0 2.0 4.0 6.0 1.1 3.1 5.1 7.1"
#define HYPER "1:2:2:2 0.0 4.0 1.0 5.0 2.1 6.1 3.1 7.1"
#define NUMA_BY_TWO "1:1:4:1 0.0 1.0 2.1 3.1"

struct given {
    const char *topo, *cores; /* cores: a mask in hexadecimal */
    const char *bind, *dist;
    uint32_t tasks, cpus, tpc, per_core;
    const char *want; /* masks by the system's numbers; "-": not bound */
};

/* clang-format off */
static const struct given cases[] = {
    /* automatic: by what was allocated */
    { ONE, "1", "", "", 1, 1, 0, 0, "1" },
    { ONE, "3", "", "", 2, 1, 0, 0, "1 2" },
    { ONE, "3", "", "", 1, 2, 0, 0, "3" },
    { ONE, "3", "", "", 1, 1, 0, 0, "3" },                      /* one socket, one task */
    { ONE, "3", "", "", 3, 1, 0, 0, "3 3 3" },                  /* no unit matches: all CPUs */
    { TWO_BY_FOUR, "ff", "", "", 2, 1, 0, 0, "55 aa" },         /* a socket each */
    { TWO_BY_FOUR, "33", "", "", 4, 1, 0, 0, "1 2 4 8" },       /* round the sockets */
    { TWO_BY_FOUR, "33", "", "block:block", 4, 1, 0, 0, "1 4 2 8" },
    { TWO_BY_FOUR, "33", "", "", 2, 2, 0, 0, "5 a" },           /* a task's CPUs stay in a socket */
    { TWO_BY_FOUR, "33", "", "block:fcyclic", 2, 2, 0, 0, "3 c" },
    { TWO_BY_FOUR, "33", "", "", 3, 1, 0, 0, "f f f" },
    { TWO_BY_FOUR, "07", "", "plane=2", 3, 1, 0, 0, "1 4 10" },
    { HYPER, "1", "", "", 1, 1, 0, 0, "11" },                   /* a core, both threads */
    { HYPER, "f", "", "", 2, 1, 0, 0, "33 cc" },
    { HYPER, "f", "", "", 4, 1, 0, 0, "11 44 22 88" },
    { HYPER, "f", "", "", 8, 1, 0, 0, "1 4 10 40 2 8 20 80" },
    { HYPER, "f", "", "", 4, 2, 0, 0, "11 44 22 88" },
    { HYPER, "f", "", "", 4, 1, 1, 0, "1 4 2 8" },              /* one thread of each core */
    /* units */
    { TWO_BY_FOUR, "ff", "cores", "", 2, 1, 0, 0, "1 2" },
    { TWO_BY_FOUR, "ff", "sockets", "", 4, 1, 0, 0, "55 aa 55 aa" },
    { TWO_BY_FOUR, "33", "sockets", "", 2, 1, 0, 0, "5 a" },    /* only what was allocated */
    { HYPER, "f", "threads", "", 2, 1, 0, 0, "1 4" },
    { HYPER, "f", "threads", "block:block", 3, 1, 0, 0, "1 10 2" },
    { HYPER, "f", "cores", "block:block", 3, 1, 0, 0, "11 22 44" },
    { HYPER, "f", "threads", "", 4, 1, 0, 1, "1 4 2 8" },       /* --ntasks-per-core=1 */
    { HYPER, "f", "threads", "block:block:cyclic", 4, 1, 0, 0, "1 2 10 20" },
    { HYPER, "3", "threads", "block:block:fcyclic", 2, 2, 0, 0, "3 30" },
    { HYPER, "f", "cores", "", 2, 3, 0, 0, "33 cc" },
    { NUMA_BY_TWO, "f", "ldoms", "", 2, 1, 0, 0, "3 3" },
    { NUMA_BY_TWO, "f", "ldoms", "", 2, 2, 0, 0, "3 c" },
    { NUMA_BY_TWO, "f", "sockets", "", 2, 1, 0, 0, "f f" },
    /* more tasks than CPUs */
    { ONE, "3", "cores", "", 5, 1, 0, 0, "1 2 1 2 1" },
    { ONE, "1", "cores", "", 2, 2, 0, 0, "1 1" },
    /* by the user's own list */
    { ONE, "3", "map_cpu:1,0", "", 3, 1, 0, 0, "2 1 2" },
    { ONE, "3", "mask_cpu:0x2,3", "", 2, 1, 0, 0, "2 3" },
    { ONE, "2", "map_cpu:0", "", 1, 1, 0, 0, NULL },            /* CPUs outside of the step */
    { ONE, "2", "map_cpu:1", "", 1, 1, 0, 0, "2" },
    { ONE, "1", "map_cpu:7", "", 1, 1, 0, 0, NULL },
    { ONE, "1", "mask_cpu:0xf0", "", 1, 1, 0, 0, NULL },
    { ONE, "1", "mask_cpu:0xf", "", 1, 1, 0, 0, "1" },          /* a mask in part outside of the step */
    { ONE, "2", "rank_ldom", "", 1, 1, 0, 0, "2" },             /* domains only with the whole node */
    { NUMA_BY_TWO, "f", "rank_ldom", "", 3, 1, 0, 0, "3 c 3" },
    { NUMA_BY_TWO, "f", "map_ldom:1", "", 1, 1, 0, 0, "c" },
    { NUMA_BY_TWO, "f", "mask_ldom:0x3,2", "", 2, 1, 0, 0, "f c" },
    { NUMA_BY_TWO, "f", "map_ldom:7", "", 1, 1, 0, 0, "-" },
    { ONE, "3", "none", "", 2, 1, 0, 0, "- -" },
    /* the configuration has more than the machine */
    { "1:2:4:1 0.0 1.0", "11", "", "", 2, 1, 0, 0, "1 -" },
    { "1:2:4:1 0.0 1.0", "f0", "cores", "", 1, 4, 0, 0, "-" },
    { ONE, "0", "cores", "", 1, 1, 0, 0, "-" },                 /* no cores are named */
};
/* clang-format on */

static void show(const struct masks *m, struct buf *out)
{
    for (uint32_t i = 0; i < m->n; i++) {
        auto_free char *hex = masks_hex(&m->at[i]);
        buf_addf(out, "%s%s", i ? " " : "", bitmap_none(&m->at[i]) ? "-" : hex);
    }
}

static void test_case(const struct given *g)
{
    auto_topo struct topo t = TOPO_INIT;
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    auto_bind_cpu struct bind_cpu b = { 0 };
    struct bind_dist d = { 0 };
    auto_buf struct buf got = BUF_INIT;
    masks_parse(g->cores, TOPO_MAX, &cores);
    ok(!topo_parse(g->topo, &t, NULL) && (!*g->bind || !bind_cpu_parse(g->bind, &b, NULL)) &&
           (!*g->dist || !bind_dist_parse(g->dist, &d, NULL)),
       "%s %s %s", g->topo, g->bind, g->dist);
    struct masks_ask ask = { .topo = &t, .cores = &cores, .tasks = g->tasks, .cpus_per_task = g->cpus,
                             .threads_per_core = g->tpc, .ntasks_per_core = g->per_core, .dist = d, .bind = &b };
    auto_masks struct masks m = { 0 };
    bool had = masks_make(&ask, &m);
    show(&m, &got);
    is_str(had ? got.s : NULL, g->want, "cores %s, %u tasks of %u CPUs, bind=%s -m %s", g->cores, g->tasks, g->cpus,
           g->bind, g->dist);
}

static void test_words(void)
{
    auto_topo struct topo t = TOPO_INIT;
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    struct bind_cpu none = { 0 };
    bitmap_set_range(&cores, 0, 8);
    ok(!topo_parse(TWO_BY_FOUR, &t, NULL), "a node of two sockets");
    struct masks_ask ask = { .topo = &t, .cores = &cores, .tasks = 2, .bind = &none };
    auto_masks struct masks m = { 0 };
    masks_make(&ask, &m);
    auto_free char *list = masks_text(&m, topo_cpus(&t));
    is_str(list, "0x55,0xAA", "masks as the environment shows them");
    ok(m.how == BIND_CPU_MASK && !m.absent, "are masks");
    masks_clear(&m);
    ask.tasks = 3;
    ask.otherwise = BIND_CORES;
    masks_make(&ask, &m);
    auto_free char *cores_list = masks_text(&m, topo_cpus(&t));
    is_str(cores_list, "0x01,0x02,0x04", "autobind=cores when nothing matches");
    static const char *const wrong[] = { "", "1:2:3", "0:1:1:1", "1:1:1:1 x", "1:1:1:1 0", "1:1:1:1 0.0.0",
                                         "4096:4096:4096:4096" };
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        ok(topo_parse(wrong[i], &t, NULL), "\"%s\" is no topology", wrong[i]);
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        test_case(&cases[i]);
    test_words();
    return test_done();
}
