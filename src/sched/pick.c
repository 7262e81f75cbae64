/*
 * pick - which of the nodes that could be used are used, and how many tasks each gets.
 *
 * The rules are those Slurm's cons_tres was seen to follow.  Light nodes come first.
 * Neighbours (by index) form ranges: the smallest range that holds the job is taken, in
 * order of index, by a single node of it when one is enough; when no range is enough the
 * largest ones are.  A node takes all it can, leaving one task for each further node that
 * must be there; then the tasks are dealt round over what was taken.
 */
#include "sched/pick_priv.h"

struct range {
    size_t from, n; /* in the array of holds */
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

/* What one node takes of `want`, leaving one for each node that must still come. */
static uint32_t portion(uint32_t can, int64_t want, uint32_t more_nodes)
{
    int64_t most = want - (int64_t)more_nodes;
    return (uint32_t)MAX(MIN((int64_t)can, most), 1);
}

/* A further node gets one of the job's GPUs from a node that has more. */
static uint32_t spare_gpu(struct pick *p)
{
    for (size_t i = p->at.n; i-- > 0;)
        if (p->at.at[i].gpus > 1) {
            p->at.at[i].gpus--;
            return 1;
        }
    return 0;
}

void pick_take(struct picker *k, const struct hold *h)
{
    uint32_t more = k->need_nodes ? k->need_nodes - 1 : 0;
    struct share sh = { .node = h->node, .cap = MAX(k->need->per_node, 1u) };
    if (k->need->tasks && !k->need->per_node)
        sh.cap = MIN(portion(h->tasks, k->tasks, more), h->tasks);
    if (k->need->gpus)
        sh.gpus = k->gpus > 0 ? MIN(portion(h->gpus, k->gpus, more), h->gpus) : spare_gpu(k->out);
    k->tasks -= sh.cap;
    k->gpus -= k->gpus > 0 ? sh.gpus : 0;
    k->need_nodes = more;
    vec_push(&k->out->at, sh);
}

/* ---- ranges of neighbours ---- */

static bool holds_all(const struct picker *k, const struct range *r)
{
    return (int64_t)r->tasks >= k->tasks && (int64_t)r->gpus >= k->gpus && r->n >= k->need_nodes;
}

static void take_range(struct picker *k, const struct hold *h, const struct range *r)
{
    for (size_t i = r->from; i < r->from + r->n; i++)
        if (pick_does_alone(k, &h[i])) {
            pick_take(k, &h[i]);
            return;
        }
    for (size_t i = r->from; i < r->from + r->n && !pick_full(k); i++)
        pick_take(k, &h[i]);
}

/* What is reserved between them for others does not part neighbours, as in Slurm; who wants them side by side says so.
 */
static bool neighbours(const struct picker *k, uint32_t a, uint32_t b)
{
    if (!k->s->nresv || k->need->req->contiguous)
        return b == a + 1;
    while (++a < b && k->s->lane[a].blocks.n)
        ;
    return a == b;
}

/* The range from `i` on: neighbours of one weight. */
static struct range range_at(const struct picker *k, const struct hold *h, size_t n, size_t i)
{
    struct range r = { .from = i, .weight = k->c->node[h[i].node].weight };
    for (; i < n; i++, r.n++) {
        if (r.n && (!neighbours(k, h[i - 1].node, h[i].node) || k->c->node[h[i].node].weight != r.weight))
            break;
        r.cpus += h[i].cpus;
        r.tasks += h[i].tasks;
        r.gpus += h[i].gpus;
    }
    return r;
}

static bool better(const struct picker *k, const struct range *a, const struct range *b)
{
    bool a_all = holds_all(k, a), b_all = holds_all(k, b);
    if (k->need->req->contiguous && a_all != b_all)
        return a_all;
    if (a->weight != b->weight) /* light nodes come first, even where a heavier range would hold it all */
        return a->weight < b->weight;
    if (a_all != b_all)
        return a_all;
    return a_all ? a->cpus < b->cpus : a->cpus > b->cpus;
}

/* Side by side, and fewer than there are in the range: the first so many of it that do; none when none do. */
static void narrow(const struct picker *k, const struct hold *h, struct range *r)
{
    size_t last = r->from + r->n - k->need->max_nodes;
    struct range w = { .from = r->from, .n = k->need->max_nodes, .cpus = r->cpus, .weight = r->weight };
    for (size_t i = w.from; i < w.from + w.n; i++)
        w.tasks += h[i].tasks, w.gpus += h[i].gpus;
    for (; !holds_all(k, &w) && w.from < last; w.from++) {
        w.tasks += (uint64_t)h[w.from + w.n].tasks - h[w.from].tasks;
        w.gpus += (uint64_t)h[w.from + w.n].gpus - h[w.from].gpus;
    }
    w.n = holds_all(k, &w) ? w.n : 0;
    *r = w;
}

static void take_ranges(struct picker *k, const struct hold *h, size_t n)
{
    VEC(struct range) rs = { 0 };
    for (size_t i = 0; i < n; i += rs.at[rs.n - 1].n)
        vec_push(&rs, range_at(k, h, n, i));
    for (size_t i = 0; i < rs.n && k->need->req->contiguous; i++)
        if (rs.at[i].n > k->need->max_nodes)
            narrow(k, h, &rs.at[i]);
    while (rs.n && !pick_full(k)) {
        size_t best = 0;
        for (size_t i = 1; i < rs.n; i++)
            if (better(k, &rs.at[i], &rs.at[best]))
                best = i;
        if (k->need->req->contiguous && !holds_all(k, &rs.at[best]))
            break;
        take_range(k, h, &rs.at[best]);
        vec_remove(&rs, best);
    }
    vec_clear(&rs);
}

/* Beside the required nodes: those after the first of them, then those before it, the nearest first. */
static void take_around(struct picker *k, const struct hold *h, size_t n, uint32_t first)
{
    for (size_t i = 0; i < n && !pick_full(k); i++)
        if (h[i].node > first && !pick_required(k, &h[i]))
            pick_take(k, &h[i]);
    for (size_t i = n; i-- > 0 && !pick_full(k);)
        if (h[i].node < first && !pick_required(k, &h[i]))
            pick_take(k, &h[i]);
}

static bool take_required(struct picker *k, const struct hold *h, size_t n, uint32_t *first)
{
    size_t want = bitmap_count(&k->need->required);
    for (size_t i = 0; i < n && want; i++)
        if (pick_required(k, &h[i])) {
            pick_take(k, &h[i]);
            *first = MIN(*first, h[i].node);
            want--;
        }
    return !want;
}

/* ---- the least loaded ---- */

struct load {
    uint32_t weight, cpus, at;
};

static int by_load(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    if (x->cpus != y->cpus)
        return x->cpus > y->cpus ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* Those with most idle CPUs, one after the other; weight counts for more. */
static bool attempt_least_loaded(struct picker *k, const struct hold *h, size_t n)
{
    auto_free struct load *order = mem_array(n, sizeof(*order));
    uint32_t first = UINT32_MAX;
    pick_begin(k);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct load){ k->c->node[h[i].node].weight, h[i].cpus, (uint32_t)i };
    qsort(order, n, sizeof(*order), by_load);
    if (!take_required(k, h, n, &first))
        return false;
    for (size_t i = 0; i < n && !pick_full(k); i++)
        if (!pick_required(k, &h[order[i].at]))
            pick_take(k, &h[order[i].at]);
    return pick_satisfied(k);
}

/* ---- where somebody stays long anyway ---- */

static int64_t since_s(const struct lane *l)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < l->runs.n; i++)
        first = MIN(first, l->runs.at[i].since_s);
    return first;
}

