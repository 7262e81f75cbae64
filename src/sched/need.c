/* need - the request of one job in one partition, in the numbers that fit and pick work with. */
#include "sched/need.h"
#include "base/str.h"
#include "sched/feature.h"
#include "sched/limit.h"
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"
#include "text/hostlist.h"

static void names_to_nodes(const struct cluster *c, const char *text, struct bitmap *out)
{
    auto_strs struct strs names = STRS_INIT;
    if (hostlist_expand(text, &names, NULL))
        return;
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(c, names.at[i]);
        if (n)
            bitmap_set(out, n->index);
    }
}

static void need_find_allowed(struct need *n, const struct cluster *c, const struct part *p)
{
    const struct req *r = n->req;
    bitmap_copy(&n->allowed, &p->nodes);
    if (r->exclude) {
        auto_bitmap struct bitmap without = BITMAP_INIT;
        names_to_nodes(c, r->exclude, &without);
        bitmap_minus(&n->allowed, &without);
    }
    n->resv = NULL;
    if (r->reservation)
        need_resv_init(n, c);
    if (r->nodelist)
        names_to_nodes(c, r->nodelist, &n->required);
    if (r->prefer)
        n->prefer = feature_nodes(c, r->prefer, &n->allowed);
    if (!r->constraint)
        return;
    n->constraint = feature_nodes(c, r->constraint, &n->allowed);
    bitmap_copy(&n->allowed, &n->constraint->allowed);
    if (n->constraint->n)
        return;
    feature_nodes_free(n->constraint);
    n->constraint = NULL;
}

static uint32_t limit_of(uint32_t configured)
{
    return configured ? configured : UINT32_MAX;
}

static uint32_t part_max_nodes(const struct need *n, const struct part *p)
{
    return n->lifted_limits & QOS_PART_MAX_NODES ? UINT32_MAX : limit_of(p->pb->max_nodes);
}

/* Nodes and tasks; the counts of a constraint are in `constraint`. */
void need_counts(struct need *n, const struct part *p)
{
    const struct req *r = n->req;
    n->gpus = 0;
    uint32_t named = (uint32_t)bitmap_count(&n->required);
    n->min_nodes = MAX(MAX(r->min_nodes, named), n->constraint ? MAX(n->constraint->nodes, 1u) : 1u);
    n->max_nodes = MAX(r->max_nodes ? r->max_nodes : UINT32_MAX, n->min_nodes);
    n->max_nodes = MAX(MIN(n->max_nodes, part_max_nodes(n, p)), n->min_nodes);
    n->per_node = r->ntasks_per_node;
    n->tasks = r->ntasks;
    if (n->per_node && n->tasks)
        n->min_nodes = MAX(n->min_nodes, (n->tasks + n->per_node - 1) / n->per_node);
    n->target = r->max_nodes && !r->use_min_nodes ? n->max_nodes : n->min_nodes;
    if (r->spread)
        n->target = n->max_nodes;
    for (uint32_t i = 0; i < r->ngres; i++)
        if (r->gres[i].scope == REQ_PER_JOB)
            n->gpus += r->gres[i].count;
    if (n->tasks) /* a node without a task is useless, */
        n->max_nodes = MIN(n->max_nodes, MAX(n->tasks, n->min_nodes));
    if (n->gpus) /* so is one without any of the job's GPUs */
        n->max_nodes = (uint32_t)MIN((uint64_t)n->max_nodes, n->gpus);
    n->target = MIN(n->target, n->max_nodes);
    n->target = MAX(n->target, n->min_nodes);
    if (n->constraint &&
        ((r->max_nodes && r->max_nodes < n->constraint->nodes) || (r->ntasks && r->ntasks < n->constraint->nodes)))
        n->max_nodes = 0; /* the constraint needs more nodes than the job allows: no pick exists */
}

/* Bounds for quick tests: one task, or what each node must have. */
static void need_find_least(struct need *n)
{
    const struct req *r = n->req;
    uint32_t cpus = r->overcommit ? 1 : MAX(r->cpus_per_task * MAX(n->per_node, 1u), 1u);
    n->least_cpus = MAX(cpus, r->mincpus);
    n->least_mem_mb = r->mem_per_gpu_mb || r->mem_all ? 0 : n->mem_node_mb ? n->mem_node_mb : n->mem_cpu_mb * cpus;
}

