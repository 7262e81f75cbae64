/*
 * pick - which of the nodes that fit are used, and how many tasks each gets.
 *
 * The rules are those that Slurm's cons_tres was observed to follow.  Nodes of low weight come first.  Adjacent nodes
 * (by index) form ranges: the smallest range that holds the job is taken in index order, or a single node of it if one
 * is sufficient; if no range is sufficient, the largest ones are taken.  A node takes as many tasks as it can and
 * leaves one for each further node that is needed; then the tasks are distributed round robin over the nodes taken.
 */
#include "sched/feature.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/pick_priv.h"

struct node_range {
    size_t from, n; /* in the array of node fits */
    uint64_t cpus, tasks, gpus;
    uint32_t weight;
};

void pick_begin(struct picker *k)
{
    k->out->at.n = 0;
    k->need_nodes = k->need->min_nodes;
    k->tasks = k->need->tasks;
    k->gpus = (int64_t)k->need->gpus;
}

bool pick_satisfied(const struct picker *k)
{
    return !k->need_nodes && k->tasks <= 0 && k->gpus <= 0;
}

bool pick_full(const struct picker *k)
{
    size_t n = k->out->at.n;
    return n >= k->need->max_nodes || (pick_satisfied(k) && n >= k->need->target);
}

/* What one node takes of `want`, leaving one for each further node that is needed. */
static uint32_t node_portion(uint32_t can, int64_t want, uint32_t more_nodes)
{
    int64_t most = want - (int64_t)more_nodes;
    return (uint32_t)MAX(MIN((int64_t)can, most), 1);
}

/* One of the job's GPUs for a further node, from a node that has more than one. */
static uint32_t take_spare_gpu(struct pick *p)
{
    for (size_t i = p->at.n; i-- > 0;)
        if (p->at.at[i].gpus > 1) {
            p->at.at[i].gpus--;
            return 1;
        }
    return 0;
}

void pick_take(struct picker *k, const struct node_fit *nf)
{
    uint32_t more = k->need_nodes ? k->need_nodes - 1 : 0;
    struct node_part np = { .node = nf->node, .cap = MAX(k->need->per_node, 1u) };
    if (k->need->tasks && !k->need->per_node)
        np.cap = MIN(node_portion(nf->tasks, k->tasks, more), nf->tasks);
    if (k->need->gpus)
        np.gpus = k->gpus > 0 ? MIN(node_portion(nf->gpus, k->gpus, more), nf->gpus) : take_spare_gpu(k->out);
    k->tasks -= np.cap;
    k->gpus -= k->gpus > 0 ? np.gpus : 0;
    k->need_nodes = more;
    vec_push(&k->out->at, np);
}

/* ---- ranges of adjacent nodes ---- */

static bool range_fits(const struct picker *k, const struct node_range *r)
{
    return (int64_t)r->tasks >= k->tasks && (int64_t)r->gpus >= k->gpus && r->n >= k->need_nodes;
}

static void take_range(struct picker *k, const struct node_fit *nf, const struct node_range *r)
{
    for (size_t i = r->from; i < r->from + r->n; i++)
        if (pick_fits_alone(k, &nf[i])) {
            pick_take(k, &nf[i]);
            return;
        }
    for (size_t i = r->from; i < r->from + r->n && !pick_full(k); i++)
        pick_take(k, &nf[i]);
}

/* As in Slurm, reserved nodes in between do not separate neighbours, except with --contiguous. */
static bool are_adjacent(const struct picker *k, uint32_t a, uint32_t b)
{
    if (!k->s->nresv || k->need->req->contiguous)
        return b == a + 1;
    while (++a < b && k->s->profile[a].claims.n)
        ;
    return a == b;
}

/* The range from index `i` on: adjacent nodes of the same weight. */
static struct node_range range_at(const struct picker *k, const struct node_fit *nf, size_t n, size_t i)
{
    struct node_range r = { .from = i, .weight = k->c->node[nf[i].node].weight };
    for (; i < n; i++, r.n++) {
        if (r.n && (!are_adjacent(k, nf[i - 1].node, nf[i].node) || k->c->node[nf[i].node].weight != r.weight))
            break;
        r.cpus += nf[i].cpus;
        r.tasks += nf[i].tasks;
        r.gpus += nf[i].gpus;
    }
    return r;
}

static bool range_better(const struct picker *k, const struct node_range *a, const struct node_range *b)
{
    bool a_all = range_fits(k, a), b_all = range_fits(k, b);
    if (k->need->req->contiguous && a_all != b_all)
        return a_all;
    if (a->weight != b->weight) /* low weight first, even where a heavier range would hold the whole job */
        return a->weight < b->weight;
    if (a_all != b_all)
        return a_all;
    return a_all ? a->cpus < b->cpus : a->cpus > b->cpus;
}

