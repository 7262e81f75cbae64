/*
 * topo - nodes by a tree of switches.
 *
 * The lowest switch that holds the job is taken; of several, the one with the fewest free nodes.  Below it, the
 * smallest branch that holds what is still needed, or the largest branch as a whole and then the next.  So a job uses
 * few leaf switches, and large gaps are left for large jobs.  The rules are those that Slurm's topology/tree was
 * observed to follow.  Blocks are in topo_block.c.
 */
#include "sched/fit.h"
#include "sched/pick_priv.h"

/* ---- node fits by leaf ---- */

static void fit_sum_add(struct fit_sum *s, const struct node_fit *nf)
{
    s->nodes++;
    s->tasks += nf->tasks;
    s->gpus += nf->gpus;
}

static void fit_sum_drop(struct fit_sum *s, const struct node_fit *nf)
{
    s->nodes--;
    s->tasks -= nf->tasks;
    s->gpus -= nf->gpus;
}

void net_reset(struct net *net)
{
    pick_begin(net->k);
    bitmap_zero(&net->gone);
    net->leaves = 0;
    memset(net->sum, 0, net->t->nunits * sizeof(*net->sum));
    for (uint32_t u = 0; u < net->t->nunits; u++) {
        struct leaf *l = &net->leaf[u];
        l->taken = 0;
        l->left = (struct fit_sum){ 0 };
        for (uint32_t i = 0; i < l->n; i++)
            fit_sum_add(&l->left, &net->h[net->order[l->first + i]]);
        for (uint32_t p = l->n ? u : TOPO_NONE; p != TOPO_NONE; p = net->t->unit[p].parent) {
            net->sum[p].nodes += l->left.nodes;
            net->sum[p].tasks += l->left.tasks;
            net->sum[p].gpus += l->left.gpus;
        }
    }
}

static void net_init(struct net *net)
{
    const struct topo *t = net->t;
    net->order = mem_array(net->n + 1, sizeof(*net->order));
    net->leaf = mem_array(t->nunits + 1, sizeof(*net->leaf));
    net->sum = mem_array(t->nunits + 1, sizeof(*net->sum));
    for (size_t i = 0; i < net->n; i++) {
        uint32_t u = topo_leaf(t, net->h[i].node);
        if (u != TOPO_NONE)
            net->leaf[u].n++;
    }
    for (uint32_t u = 0, first = 0; u < t->nunits; first += net->leaf[u++].n)
        net->leaf[u].first = first;
    auto_free uint32_t *tree_fill = mem_array(t->nunits + 1, sizeof(*tree_fill));
    for (size_t i = 0; i < net->n; i++) {
        uint32_t u = topo_leaf(t, net->h[i].node);
        if (u != TOPO_NONE)
            net->order[net->leaf[u].first + tree_fill[u]++] = (uint32_t)i;
    }
}

static void net_clear(struct net *net)
{
    free(net->order);
    free(net->leaf);
    free(net->sum);
    free(net->light);
    bitmap_clear(&net->gone);
    bitmap_clear(&net->shut);
}

/* ---- taking nodes ---- */

static void net_take_at(struct net *net, uint32_t u, uint32_t at)
{
    const struct node_fit *nf = &net->h[at];
    net->leaves += !net->leaf[u].taken++;
    bitmap_set(&net->gone, at);
    fit_sum_drop(&net->leaf[u].left, nf);
    for (uint32_t p = u; p != TOPO_NONE; p = net->t->unit[p].parent)
        fit_sum_drop(&net->sum[p], nf);
    pick_take(net->k, nf);
}

void net_take_leaf(struct net *net, uint32_t u, uint32_t most)
{
    const uint32_t *order = net->order + net->leaf[u].first;
    for (uint32_t i = 0; i < net->leaf[u].n && most; i++)
        if (!bitmap_has(&net->gone, order[i]) && pick_fits_alone(net->k, &net->h[order[i]])) {
            net_take_at(net, u, order[i]);
            return;
        }
    for (uint32_t i = 0; i < net->leaf[u].n && most && !pick_full(net->k); i++)
        if (!bitmap_has(&net->gone, order[i])) {
            net_take_at(net, u, order[i]);
            most--;
        }
}

