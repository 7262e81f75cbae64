/*
 * topo_block - nodes by blocks: a job gets as few blocks as its size allows, or it waits.
 *
 * A block of level k is span[k] consecutive base blocks.  A job goes into one block of the lowest level that is large
 * enough, and a larger job into as few blocks of the highest level as possible; with segments this holds for each
 * segment.  Of several suitable blocks the fullest is taken, of equal ones the last.  Within it, the smallest base
 * block that holds the rest is taken, or the largest as a whole and then the next.  The rules are those that Slurm's
 * topology/block was observed to follow.
 */
#include "sched/pick_priv.h"

struct block_range { /* consecutive base blocks */
    uint32_t from, to;
};

static uint32_t level_size(const struct topo *t, uint32_t level)
{
    return t->base * t->span[level];
}

/* The lowest level whose blocks have `nodes` nodes; the highest if none does. */
static uint32_t level_of(const struct topo *t, uint32_t nodes)
{
    uint32_t level = 0;
    while (level + 1 < t->nlevels && level_size(t, level) < nodes)
        level++;
    return level;
}

static uint32_t level_blocks(const struct topo *t, uint32_t level)
{
    return (t->nunits + t->span[level] - 1) / t->span[level];
}

static struct block_range block_range_at(const struct topo *t, uint32_t level, uint32_t i)
{
    uint32_t span = t->span[level];
    return (struct block_range){ i * span, MIN((i + 1) * span, t->nunits) };
}

/* ---- base blocks ---- */

static bool leaf_open(const struct net *net, uint32_t u)
{
    return net->leaf[u].left.nodes && !bitmap_has(&net->shut, u);
}

static struct fit_sum block_range_sum(const struct net *net, struct block_range p)
{
    struct fit_sum s = { 0 };
    for (uint32_t u = p.from; u < p.to; u++)
        if (leaf_open(net, u)) {
            s.nodes += net->leaf[u].left.nodes;
            s.tasks += net->leaf[u].left.tasks;
            s.gpus += net->leaf[u].left.gpus;
        }
    return s;
}

/* Is `a` better than `b`?  Blocks that hold the rest first, the smallest of them; else the largest; of equal ones the
 * last. */
static bool block_better(bool a_all, uint32_t a, bool b_all, uint32_t b)
{
    if (a_all != b_all)
        return a_all;
    return a_all ? a <= b : a >= b;
}

static uint32_t best_leaf(const struct net *net, struct block_range p, uint32_t nodes, bool by_tasks)
{
    uint32_t best = TOPO_NONE, best_n = 0;
    bool best_all = false;
    for (uint32_t u = p.from; u < p.to; u++) {
        const struct fit_sum *s = &net->leaf[u].left;
        if (!leaf_open(net, u))
            continue;
        bool all = by_tasks ? fit_sum_holds(net->k, s, nodes) : s->nodes >= nodes;
        if (best != TOPO_NONE && !block_better(all, s->nodes, best_all, best_n))
            continue;
        best = u, best_n = s->nodes, best_all = all;
    }
    return best;
}

/* Until the job has what it needs, or the range is empty. */
static void take_block_range(struct net *net, struct block_range p)
{
    while (!pick_full(net->k)) {
        uint32_t u = best_leaf(net, p, net_wants(net), true);
        if (u == TOPO_NONE)
            return;
        net_take_leaf(net, u, UINT32_MAX);
    }
}

/* ---- without segments ---- */

static uint32_t required_in(const struct net *net, struct block_range p)
{
    uint32_t n = 0;
    bitmap_each (&net->k->need->required, i) {
        uint32_t u = topo_leaf(net->t, (uint32_t)i);
        n += u != TOPO_NONE && u >= p.from && u < p.to;
    }
    return n;
}

static bool try_block_range(struct net *net, struct block_range p)
{
    net_reset(net);
    if (!net_take_required(net))
        return false;
    if (!pick_full(net->k))
        take_block_range(net, p);
    return pick_satisfied(net->k);
}

/* One block of this level for the whole job. */
static bool choose_one_block(struct net *net, uint32_t level, bool (*attempt)(struct net *net, struct block_range p))
{
    auto_bitmap struct bitmap tried = BITMAP_INIT;
    uint32_t named = (uint32_t)bitmap_count(&net->k->need->required);
    for (;;) {
        uint32_t best = TOPO_NONE, best_n = UINT32_MAX;
        net_reset(net);
        for (uint32_t i = 0; i < level_blocks(net->t, level); i++) {
            struct block_range p = block_range_at(net->t, level, i);
            struct fit_sum s = block_range_sum(net, p);
            if (bitmap_has(&tried, i) || !fit_sum_holds(net->k, &s, net->k->need_nodes) || s.nodes > best_n ||
                (named && required_in(net, p) != named))
                continue;
            best = i, best_n = s.nodes;
        }
        if (best == TOPO_NONE)
            return false;
        if (attempt(net, block_range_at(net->t, level, best)))
            return true;
        bitmap_set(&tried, best);
    }
}