/* Who has run long will run on for long, and its node is not soon free as a whole: what is small goes there, and nodes
 * of those that came lately are left to become free. */
static bool attempt_settled(struct picker *k, const struct hold *h, size_t n)
{
    const struct hold *best = NULL;
    int64_t best_s = 0;
    pick_begin(k);
    for (size_t i = 0; i < n; i++) {
        if (!pick_does_alone(k, &h[i]))
            continue;
        int64_t at_s = since_s(&k->s->lane[h[i].node]);
        if (!best || at_s < best_s)
            best = &h[i], best_s = at_s;
    }
    if (best)
        pick_take(k, best);
    return best;
}

static bool attempt(struct picker *k, const struct hold *h, size_t n)
{
    if (k->need->lln)
        return attempt_least_loaded(k, h, n);
    if (k->need->settled && attempt_settled(k, h, n))
        return true;
    if (k->need->topo && !pick_serial(k->need))
        return topo_choose(k, h, n);
    pick_begin(k);
    if (k->need->at_end && n && pick_does_alone(k, &h[n - 1])) {
        pick_take(k, &h[n - 1]);
        return true;
    }
    if (bitmap_none(&k->need->required)) {
        take_ranges(k, h, n);
        return pick_satisfied(k);
    }
    uint32_t first = UINT32_MAX;
    if (!take_required(k, h, n, &first))
        return false;
    if (!pick_full(k))
        take_around(k, h, n, first);
    return pick_satisfied(k);
}