void net_take_nodes(struct net *net, uint32_t u, uint32_t n)
{
    const uint32_t *order = net->order + net->leaf[u].first;
    for (uint32_t i = 0; i < net->leaf[u].n && n; i++)
        if (!bitmap_has(&net->gone, order[i])) {
            net_take_at(net, u, order[i]);
            n--;
        }
}

void net_leave(struct net *net, uint32_t u)
{
    for (uint32_t i = 0; i < net->leaf[u].n; i++) {
        uint32_t at = net->order[net->leaf[u].first + i];
        if (pick_required(net->k, &net->h[at]) || bitmap_has(&net->gone, at))
            continue;
        bitmap_set(&net->gone, at);
        fit_sum_drop(&net->leaf[u].left, &net->h[at]);
    }
}

bool net_take_required(struct net *net)
{
    size_t want = bitmap_count(&net->k->need->required);
    for (size_t i = 0; i < net->n && want; i++) {
        uint32_t u = topo_leaf(net->t, net->h[i].node);
        if (u == TOPO_NONE || !pick_required(net->k, &net->h[i]))
            continue;
        net_take_at(net, u, (uint32_t)i);
        want--;
    }
    return !want;
}

uint32_t net_wants(const struct net *net)
{
    size_t have = net->k->out->at.n;
    uint32_t target = net->k->need->target;
    return MAX(net->k->need_nodes, (uint32_t)(target > have ? target - have : 0));
}

/* ---- the tree ---- */

/* Leaf switches that the job may use at this start time. */
static uint32_t switches_allowed(const struct picker *k)
{
    const struct need *n = k->need;
    return n->switches && k->at_s < n->switch_until_s ? n->switches : UINT32_MAX;
}

static bool may_open(const struct net *net)
{
    return net->leaves < switches_allowed(net->k);
}

/* The smallest branch of `u` that holds what is needed, else the largest. */
static uint32_t best_branch(const struct net *net, uint32_t u)
{
    uint32_t best = TOPO_NONE, wants = net_wants(net);
    bool best_all = false;
    for (uint32_t i = 0; i < net->t->nunits; i++) {
        const struct fit_sum *s = &net->sum[i];
        if (net->t->unit[i].parent != u || !s->nodes)
            continue;
        bool all = fit_sum_holds(net->k, s, wants);
        if (best != TOPO_NONE && all == best_all &&
            (all ? s->nodes >= net->sum[best].nodes : s->nodes <= net->sum[best].nodes))
            continue;
        if (best != TOPO_NONE && best_all && !all)
            continue;
        best = i;
        best_all = all;
    }
    return best;
}

static void tree_fill(struct net *net, uint32_t u)
{
    if (net->leaf[u].n) {
        if (net->leaf[u].taken || may_open(net))
            net_take_leaf(net, u, UINT32_MAX);
        return;
    }
    while (!pick_full(net->k) && may_open(net)) {
        uint32_t branch = best_branch(net, u);
        if (branch == TOPO_NONE)
            return;
        tree_fill(net, branch);
    }
}

static bool is_light(const struct net *net, size_t at)
{
    return net->k->c->node[net->h[at].node].weight < net->k->light;
}

static bool holds_required(const struct net *net, uint32_t u)
{
    bitmap_each (&net->k->need->required, i)
        if (!bitmap_has(&net->t->unit[u].nodes, i))
            return false;
    return !net->light || net->light[u] == net->nlight;
}

/* Count the light nodes below each switch. */
static void count_light(struct net *net)
{
    net->light = mem_array(net->t->nunits + 1, sizeof(*net->light));
    for (size_t i = 0; i < net->n; i++) {
        if (!is_light(net, i))
            continue;
        net->nlight++;
        for (uint32_t p = topo_leaf(net->t, net->h[i].node); p != TOPO_NONE; p = net->t->unit[p].parent)
            net->light[p]++;
    }
}

