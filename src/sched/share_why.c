/*
 * share_why - why a node that looks free is none for a job, where CPUs are shared, nodes are one user's, or a
 * partition may use so many CPUs of a node.
 */
#include "sched/sched_priv.h"

#define NODES_MAX 3 /* that are spoken of */

static void say_apart(const struct cluster *c, const struct need *n, const struct use *u, const char *node,
                      struct buf *b)
{
    if ((n->owner || u->owner) && u->uid != n->uid)
        buf_addf(b, "; %s is user %u's alone while job %u runs there", node, u->owner ? u->uid : n->uid, u->id);
    else if (n->shares)
        buf_addf(b, "; job %u on %s shares no CPUs", u->id, node);
    else
        buf_addf(b, "; %s is shared by jobs of partition %s", node, c->part.at[u->part]->pb->name);
}

static uint32_t part_cpus(const struct lane *l, uint32_t part)
{
    uint32_t cpus = 0;
    for (size_t i = 0; i < l->runs.n; i++)
        cpus += l->runs.at[i].part == part ? l->runs.at[i].held : 0;
    return cpus;
}

/* Is there something to say about this node? */
static bool say_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t i, struct buf *b)
{
    const struct lane *l = &s->lane[i];
    const struct part_share *ps = &s->part_share[n->part];
    for (size_t k = 0; k < l->runs.n; k++)
        if (!share_along(s, n, &l->runs.at[k], s->now_s)) {
            say_apart(c, n, &l->runs.at[k], c->node[i].name, b);
            return true;
        }
    uint32_t used = part_cpus(l, n->part);
    if (!used || !ps->max_node || ps->max_node == UINT32_MAX || used + n->least_cpus <= ps->max_node)
        return false;
    buf_addf(b, "; partition %s uses %u of the %u CPUs of %s that it may", c->part.at[n->part]->pb->name, used,
             ps->max_node, c->node[i].name);
    return true;
}

void share_say(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    uint32_t said = 0;
    bitmap_each (bitmap_none(&n->required) ? &n->allowed : &n->required, i) {
        if (said == NODES_MAX || i >= s->nlanes)
            return;
        if (s->lane[i].usable)
            said += say_node(s, c, n, (uint32_t)i, b);
    }
}