/* What makes a node large: its GPUs, or its tasks. */
static uint32_t size_of(const struct picker *k, const struct hold *h)
{
    return k->need->gpus && !k->by_tasks ? h->gpus : h->tasks;
}

/* With a limit on nodes the small ones may be in the way: leave out more and more of them. */
static bool attempt_larger(struct picker *k, struct hold *h, size_t n)
{
    for (int round = 0; round < 64 && n; round++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < n; i++)
            if (!pick_required(k, &h[i]))
                least = MIN(least, size_of(k, &h[i]));
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            if (pick_required(k, &h[i]) || size_of(k, &h[i]) > least)
                h[kept++] = h[i];
        if (kept == n || kept < k->need->min_nodes)
            return false;
        n = kept;
        if (attempt(k, h, n))
            return true;
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

static int by_tasks(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    return x->tasks != y->tasks ? (x->tasks > y->tasks ? -1 : 1) : by_size(a, b);
}

static int by_index(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    return x->node < y->node ? -1 : 1;
}

/* The largest ones alone: when these do not do, nothing does. */
static bool attempt_largest(struct picker *k, struct hold *h, size_t n)
{
    if (k->need->req->contiguous)
        return false;
    size_t named = 0;
    for (size_t i = 0; i < n; i++)
        if (pick_required(k, &h[i])) {
            struct hold t = h[i];
            h[i] = h[named];
            h[named++] = t;
        }
    qsort(h + named, n - named, sizeof(*h), k->by_tasks ? by_tasks : by_size);
    n = MIN(n, (size_t)k->need->max_nodes);
    qsort(h, n, sizeof(*h), by_index);
    return attempt(k, h, n);
}

typedef bool attempt_fn(struct picker *k, struct hold *h, size_t n);

/* A job that counts GPUs and tasks may need nodes that are large in either.  `own` is room for `n`. */
static bool attempt_sizes(struct picker *k, attempt_fn *how, const struct hold *h, size_t n, struct hold *own)
{
    bool both = k->need->gpus && k->need->tasks > 1;
    memcpy(own, h, n * sizeof(*own));
    bool found = how(k, own, n);
    if (found || !both)
        return found;
    memcpy(own, h, n * sizeof(*own));
    k->by_tasks = true;
    found = how(k, own, n);
    k->by_tasks = false;
    return found;
}

/* ---- shares ---- */

/* Deal the tasks round over the nodes, each up to its cap. */
static void deal(const struct need *n, struct pick *p)
{
    uint32_t left = n->tasks;
    for (size_t i = 0; i < p->at.n; i++) {
        p->at.at[i].tasks = n->tasks ? 1 : p->at.at[i].cap;
        left -= n->tasks ? MIN(left, 1u) : 0;
    }
    /* whole rounds at once: tasks may be many */
    for (bool any = true; left && any;) {
        uint32_t room = UINT32_MAX, open = 0;
        for (size_t i = 0; i < p->at.n; i++)
            if (p->at.at[i].tasks < p->at.at[i].cap) {
                room = MIN(room, p->at.at[i].cap - p->at.at[i].tasks);
                open++;
            }
        any = open > 0;
        uint32_t each = any ? MIN(room, left / open) : 0;
        for (size_t i = 0; i < p->at.n && any && left; i++)
            if (p->at.at[i].tasks < p->at.at[i].cap) {
                uint32_t more = MAX(each, 1u);
                p->at.at[i].tasks += more;
                left -= more;
            }
    }
}

static void shares(const struct picker *k)
{
    const struct need *n = k->need;
    deal(n, k->out);
    for (size_t i = 0; i < k->out->at.n; i++) {
        struct share *sh = &k->out->at.at[i];
        uint32_t counted = n->per_node ? n->per_node : sh->tasks;
        sh->cpus = fit_cpus(k->s, k->c, n, sh->node, counted, sh->gpus);
        sh->mem_mb = fit_mem(k->c, n, sh->node, sh->cpus, fit_gpus(n, counted, sh->gpus));
        if (!n->tasks && !n->per_node)
            sh->tasks = MAX(sh->cpus / n->req->cpus_per_task, 1u);
    }
}

void pick_need(struct need *n, const struct sched *s, const struct cluster *c)
{
    const struct req *r = n->req;
    if (n->topo_alone && c->part.at[n->part]->pb->exclusive_topo)
        n->whole = n->exclusive = true; /* a partition of blocks gives whole nodes, a job's own wish does not */
    bool serial = n->max_nodes == 1 && MAX(n->tasks, 1u) * r->cpus_per_task == 1;
    n->lln = (s->conf.lln || c->part.at[n->part]->pb->lln) && !r->contiguous &&
             !(n->topo && n->topo->kind == TOPO_BLOCK);
    n->at_end = s->conf.serial_at_end && serial && bitmap_none(&n->required);
    n->settled = s->conf.policy == POLICY_SHORT && n->min_nodes <= 1 && !r->spread && !n->lln && !n->at_end &&
                 !n->topo_alone && bitmap_none(&n->required);
    n->picky = n->topo || n->lln || n->at_end;
}

bool pick_alone(const struct sched *s, const struct cluster *c, const struct need *n, const struct hold *h,
                struct pick *out)
{
    struct picker k = { .s = s, .c = c, .need = n, .out = out };
    pick_begin(&k);
    if (n->wish || n->topo_alone || n->lln || !pick_does_alone(&k, h) || n->max_nodes < n->min_nodes)
        return false;
    pick_take(&k, h);
    shares(&k);
    return true;
}

static size_t by_weight(const struct cluster *c, const struct hold *h, size_t n, uint32_t most, struct hold *out,
                        uint32_t *next)
{
    size_t kept = 0;
    *next = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        uint32_t w = c->node[h[i].node].weight;
        if (w <= most)
            out[kept++] = h[i];
        else
            *next = MIN(*next, w);
    }
    return kept;
}