static void take_light(struct net *net)
{
    for (size_t i = 0; net->k->light && i < net->n && !pick_full(net->k); i++)
        if (is_light(net, i) && !bitmap_has(&net->gone, i) && topo_leaf(net->t, net->h[i].node) != TOPO_NONE)
            net_take_at(net, topo_leaf(net->t, net->h[i].node), (uint32_t)i);
}

static bool is_below(const struct net *net, uint32_t leaf, uint32_t u)
{
    while (leaf != u && leaf != TOPO_NONE)
        leaf = net->t->unit[leaf].parent;
    return leaf == u;
}

/* As few leaves as possible, anywhere below `u`: the smallest that holds the rest, else the largest. */
static void tree_fill_fewest(struct net *net, uint32_t u)
{
    while (!pick_full(net->k) && may_open(net)) {
        uint32_t best = TOPO_NONE, wants = net_wants(net);
        bool best_all = false;
        for (uint32_t i = 0; i < net->t->nunits; i++) {
            const struct fit_sum *s = &net->leaf[i].left;
            bool all = fit_sum_holds(net->k, s, wants);
            if (!s->nodes || !is_below(net, i, u) || (best != TOPO_NONE && best_all && !all))
                continue;
            if (best != TOPO_NONE && all == best_all &&
                (all ? s->nodes >= net->leaf[best].left.nodes : s->nodes <= net->leaf[best].left.nodes))
                continue;
            best = i;
            best_all = all;
        }
        if (best == TOPO_NONE)
            return;
        net_take_leaf(net, best, UINT32_MAX);
    }
}

static bool try_switch(struct net *net, uint32_t u, void (*go_on)(struct net *net, uint32_t u))
{
    net_reset(net);
    if (!net_take_required(net))
        return false;
    take_light(net);
    for (uint32_t i = 0; i < net->t->nunits && !pick_full(net->k) && net->leaves; i++)
        if (net->leaf[i].taken)
            net_take_leaf(net, i, UINT32_MAX);
    if (!pick_full(net->k))
        go_on(net, u);
    return pick_satisfied(net->k) && net->leaves <= switches_allowed(net->k);
}

/* Is `a` better than `b`?  The lower level, then fewer nodes; where no switch holds the whole job, more nodes. */
static bool switch_better(const struct net *net, uint32_t a, uint32_t b, bool all)
{
    const struct topo_unit *x = &net->t->unit[a], *y = &net->t->unit[b];
    if (!all)
        return net->sum[a].nodes != net->sum[b].nodes ? net->sum[a].nodes > net->sum[b].nodes : x->level < y->level;
    if (x->level != y->level)
        return x->level < y->level;
    return net->sum[a].nodes < net->sum[b].nodes;
}

static bool try_switches(struct net *net, uint32_t nodes, bool all)
{
    auto_bitmap struct bitmap tried = BITMAP_INIT;
    for (;;) {
        uint32_t best = TOPO_NONE;
        net_reset(net);
        for (uint32_t u = 0; u < net->t->nunits; u++)
            if (!bitmap_has(&tried, u) && fit_sum_holds(net->k, &net->sum[u], nodes) && holds_required(net, u) &&
                (best == TOPO_NONE || switch_better(net, u, best, all)))
                best = u;
        if (best == TOPO_NONE)
            return false;
        if (try_switch(net, best, tree_fill))
            return true;
        if (switches_allowed(net->k) != UINT32_MAX && try_switch(net, best, tree_fill_fewest))
            return true; /* distant leaves are better than none */
        bitmap_set(&tried, best);
    }
}

static bool tree_choose(struct net *net)
{
    const struct need *n = net->k->need;
    if (net->k->light)
        count_light(net);
    if (try_switches(net, n->target, true))
        return true;
    return n->target > n->min_nodes && try_switches(net, n->min_nodes, false);
}

bool topo_choose(struct picker *k, const struct node_fit *nf, size_t n)
{
    struct net net = { .k = k, .t = k->need->topo, .h = nf, .n = n };
    net_init(&net);
    bool found = net.t->kind == TOPO_BLOCK ? block_choose(&net) : tree_choose(&net);
    net_clear(&net);
    return found;
}
