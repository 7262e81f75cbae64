/*
 * why_nodes - reasons of jobs that wait for nodes they cannot have: named nodes, or all nodes of the partition.
 *
 * A blocked job that named its nodes only delays jobs that want one of these nodes; any other blocked job keeps all
 * nodes of its partition from later jobs of other partitions.  Slurm reports it so, and scripts look for its reasons.
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

/* Does a job that comes first wait for one of the nodes that this class names? */
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

/* Is the node kept for the first blocked job of another partition? */
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