bool pick_nodes(const struct sched *s, const struct cluster *c, const struct need *n, struct hold *h, size_t nh,
                struct pick *out)
{
    struct picker k = { .s = s, .c = c, .need = n, .out = out };
    out->at.n = 0;
    if (!nh || nh < n->min_nodes || n->max_nodes < n->min_nodes)
        return false;
    if (n->wish)
        return feature_pick(s, c, n, h, nh, out);
    uint32_t lightest = UINT32_MAX, heaviest = 0;
    for (size_t i = 0; i < nh; i++) {
        lightest = MIN(lightest, c->node[h[i].node].weight);
        heaviest = MAX(heaviest, c->node[h[i].node].weight);
    }
    bool found = false;
    auto_free struct hold *some = mem_array(2 * nh, sizeof(*some));
    for (uint32_t w = bitmap_none(&n->required) ? lightest : heaviest, next; !found; w = next) {
        size_t kept = by_weight(c, h, nh, w, some, &next);
        if (n->topo && w > lightest && bitmap_none(&n->required)) {
            k.light = w; /* by a tree all that is lighter comes first */
            found = attempt(&k, some, kept);
            k.light = 0;
        }
        if (!found)
            found = attempt(&k, some, kept) ||
                    (kept > n->max_nodes && attempt_sizes(&k, attempt_larger, some, kept, some + nh));
        if (!found && kept > n->max_nodes && next == UINT32_MAX)
            found = attempt_sizes(&k, attempt_largest, h, nh, some);
        if (next == UINT32_MAX)
            break;
    }
    if (found)
        shares(&k);
    return found;
}
