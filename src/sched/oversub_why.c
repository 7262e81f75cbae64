/*
 * oversub_why - why a node that looks free is not usable for a job: shared CPUs, nodes of one user, CPU limits of a
 * partition.
 */
#include "sched/oversub.h"

#define NODES_MAX 3 /* nodes named in a sentence */

static void explain_incompatible(const struct cluster *c, const struct need *n, const struct span *sp, const char *node,
                                 struct buf *b)
{
    if ((n->owner || sp->owner) && sp->uid != n->uid)
        buf_addf(b, "; %s is only for user %u while job %u runs there", node, sp->owner ? sp->uid : n->uid, sp->id);
    else if (n->oversub)
        buf_addf(b, "; job %u on %s shares no CPUs", sp->id, node);
    else
        buf_addf(b, "; %s is shared by jobs of partition %s", node, c->part.at[sp->part]->pb->name);
}

static uint32_t part_cpus(const struct node_profile *prof, uint32_t part)
{
    uint32_t cpus = 0;
    for (size_t i = 0; i < prof->running.n; i++)
        cpus += prof->running.at[i].part == part ? prof->running.at[i].held : 0;
    return cpus;
}

/* False: nothing to say about this node. */
static bool explain_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t i,
                         struct buf *b)
{
    const struct node_profile *prof = &s->profile[i];
    const struct part_oversub *po = &s->part_oversub[n->part];
    for (size_t k = 0; k < prof->running.n; k++)
        if (!oversub_compatible(s, n, &prof->running.at[k], s->now_s)) {
            explain_incompatible(c, n, &prof->running.at[k], c->node[i].name, b);
            return true;
        }
    uint32_t used = part_cpus(prof, n->part);
    if (!used || !po->max_node || po->max_node == UINT32_MAX || used + n->least_cpus <= po->max_node)
        return false;
    buf_addf(b, "; partition %s uses %u of the %u CPUs that it may use of %s", c->part.at[n->part]->pb->name, used,
             po->max_node, c->node[i].name);
    return true;
}

void oversub_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    uint32_t said = 0;
    bitmap_each (bitmap_none(&n->required) ? &n->allowed : &n->required, i) {
        if (said == NODES_MAX || i >= s->nprofiles)
            return;
        if (s->profile[i].usable)
            said += explain_node(s, c, n, (uint32_t)i, b);
    }
}
