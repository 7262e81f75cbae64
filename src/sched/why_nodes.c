/*
 * why_nodes - what those are told who wait for nodes that are not to be had: named ones, or all that their partition has.
 *
 * A blocked job that named its nodes stands in nobody's way but theirs who want one of these; any other keeps all nodes of
 * its partition from those who come behind in other partitions.  Slurm tells so, and scripts look for its words.
 */
#include "sched/sched_priv.h"

static bool meet(const struct bitmap *a, const struct bitmap *b)
{
    bitmap_each(a, i)
        if (bitmap_has(b, i))
            return true;
    return false;
}

/* Somebody who comes first waits for one of the nodes that it names. */
static bool named_before(const struct sched *s, const struct shape *sh, uint64_t rank)
{
    for (size_t i = 0; i < s->shapes.n; i++) {
        const struct shape *o = s->shapes.at[i];
        if (o->state == SHAPE_BLOCKED && o->next < o->rank.n && why_named(o) &&
            rank_before(o->tier, o->rank.at[o->next], sh->tier, rank) && meet(&sh->need.required, &o->need.required))
            return true;
    }
    return false;
}

enum why_code why_of_named(const struct sched *s, const struct shape *sh, uint64_t rank, const struct shape *first)
{
    if (first && rank_before(first->tier, first->rank.at[first->next], sh->tier, rank))
        return WHY_PRIORITY;
    return named_before(s, sh, rank) ? WHY_NODE_RESERVED : WHY_RESOURCES;
}

/* Is the node kept for the first in line of some other partition? */
static bool kept(const struct cluster *c, const struct shape *sh, const struct shape **first, size_t node)
{
    for (size_t p = 0; p < c->part.n; p++) {
        const struct shape *o = first[p];
        if (o && p != sh->need.part && bitmap_has(&c->part.at[p]->nodes, node) &&
            rank_before(o->tier, o->rank.at[o->next], sh->tier, sh->rank.at[sh->next]))
            return true;
    }
    return false;
}

enum why_code why_of_first(const struct sched *s, const struct cluster *c, const struct shape *sh,
                           const struct shape **first)
{
    uint32_t left = 0;
    bitmap_each(&sh->need.allowed, i) {
        left += i < s->nlanes && s->lane[i].usable && !kept(c, sh, first, i);
        if (left >= sh->need.min_nodes)
            return WHY_RESOURCES;
    }
    return WHY_NODES_RESERVED;
}