struct headroom need_headroom(const struct sched *s, const struct need *n)
{
    struct headroom b = { .cpus = n->least_cpus, .mem_mb = s->conf.by_memory ? headroom_clip(n->least_mem_mb) : 0 };
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t least = g->scope == REQ_PER_JOB ? MIN(g->count, 1u) : g->count;
        b.gres = MAX(b.gres, headroom_clip(least));
    }
    return b;
}

void need_init(struct need *n, const struct sched *s, const struct cluster *c, const struct req *r, const struct job *j,
               const struct part *p)
{
    *n = (struct need){
        .req = r,
        .part = p->index,
        .limit_min = job_limit_in(j, p->pb),
        .lifted_limits = limit_lifted(c, j),
        .mem_node_mb = j->mem_per_node_mb ? j->mem_per_node_mb : r->mem_per_node_mb,
        .mem_cpu_mb = j->mem_per_cpu_mb ? j->mem_per_cpu_mb : r->mem_per_cpu_mb,
        .uid = j->uid,
        .qos = oversub_qos(s, c, j),
        .switches = r->switches,
        .switch_until_s = topo_switch_until_s(s, j),
        .gres_bind = r->ngres &&
                     (r->gres_bind == GRES_BIND_ENFORCE || (r->gres_bind == GRES_BIND_DEFAULT && s->conf.gres_bind)),
    };
    need_find_allowed(n, c, p);
    need_counts(n, p);
    if (c->topo.n)
        need_topo(n, c);
    need_find_least(n);
    need_oversub(n, s, c);
    need_pick(n, s, c);
}

void need_refresh(struct need *n, const struct cluster *c)
{
    need_clear(n);
    need_find_allowed(n, c, c->part.at[n->part]);
    need_counts(n, c->part.at[n->part]);
    n->topo = NULL;
    if (c->topo.n)
        need_topo(n, c);
    need_find_least(n);
}

void need_clear(struct need *n)
{
    bitmap_clear(&n->allowed);
    bitmap_clear(&n->required);
    feature_nodes_free(n->constraint);
    feature_nodes_free(n->prefer);
    n->constraint = n->prefer = NULL;
}

static bool exceeds_partition(const struct sched *s, const struct part *p, const struct need *n)
{
    if (n->req->overcommit || !n->tasks)
        return false;
    uint64_t cpus = 0;
    struct avail av;
    bitmap_each (&p->nodes, i)
        cpus += i < s->nprofiles ? avail_empty(s, n, (uint32_t)i, &av)->cpus : 0;
    return (uint64_t)n->tasks * n->req->cpus_per_task > cpus;
}

/* Required nodes: a node that is down has its own reason, a node that takes no jobs now may be reserved. */
static enum why_code required_unschedulable(const struct sched *s, const struct cluster *c, const struct need *n)
{
    enum why_code code = WHY_NONE;
    bitmap_each (&n->required, i) {
        if (i >= s->nprofiles || !bitmap_has(&n->allowed, i) || node_lost(&c->node[i]))
            return WHY_NODE_NOT_AVAIL;
        if (!s->profile[i].usable)
            code = WHY_NODE_RESERVED;
    }
    return code;
}

enum why_code need_unschedulable(const struct sched *s, const struct cluster *c, const struct need *n)
{
    const struct part *p = c->part.at[n->part];
    if (p->pb->state == PB__PART_STATE__PART_DOWN)
        return WHY_PART_DOWN;
    if (p->pb->state == PB__PART_STATE__PART_INACTIVE)
        return WHY_PART_INACTIVE;
    if (n->req->reservation && resv_unschedulable(n) != WHY_NONE)
        return WHY_RESERVATION;
    uint32_t max_time = limit_of(p->pb->max_time_min);
    if (max_time != UINT32_MAX && n->limit_min > max_time && !(n->lifted_limits & QOS_PART_TIME))
        return WHY_PART_TIME_LIMIT;
    uint32_t max_nodes = part_max_nodes(n, p), min_nodes = n->lifted_limits & QOS_PART_MIN_NODES ? 0 : p->pb->min_nodes;
    if (n->min_nodes > MIN(max_nodes, bitmap_count(&p->nodes)) || n->max_nodes < min_nodes ||
        n->req->max_nodes > max_nodes)
        return WHY_PART_NODE_LIMIT;
    uint64_t mem = n->mem_node_mb ? n->mem_node_mb : n->mem_cpu_mb * n->least_cpus;
    if (p->pb->max_mem_per_node_mb && mem > p->pb->max_mem_per_node_mb)
        return WHY_MEM_LIMIT;
    if (exceeds_partition(s, p, n))
        return WHY_PART_CONFIG;
    return required_unschedulable(s, c, n);
}