/* --contiguous with fewer nodes than the range has: the first window that is sufficient; empty when none is. */
static void range_narrow(const struct picker *k, const struct node_fit *nf, struct node_range *r)
{
    size_t last = r->from + r->n - k->need->max_nodes;
    struct node_range w = { .from = r->from, .n = k->need->max_nodes, .cpus = r->cpus, .weight = r->weight };
    for (size_t i = w.from; i < w.from + w.n; i++)
        w.tasks += nf[i].tasks, w.gpus += nf[i].gpus;
    for (; !range_fits(k, &w) && w.from < last; w.from++) {
        w.tasks += (uint64_t)nf[w.from + w.n].tasks - nf[w.from].tasks;
        w.gpus += (uint64_t)nf[w.from + w.n].gpus - nf[w.from].gpus;
    }
    w.n = range_fits(k, &w) ? w.n : 0;
    *r = w;
}

static void take_ranges(struct picker *k, const struct node_fit *nf, size_t n)
{
    VEC(struct node_range) rs = { 0 };
    for (size_t i = 0; i < n; i += rs.at[rs.n - 1].n)
        vec_push(&rs, range_at(k, nf, n, i));
    for (size_t i = 0; i < rs.n && k->need->req->contiguous; i++)
        if (rs.at[i].n > k->need->max_nodes)
            range_narrow(k, nf, &rs.at[i]);
    while (rs.n && !pick_full(k)) {
        size_t best = 0;
        for (size_t i = 1; i < rs.n; i++)
            if (range_better(k, &rs.at[i], &rs.at[best]))
                best = i;
        if (k->need->req->contiguous && !range_fits(k, &rs.at[best]))
            break;
        take_range(k, nf, &rs.at[best]);
        vec_remove(&rs, best);
    }
    vec_clear(&rs);
}

/* In addition to the required nodes: the nodes after the first of them, then the nodes before it, nearest first. */
static void take_around(struct picker *k, const struct node_fit *nf, size_t n, uint32_t first)
{
    for (size_t i = 0; i < n && !pick_full(k); i++)
        if (nf[i].node > first && !pick_required(k, &nf[i]))
            pick_take(k, &nf[i]);
    for (size_t i = n; i-- > 0 && !pick_full(k);)
        if (nf[i].node < first && !pick_required(k, &nf[i]))
            pick_take(k, &nf[i]);
}

static bool take_required(struct picker *k, const struct node_fit *nf, size_t n, uint32_t *first)
{
    size_t want = bitmap_count(&k->need->required);
    for (size_t i = 0; i < n && want; i++)
        if (pick_required(k, &nf[i])) {
            pick_take(k, &nf[i]);
            *first = MIN(*first, nf[i].node);
            want--;
        }
    return !want;
}

/* ---- least loaded nodes ---- */

struct load {
    uint32_t weight, cpus, at;
};

static int cmp_load(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    if (x->cpus != y->cpus)
        return x->cpus > y->cpus ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* By idle CPUs, most first; weight comes before that. */
static bool pick_attempt_least_loaded(struct picker *k, const struct node_fit *nf, size_t n)
{
    auto_free struct load *order = mem_array(n, sizeof(*order));
    uint32_t first = UINT32_MAX;
    pick_begin(k);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct load){ k->c->node[nf[i].node].weight, nf[i].cpus, (uint32_t)i };
    qsort(order, n, sizeof(*order), cmp_load);
    if (!take_required(k, nf, n, &first))
        return false;
    for (size_t i = 0; i < n && !pick_full(k); i++)
        if (!pick_required(k, &nf[order[i].at]))
            pick_take(k, &nf[order[i].at]);
    return pick_satisfied(k);
}

/* ---- nodes of long-running jobs ---- */

static int64_t longest_since_s(const struct node_profile *prof)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < prof->running.n; i++)
        first = MIN(first, prof->running.at[i].since_s);
    return first;
}

/* A job that has run long will probably run long, so its node will not become free as a whole soon.  Small jobs go
 * there, and nodes with recent jobs are left to become free. */
static bool pick_attempt_longest_running(struct picker *k, const struct node_fit *nf, size_t n)
{
    const struct node_fit *best = NULL;
    int64_t best_s = 0;
    pick_begin(k);
    for (size_t i = 0; i < n; i++) {
        if (!pick_fits_alone(k, &nf[i]))
            continue;
        int64_t at_s = longest_since_s(&k->s->profile[nf[i].node]);
        if (!best || at_s < best_s)
            best = &nf[i], best_s = at_s;
    }
    if (best)
        pick_take(k, best);
    return best;
}

