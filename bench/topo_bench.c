/*
 * topo_bench - the cost of topology-aware node selection: jobs of many nodes on 10,000 nodes, a third of them busy.
 *
 * Measured, processor time of the whole plan, mean of five, one core of a 2-core machine, -O2:
 *
 *     1,000 nodes, no network                   2.8 ms
 *     1,000 nodes, tree of leaves of 16         1.9 ms
 *     10 nodes under one switch                 1.4 ms
 *     600 nodes in one block of 1,024           1.9 ms
 *     1,000 nodes, segments of 10               1.8 ms
 *     4,000 nodes, segments of 16: none free    5.5 ms, with the search for a planned start
 */
#include <time.h>

#include "../tests/unit/sched/net.h"

#define NODES 10000

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Leaves of `size` nodes; of a tree, fifty of them under each switch of the next level. */
static char *network(enum topo_kind kind, uint32_t size)
{
    struct buf b = BUF_INIT;
    uint32_t leaves = (NODES + size - 1) / size, upper = (leaves + 49) / 50;
    for (uint32_t i = 0; i < leaves; i++)
        buf_addf(&b, "%s=u%u Nodes=n[%u-%u]\n", kind == TOPO_TREE ? "SwitchName" : "BlockName", i, i * size + 1,
                 MIN((i + 1) * size, (uint32_t)NODES));
    for (uint32_t i = 0; kind == TOPO_TREE && i < upper; i++)
        buf_addf(&b, "SwitchName=m%u Switches=u[%u-%u]\n", i, i * 50, MIN((i + 1) * 50, leaves) - 1);
    if (kind == TOPO_TREE)
        buf_addf(&b, "SwitchName=top Switches=m[0-%u]\n", upper - 1);
    else
        buf_addf(&b, "BlockSizes=%u,%u,%u,%u\n", size, size * 4, size * 16, size * 64);
    return buf_take(&b);
}

static void row(const char *what, enum topo_kind kind, struct rig_job job)
{
    struct rig r;
    auto_free char *text = kind == TOPO_FLAT ? NULL : network(kind, 16);
    if (text)
        net_up(kind, text);
    else
        net_down();
    rig_plain(&r, NODES, 2, 4, 1, 16000, NULL);
    rig_plan(&r);
    for (uint32_t i = 1; i < NODES; i += 3) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", i);
        if ((i * 2654435761u >> 16) % 4 < 3) /* some leaves stay whole */
            rig_submit(&r, (struct rig_job){ .ntasks = 1, .cpus = 8, .nodelist = name });
    }
    rig_plan(&r);
    double worst = 0, sum = 0;
    uint32_t started = 0;
    for (int i = 0; i < 5; i++) {
        uint32_t id = rig_submit(&r, job);
        struct plan p;
        double from = now_us();
        sched_plan(r.s, r.c, r.now_s, NULL, &p);
        double us = now_us() - from;
        worst = MAX(worst, us), sum += us;
        started += p.starts.n > 0;
        plan_clear(&p);
        rig_end(&r, id);
        rig_plan(&r);
    }
    printf("%-44s %8.2f ms %8.2f ms worst  %s\n", what, sum / 5e3, worst / 1e3, started ? "starts" : "waits");
    rig_down(&r);
}

int main(void)
{
    row("1,000 nodes, no network", TOPO_FLAT, (struct rig_job){ .nodes = 1000 });
    row("1,000 nodes, tree of leaves of 16", TOPO_TREE, (struct rig_job){ .nodes = 1000 });
    row("10 nodes under one switch", TOPO_TREE, (struct rig_job){ .nodes = 10, .switches = "1" });
    row("600 nodes in one block of 1,024", TOPO_BLOCK, (struct rig_job){ .nodes = 600 });
    row("1,000 nodes, segments of 10", TOPO_BLOCK, (struct rig_job){ .nodes = 1000, .segment = 10 });
    row("4,000 nodes, segments of 16: not there", TOPO_BLOCK, (struct rig_job){ .nodes = 4000, .segment = 16 });
    net_down();
    return 0;
}