/* The next block of this level: the smallest that holds the rest, else the largest. */
static uint32_t next_block_range(const struct net *net, uint32_t level, const struct bitmap *used)
{
    uint32_t best = TOPO_NONE, best_n = 0;
    bool best_all = false;
    for (uint32_t i = 0; i < level_blocks(net->t, level); i++) {
        struct fit_sum s = block_range_sum(net, block_range_at(net->t, level, i));
        bool all = fit_sum_holds(net->k, &s, net_wants(net));
        if (!s.nodes || bitmap_has(used, i) || (best != TOPO_NONE && !block_better(all, s.nodes, best_all, best_n)))
            continue;
        best = i, best_n = s.nodes, best_all = all;
    }
    return best;
}

/* As few blocks of the highest level as possible; blocks with required nodes first. */
static bool choose_several_blocks(struct net *net, uint32_t level)
{
    auto_bitmap struct bitmap used = BITMAP_INIT;
    uint32_t size = level_size(net->t, level), most = (net->k->need->min_nodes + size - 1) / size;
    net_reset(net);
    if (!net_take_required(net))
        return false;
    for (uint32_t i = 0; i < level_blocks(net->t, level); i++) {
        struct block_range p = block_range_at(net->t, level, i);
        if (!required_in(net, p))
            continue;
        bitmap_set(&used, i);
        if (!pick_full(net->k))
            take_block_range(net, p);
    }
    while (!pick_full(net->k) && bitmap_count(&used) < most) {
        uint32_t i = next_block_range(net, level, &used);
        if (i == TOPO_NONE)
            break;
        bitmap_set(&used, i);
        take_block_range(net, block_range_at(net->t, level, i));
    }
    return pick_satisfied(net->k) && bitmap_count(&used) <= most;
}

/* ---- segments ---- */

/* Nodes for one segment; false when the range has fewer. */
static bool take_segment(struct net *net, struct block_range p, uint32_t nodes)
{
    while (nodes) {
        uint32_t u = best_leaf(net, p, nodes, false);
        if (u == TOPO_NONE)
            return false;
        uint32_t n = MIN(nodes, net->leaf[u].left.nodes);
        net_take_nodes(net, u, n);
        nodes -= n;
        if (net->k->need->req->spread_segments)
            bitmap_set(&net->shut, u); /* closed to other segments */
    }
    return true;
}

/* One more segment in the fullest block of its level, within `within`, that can hold it. */
static bool place_segment(struct net *net, struct block_range within)
{
    uint32_t size = net->k->need->segment, level = level_of(net->t, size), best_n = UINT32_MAX;
    struct block_range best = { 0, 0 };
    for (uint32_t i = 0; i < level_blocks(net->t, level); i++) {
        struct block_range p = block_range_at(net->t, level, i);
        struct fit_sum s = block_range_sum(net, p);
        if (p.from < within.from || p.to > within.to || s.nodes < size || s.nodes > best_n)
            continue;
        best = p, best_n = s.nodes;
    }
    if (best_n != UINT32_MAX)
        return take_segment(net, best, size);
    /* larger than the largest block: any nodes */
    return level_size(net->t, level) < size && take_segment(net, within, size);
}

/* With required nodes, all other nodes are excluded. */
static void leave_unnamed(struct net *net)
{
    if (bitmap_none(&net->k->need->required))
        return;
    for (uint32_t u = 0; u < net->t->nunits; u++)
        net_leave(net, u);
}

static bool try_segments(struct net *net, struct block_range within)
{
    const struct need *n = net->k->need;
    net_reset(net);
    bitmap_zero(&net->shut);
    leave_unnamed(net);
    for (uint32_t done = 0; done < n->min_nodes; done += n->segment)
        if (!place_segment(net, within))
            return false;
    return pick_satisfied(net->k);
}

/* All segments in one block of the level of the whole job. */
static bool choose_consolidated(struct net *net)
{
    const struct need *n = net->k->need;
    const struct topo *t = net->t;
    uint32_t level = level_of(t, n->min_nodes), segments = n->min_nodes / n->segment;
    while (n->req->spread_segments && level + 1 < t->nlevels && t->span[level] < segments)
        level++;
    if (level_size(t, level) < n->min_nodes)
        return try_segments(net, (struct block_range){ 0, t->nunits });
    return choose_one_block(net, level, try_segments);
}

bool block_choose(struct net *net)
{
    const struct need *n = net->k->need;
    uint32_t level = level_of(net->t, n->min_nodes);
    if (n->segment && n->req->consolidate_segments)
        return choose_consolidated(net);
    if (n->segment)
        return try_segments(net, (struct block_range){ 0, net->t->nunits });
    if (level_size(net->t, level) >= n->min_nodes)
        return choose_one_block(net, level, try_block_range);
    return choose_several_blocks(net, level);
}