static bool pick_attempt(struct picker *k, const struct node_fit *nf, size_t n)
{
    if (k->need->lln)
        return pick_attempt_least_loaded(k, nf, n);
    if (k->need->longest_running && pick_attempt_longest_running(k, nf, n))
        return true;
    if (k->need->topo && !pick_serial(k->need))
        return topo_choose(k, nf, n);
    pick_begin(k);
    if (k->need->at_end && n && pick_fits_alone(k, &nf[n - 1])) {
        pick_take(k, &nf[n - 1]);
        return true;
    }
    if (bitmap_none(&k->need->required)) {
        take_ranges(k, nf, n);
        return pick_satisfied(k);
    }
    uint32_t first = UINT32_MAX;
    if (!take_required(k, nf, n, &first))
        return false;
    if (!pick_full(k))
        take_around(k, nf, n, first);
    return pick_satisfied(k);
}

/* The size of a node: GPUs, or tasks. */
static uint32_t fit_size(const struct picker *k, const struct node_fit *nf)
{
    return k->need->gpus && !k->by_tasks ? nf->gpus : nf->tasks;
}

/* With a limit on nodes, small nodes use it up: leave out more and more of them. */
static bool pick_attempt_larger(struct picker *k, struct node_fit *nf, size_t n)
{
    for (int round = 0; round < 64 && n; round++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < n; i++)
            if (!pick_required(k, &nf[i]))
                least = MIN(least, fit_size(k, &nf[i]));
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            if (pick_required(k, &nf[i]) || fit_size(k, &nf[i]) > least)
                nf[kept++] = nf[i];
        if (kept == n || kept < k->need->min_nodes)
            return false;
        n = kept;
        if (pick_attempt(k, nf, n))
            return true;
    }
    return false;
}

