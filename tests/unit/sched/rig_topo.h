/* rig_topo - random networks, and what must hold for starts on them, computed from the names only. */
#ifndef SPUR_TEST_SCHED_RIG_TOPO_H
#define SPUR_TEST_SCHED_RIG_TOPO_H

#include "net.h"

typedef uint32_t dice_fn(uint32_t n);

static struct {
    enum topo_kind kind; /* TOPO_FLAT: no network */
    uint32_t leaf[8];    /* by node: its switch or block */
    uint32_t leaves, base;
    bool one_tree; /* a switch joins them all */
} wires;

/* Leaves of adjacent nodes, of all sizes; blocks with at least `base` nodes. */
static inline void topo_random(size_t nodes, dice_fn *dice)
{
    auto_buf struct buf text = BUF_INIT;
    uint32_t least = UINT32_MAX;
    wires.kind = dice(2) ? TOPO_TREE : TOPO_BLOCK;
    wires.leaves = 0;
    for (uint32_t at = 0; at < nodes; wires.leaves++) {
        uint32_t left = (uint32_t)nodes - at, n = MIN(1 + dice(3), left);
        n = MIN(n, left); /* the same number may have been drawn twice */
        least = MIN(least, n);
        buf_addf(&text, "%s=u%u Nodes=n[%u-%u]\n", wires.kind == TOPO_TREE ? "SwitchName" : "BlockName", wires.leaves,
                 at + 1, at + n);
        for (uint32_t i = 0; i < n; i++)
            wires.leaf[at++] = wires.leaves;
    }
    wires.one_tree = wires.kind == TOPO_TREE && dice(4);
    if (wires.one_tree)
        buf_addf(&text, "SwitchName=top Switches=u[0-%u]\n", wires.leaves - 1);
    wires.base = least;
    if (wires.kind == TOPO_BLOCK)
        buf_addf(&text, "BlockSizes=%u,%u\n", least, 2 * least);
    net_up(wires.kind, text.s);
}

static inline void topo_none(void)
{
    net_down();
    wires.kind = TOPO_FLAT;
}

static inline void topo_wish(struct rig_job *j, dice_fn *dice)
{
    static const char *const switches[] = { "1@2:00", "2@10:00", "1@0:30" };
    if (wires.kind == TOPO_FLAT)
        return;
    j->switches = dice(3) ? NULL : switches[dice(3)];
    j->topo_alone = !dice(8);
    j->exclusive &= !j->topo_alone;
    if (dice(3) || j->ntasks)
        return;
    j->segment = 1 + dice(2), j->nodes = j->segment * (1 + dice(3)), j->max_nodes = j->nodes;
    j->consolidate = !dice(4), j->apart = !dice(4);
}

static inline uint32_t topo_units(const struct alloc *a, uint32_t span, uint32_t count[static 8])
{
    uint32_t used = 0;
    memset(count, 0, 8 * sizeof(*count));
    for (uint32_t i = 0; i < a->n; i++)
        used += !count[wires.leaf[a->at[i].node] / span]++;
    return used;
}

static inline bool topo_tree_as_asked(const struct rig *r, const struct job *j, const struct alloc *a)
{
    uint32_t count[8], used = topo_units(a, 1, count);
    const struct req *q = &j->spec->req;
    if (q->contiguous)
        return true;
    if (!wires.one_tree && used > 1)
        return false;
    return !q->switches || r->now_s >= j->eligible_s + MIN(q->switch_wait_s, 300) || used <= q->switches;
}

/* As few blocks as its size requires, for the job or for each segment. */
static inline bool topo_blocks_as_asked(const struct job *j, const struct alloc *a, uint32_t nodes)
{
    uint32_t count[8];
    const struct req *q = &j->spec->req;
    bool parts = q->segment && q->segment < nodes;
    uint32_t of = parts ? q->segment : nodes, span = of <= wires.base ? 1 : 2, size = wires.base * span;
    uint32_t used = topo_units(a, span, count);
    if (!parts)
        return used <= (nodes + size - 1) / size;
    if (of <= size)
        for (size_t i = 0; i < 8; i++)
            if (count[i] % of)
                return false;
    if (q->spread_segments && of <= wires.base && topo_units(a, 1, count) < nodes / of)
        return false;
    return true;
}

static inline bool topo_as_asked(const struct rig *r, const struct sched_start *st)
{
    const struct req *q = &st->job->spec->req;
    if (wires.kind == TOPO_FLAT || (st->alloc.n == 1 && !q->segment))
        return true;
    if (wires.kind == TOPO_TREE)
        return topo_tree_as_asked(r, st->job, &st->alloc);
    /* more nodes than it named may be needed for its tasks, or for a constraint: then only these are certain */
    uint32_t nodes = q->min_nodes;
    if (q->ntasks_per_node && q->ntasks)
        nodes = MAX(nodes, (q->ntasks + q->ntasks_per_node - 1) / q->ntasks_per_node);
    return (q->constraint && strchr(q->constraint, '*')) || topo_blocks_as_asked(st->job, &st->alloc, nodes);
}

/* No other job is in the blocks of a job that wants them exclusively. */
static inline bool topo_sound(const struct rig *r)
{
    for (const struct job *a = r->c->active.head; a && wires.kind != TOPO_FLAT; a = a->next)
        for (const struct job *b = r->c->active.head; b; b = b->next)
            for (uint32_t i = 0; a != b && a->spec->req.exclusive_topo && i < a->alloc.n; i++)
                for (uint32_t k = 0; k < b->alloc.n; k++)
                    if (!a->alloc.at[i].done && !b->alloc.at[k].done &&
                        wires.leaf[a->alloc.at[i].node] == wires.leaf[b->alloc.at[k].node])
                        return false;
    return true;
}

#endif
