/*
 * topo_random - forty nodes in eight racks, some of them busy: a job starts exactly when suitable nodes exist, and
 * there.
 *
 * Whether they exist is counted here from the racks only, in the simplest way.
 */
#include "net.h"

#define RACKS 8u
#define SIZE 5u /* nodes of a rack */
#define BASE 4u /* nodes that a base block counts for */
#define TOP 8u  /* racks of the largest block */

static uint64_t seed;

static uint32_t dice(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % n);
}

struct wish {
    uint32_t nodes, segment, switches;
    bool consolidate, apart, blocks;
};

/* Racks of the smallest block with `nodes` nodes; if there is none, of the largest. */
static uint32_t span_of(uint32_t nodes)
{
    uint32_t span = 1;
    while (span < TOP && span * BASE < nodes)
        span *= 2;
    return span;
}

static uint32_t sum(const uint32_t *room, uint32_t from, uint32_t n)
{
    uint32_t s = 0;
    for (uint32_t i = from; i < from + n; i++)
        s += room[i];
    return s;
}

/* Segments that racks `from` to `from + n` hold. */
static uint32_t segments_in(const uint32_t *room, const struct wish *w, uint32_t from, uint32_t n)
{
    uint32_t span = span_of(w->segment), count = 0;
    for (uint32_t i = from; i + span <= from + n; i += span) {
        uint32_t here = sum(room, i, span) / w->segment;
        count += w->apart && span == 1 ? MIN(here, 1u) : here;
    }
    return count;
}

static bool blocks_exist(const uint32_t *room, const struct wish *w)
{
    uint32_t span = span_of(w->nodes), want = w->segment && w->segment < w->nodes ? w->nodes / w->segment : 0;
    if (want && !w->consolidate)
        return segments_in(room, w, 0, RACKS) >= want;
    while (want && w->apart && span < TOP && span < want)
        span *= 2;
    if (span * BASE < w->nodes) /* larger than the largest block, of which there is one */
        return false;
    for (uint32_t i = 0; i < RACKS; i += span)
        if (want ? segments_in(room, w, i, span) >= want : sum(room, i, span) >= w->nodes)
            return true;
    return false;
}

static int falling(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Four pairs of racks under a switch each, and one above all. */
static bool switches_exist(const uint32_t *room, const struct wish *w)
{
    uint32_t best[RACKS];
    memcpy(best, room, sizeof(best));
    qsort(best, RACKS, sizeof(*best), falling);
    return sum(best, 0, w->switches ? MIN(w->switches, RACKS) : RACKS) >= w->nodes;
}

static bool sound(const struct job *j, const struct wish *w)
{
    uint32_t count[RACKS] = { 0 }, used = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        used += !count[j->alloc.at[i].node / SIZE]++;
    if (j->alloc.n != w->nodes)
        return false;
    if (!w->blocks)
        return !w->switches || used <= w->switches;
    bool parts = w->segment && w->segment < w->nodes;
    uint32_t span = span_of(parts ? w->segment : w->nodes), groups = 0;
    for (uint32_t i = 0; i < RACKS; i += span) {
        uint32_t here = sum(count, i, span);
        groups += here > 0;
        if (parts && here % w->segment)
            return false;
        if (parts && w->apart && span == 1 && here > w->segment)
            return false;
    }
    return parts || groups == 1;
}

static struct wish random_wish(bool blocks)
{
    struct wish w = { .blocks = blocks, .nodes = 2 + dice(14) };
    if (!blocks) {
        w.switches = dice(4);
        return w;
    }
    if (dice(2)) {
        w.segment = 1 + dice(6), w.nodes = w.segment * (1 + dice(5));
        w.consolidate = !dice(3), w.apart = w.segment <= BASE && !dice(3);
    }
    w.nodes = MAX(w.nodes, 2u);
    if (w.segment && w.nodes > w.segment && w.nodes % w.segment)
        w.segment = 0;
    return w;
}

static bool try_one(struct wish w)
{
    struct rig r;
    uint32_t room[RACKS] = { 0 }, crowd = 1 + dice(9);
    rig_plain(&r, RACKS * SIZE, 1, 1, 1, 1000, NULL);
    rig_plan(&r);
    for (uint32_t i = 0; i < RACKS * SIZE; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%u", i + 1);
        if (dice(10) < crowd)
            rig_submit(&r, (struct rig_job){ .nodelist = name, .nodes = 1, .limit_min = 60 });
        else
            room[i / SIZE]++;
    }
    rig_plan(&r);
    bool exists = w.blocks ? blocks_exist(room, &w) : switches_exist(room, &w);
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = w.nodes,
                                                   .segment = w.segment,
                                                   .consolidate = w.consolidate,
                                                   .apart = w.apart,
                                                   .switches = w.switches == 1   ? "1"
                                                               : w.switches == 2 ? "2"
                                                               : w.switches == 3 ? "3"
                                                                                 : NULL });
    rig_plan(&r);
    const struct job *j = cluster_job(r.c, id);
    bool runs = job_base(j) == JOB_RUNNING, good = runs == exists && (!runs || sound(j, &w));
    if (!good)
        printf("# %s nodes %u segment %u switches %u%s%s: %s, %s; room %u %u %u %u %u %u %u %u\n",
               w.blocks ? "blocks" : "tree", w.nodes, w.segment, w.switches, w.consolidate ? " consolidated" : "",
               w.apart ? " apart" : "", runs ? "runs" : "waits", exists ? "nodes exist" : "none exists", room[0],
               room[1], room[2], room[3], room[4], room[5], room[6], room[7]);
    rig_down(&r);
    return good;
}

static void many(bool blocks, uint32_t n)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        seed = (i + 1) * 0x9e3779b97f4a7c15ull | 1;
        for (int k = 0; k < 8; k++)
            dice(2);
        wrong += !try_one(random_wish(blocks));
    }
    is_int(wrong, 0, "%u random jobs in %s: each starts exactly when suitable nodes exist, and there", n,
           blocks ? "blocks" : "a tree");
}

int main(void)
{
    auto_buf struct buf tree = BUF_INIT, racks = BUF_INIT;
    for (uint32_t i = 0; i < RACKS; i++) {
        buf_addf(&tree, "SwitchName=s%u Nodes=n[%u-%u]\n", i, i * SIZE + 1, (i + 1) * SIZE);
        buf_addf(&racks, "BlockName=b%u Nodes=n[%u-%u]\n", i, i * SIZE + 1, (i + 1) * SIZE);
        if (i % 2)
            buf_addf(&tree, "SwitchName=m%u Switches=s[%u-%u]\n", i / 2, i - 1, i);
    }
    buf_adds(&tree, "SwitchName=top Switches=m[0-3]\n");
    buf_addf(&racks, "BlockSizes=%u,%u,%u,%u\n", BASE, 2 * BASE, 4 * BASE, 8 * BASE);
    net_up(TOPO_TREE, tree.s);
    many(false, 600);
    net_up(TOPO_BLOCK, racks.s);
    many(true, 1000);
    net_down();
    return test_done();
}