static int cmp_size(const void *a, const void *b)
{
    const struct node_fit *x = a, *y = b;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static int cmp_tasks(const void *a, const void *b)
{
    const struct node_fit *x = a, *y = b;
    return x->tasks != y->tasks ? (x->tasks > y->tasks ? -1 : 1) : cmp_size(a, b);
}

static int cmp_index(const void *a, const void *b)
{
    const struct node_fit *x = a, *y = b;
    return x->node < y->node ? -1 : 1;
}

/* Only the largest nodes: if these are not sufficient, no nodes are. */
static bool pick_attempt_largest(struct picker *k, struct node_fit *nf, size_t n)
{
    if (k->need->req->contiguous)
        return false;
    size_t named = 0;
    for (size_t i = 0; i < n; i++)
        if (pick_required(k, &nf[i])) {
            struct node_fit t = nf[i];
            nf[i] = nf[named];
            nf[named++] = t;
        }
    qsort(nf + named, n - named, sizeof(*nf), k->by_tasks ? cmp_tasks : cmp_size);
    n = MIN(n, (size_t)k->need->max_nodes);
    qsort(nf, n, sizeof(*nf), cmp_index);
    return pick_attempt(k, nf, n);
}

typedef bool pick_attempt_fn(struct picker *k, struct node_fit *nf, size_t n);

/* A job that counts both GPUs and tasks may need nodes that are large in either.  `own` is storage for `n` fits. */
static bool pick_attempt_sizes(struct picker *k, pick_attempt_fn *how, const struct node_fit *nf, size_t n,
                               struct node_fit *own)
{
    bool both = k->need->gpus && k->need->tasks > 1;
    memcpy(own, nf, n * sizeof(*own));
    bool found = how(k, own, n);
    if (found || !both)
        return found;
    memcpy(own, nf, n * sizeof(*own));
    k->by_tasks = true;
    found = how(k, own, n);
    k->by_tasks = false;
    return found;
}

/* ---- tasks of each node ---- */

/* Distribute the tasks round robin over the nodes, each up to its cap. */
static void pick_deal_tasks(const struct need *n, struct pick *p)
{
    uint32_t left = n->tasks;
    for (size_t i = 0; i < p->at.n; i++) {
        p->at.at[i].tasks = n->tasks ? 1 : p->at.at[i].cap;
        left -= n->tasks ? MIN(left, 1u) : 0;
    }
    /* whole rounds at once: there may be many tasks */
    for (bool any = true; left && any;) {
        uint32_t spare = UINT32_MAX, open = 0;
        for (size_t i = 0; i < p->at.n; i++)
            if (p->at.at[i].tasks < p->at.at[i].cap) {
                spare = MIN(spare, p->at.at[i].cap - p->at.at[i].tasks);
                open++;
            }
        any = open > 0;
        uint32_t each = any ? MIN(spare, left / open) : 0;
        for (size_t i = 0; i < p->at.n && any && left; i++)
            if (p->at.at[i].tasks < p->at.at[i].cap) {
                uint32_t more = MAX(each, 1u);
                p->at.at[i].tasks += more;
                left -= more;
            }
    }
}

static void pick_fill_parts(const struct picker *k)
{
    const struct need *n = k->need;
    pick_deal_tasks(n, k->out);
    for (size_t i = 0; i < k->out->at.n; i++) {
        struct node_part *np = &k->out->at.at[i];
        uint32_t counted = n->per_node ? n->per_node : np->tasks;
        np->cpus = fit_cpus(k->s, k->c, n, np->node, counted, np->gpus);
        np->mem_mb = fit_mem(k->c, n, np->node, np->cpus, fit_gpus(n, counted, np->gpus));
        if (!n->tasks && !n->per_node)
            np->tasks = MAX(np->cpus / n->req->cpus_per_task, 1u);
    }
}

void need_pick(struct need *n, const struct sched *s, const struct cluster *c)
{
    const struct req *r = n->req;
    if (n->topo_exclusive && c->part.at[n->part]->pb->exclusive_topo)
        n->whole = n->exclusive =
            true; /* a partition with exclusive blocks allocates whole nodes, --exclusive=topo does not */
    bool serial = n->max_nodes == 1 && MAX(n->tasks, 1u) * r->cpus_per_task == 1;
    n->lln = (s->conf.lln || c->part.at[n->part]->pb->lln) && !r->contiguous &&
             !(n->topo && n->topo->kind == TOPO_BLOCK);
    n->at_end = s->conf.serial_at_end && serial && bitmap_none(&n->required);
    n->longest_running = s->conf.policy == POLICY_SHORT && n->min_nodes <= 1 && !r->spread && !n->lln && !n->at_end &&
                         !n->topo_exclusive && bitmap_none(&n->required);
    n->all_nodes = n->topo || n->lln || n->at_end;
}

bool pick_alone(const struct sched *s, const struct cluster *c, const struct need *n, const struct node_fit *nf,
                struct pick *out)
{
    struct picker k = { .s = s, .c = c, .need = n, .out = out };
    pick_begin(&k);
    if (n->constraint || n->topo_exclusive || n->lln || !pick_fits_alone(&k, nf) || n->max_nodes < n->min_nodes)
        return false;
    pick_take(&k, nf);
    pick_fill_parts(&k);
    return true;
}

static size_t keep_by_weight(const struct cluster *c, const struct node_fit *nf, size_t n, uint32_t most,
                             struct node_fit *out, uint32_t *next)
{
    size_t kept = 0;
    *next = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        uint32_t w = c->node[nf[i].node].weight;
        if (w <= most)
            out[kept++] = nf[i];
        else
            *next = MIN(*next, w);
    }
    return kept;
}

bool pick_nodes(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct node_fit *nf,
                size_t nh, struct pick *out)
{
    struct picker k = { .s = s, .c = c, .need = n, .out = out, .at_s = at_s };
    out->at.n = 0;
    if (!nh || nh < n->min_nodes || n->max_nodes < n->min_nodes)
        return false;
    if (n->constraint)
        return feature_pick(s, c, n, at_s, nf, nh, out);
    uint32_t lightest = UINT32_MAX, heaviest = 0;
    for (size_t i = 0; i < nh; i++) {
        lightest = MIN(lightest, c->node[nf[i].node].weight);
        heaviest = MAX(heaviest, c->node[nf[i].node].weight);
    }
    bool found = false;
    auto_free struct node_fit *some = mem_array(2 * nh, sizeof(*some));
    for (uint32_t w = bitmap_none(&n->required) ? lightest : heaviest, next; !found; w = next) {
        size_t kept = keep_by_weight(c, nf, nh, w, some, &next);
        if (n->topo && w > lightest && bitmap_none(&n->required)) {
            k.light = w; /* with a tree, all lighter nodes are taken first */
            found = pick_attempt(&k, some, kept);
            k.light = 0;
        }
        if (!found)
            found = pick_attempt(&k, some, kept) ||
                    (kept > n->max_nodes && pick_attempt_sizes(&k, pick_attempt_larger, some, kept, some + nh));
        if (!found && kept > n->max_nodes && next == UINT32_MAX)
            found = pick_attempt_sizes(&k, pick_attempt_largest, nf, nh, some);
        if (next == UINT32_MAX)
            break;
    }
    if (found)
        pick_fill_parts(&k);
    return found;
}
