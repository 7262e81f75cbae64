/*
 * why_nodes - what those are told who wait for nodes that are not to be had: named ones, or all that their partition
 * has.
 *
 * A blocked job that named its nodes stands in nobody's way but theirs who want one of these; any other keeps all nodes
 * of its partition from those who come behind in other partitions.  Slurm tells so, and scripts look for its words.
 */
#include "sched/queue.h"
#include "sched/why.h"

static bool nodes_intersect(const struct bitmap *a, const struct bitmap *b)
{
    bitmap_each (a, i)
        if (bitmap_has(b, i))
            return true;
    return false;
}

/* Somebody who comes first waits for one of the nodes that it names. */
static bool named_before(const struct sched *s, const struct job_class *cls, uint64_t key)
{
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *o = s->classes.at[i];
        if (o->state == CLASS_BLOCKED && o->next < o->keys.n && why_named(o) &&
            queue_before(o->tier, o->keys.at[o->next], cls->tier, key) &&
            nodes_intersect(&cls->need.required, &o->need.required))
            return true;
    }
    return false;
}

enum why_code why_of_named(const struct sched *s, const struct job_class *cls, uint64_t key,
                           const struct job_class *first)
{
    if (first && queue_before(first->tier, first->keys.at[first->next], cls->tier, key))
        return WHY_PRIORITY;
    return named_before(s, cls, key) ? WHY_NODE_RESERVED : WHY_RESOURCES;
}

/* Is the node kept for the first in line of some other partition? */
static bool node_kept_for_other(const struct cluster *c, const struct job_class *cls, const struct job_class **first,
                                size_t node)
{
    for (size_t p = 0; p < c->part.n; p++) {
        const struct job_class *o = first[p];
        if (o && p != cls->need.part && bitmap_has(&c->part.at[p]->nodes, node) &&
            queue_before(o->tier, o->keys.at[o->next], cls->tier, cls->keys.at[cls->next]))
            return true;
    }
    return false;
}

enum why_code why_of_first(const struct sched *s, const struct cluster *c, const struct job_class *cls,
                           const struct job_class **first)
{
    uint32_t left = 0;
    bitmap_each (&cls->need.allowed, i) {
        left += i < s->nprofiles && s->profile[i].usable && !node_kept_for_other(c, cls, first, i);
        if (left >= cls->need.min_nodes)
            return WHY_RESOURCES;
    }
    return WHY_NODES_RESERVED;
}
