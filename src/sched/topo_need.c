/* topo_need - what a job asks of the network, as numbers, and until when it insists. */
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/pick_priv.h"
#include "sched/profile.h"
#include "sched/topo.h"

int64_t topo_switch_until_s(const struct sched *s, const struct job *j)
{
    const struct req *r = &j->spec->req;
    if (!r->switches)
        return 0;
    int64_t most = s->conf.max_switch_wait_s, wait = r->switch_wait_s < 0 ? most : MIN(r->switch_wait_s, most);
    int64_t until = MAX(j->eligible_s, j->submit_s) + wait;
    return until > s->now_s ? until : 0;
}

/* Does the network choose the nodes?  A tree does not for requests such as --contiguous. */
static bool topo_applies(const struct topo *t, const struct need *n, const struct cluster *c)
{
    const struct req *r = n->req;
    if (t->kind == TOPO_BLOCK)
        return true;
    return !r->contiguous && !r->spread && (!c->topo_optional || r->switches);
}

void need_topo(struct need *n, const struct cluster *c)
{
    const struct part *p = c->part.at[n->part];
    const struct topo *t = topo_of_part(c, p);
    n->topo = t && topo_applies(t, n, c) ? t : NULL;
    n->segment = 0;
    n->topo_exclusive = t && (n->req->exclusive_topo || p->pb->exclusive_topo);
    if (!n->topo)
        return;
    bitmap_each (&n->allowed, i)
        if (topo_leaf(t, (uint32_t)i) == TOPO_NONE)
            bitmap_unset(&n->allowed, i);
    if (t->kind != TOPO_BLOCK)
        return;
    n->target = n->min_nodes; /* a job in blocks takes no more nodes than it must */
    if (n->req->segment < n->min_nodes)
        n->segment = n->req->segment;
}

/* ---- the reason ---- */

/* Would the nodes that are free now be sufficient without blocks? */
static bool topo_enough_nodes(const struct sched *s, const struct cluster *c, const struct need *n)
{
    uint32_t nodes = 0;
    uint64_t tasks = 0, gpus = 0;
    const struct headroom least = need_headroom(s, n);
    bitmap_each (s->ntopo_exclusive ? &n->allowed : &s->open, i) {
        struct node_fit nf;
        if (i >= s->nprofiles || !s->profile[i].usable || !bitmap_has(&n->allowed, i) ||
            !headroom_enough(&s->headroom[i], &least))
            continue;
        struct avail av = s->profile[i].now;
        av.jobs = c->node[i].jobs, av.exclusive = c->node[i].exclusive_jobs; /* an exclusion is not a job */
        if (!fit_node(s, c, n, (uint32_t)i, &av, &nf))
            continue;
        nodes++, tasks += nf.tasks, gpus += nf.gpus;
        if (nodes >= n->min_nodes && tasks >= n->tasks && gpus >= n->gpus)
            return true;
    }
    return false;
}

enum why_code topo_why_code(const struct sched *s, const struct cluster *c, const struct need *n)
{
    if (!n->topo || n->topo->kind != TOPO_BLOCK || n->topo_exclusive || pick_serial(n) || !topo_enough_nodes(s, c, n))
        return WHY_RESOURCES;
    return n->segment ? WHY_TOPO_SEGMENT : WHY_TOPO_NO_FIT;
}
