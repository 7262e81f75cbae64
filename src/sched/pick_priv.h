/* pick_priv - a pick in progress, for the files that choose nodes. */
#ifndef SPUR_SCHED_PICK_PRIV_H
#define SPUR_SCHED_PICK_PRIV_H

#include "sched/fit.h"

struct picker {
    const struct sched *s;
    const struct cluster *c;
    const struct need *need;
    struct pick *out;
    int64_t at_s;        /* the start time that nodes are chosen for */
    uint32_t need_nodes; /* nodes still needed, at least */
    int64_t tasks, gpus; /* still needed */
    uint32_t light;      /* with a tree: take all nodes of a lower weight */
    bool by_tasks;       /* the size of a node is its tasks, whatever GPUs it has */
};

/* Nothing is taken yet. */
void pick_begin(struct picker *k);
/* All that is needed is taken; no further node is wanted. */
bool pick_satisfied(const struct picker *k);
bool pick_full(const struct picker *k);
/* Take as much of the node as possible, leaving one task for each further node that is needed. */
void pick_take(struct picker *k, const struct node_fit *h);

static inline bool pick_required(const struct picker *k, const struct node_fit *h)
{
    return bitmap_has(&k->need->required, h->node);
}

/* Could this node hold the rest alone, and is one node sufficient? */
static inline bool pick_fits_alone(const struct picker *k, const struct node_fit *h)
{
    return k->need_nodes <= 1 && k->need->target <= 1 && (int64_t)h->tasks >= k->tasks && (int64_t)h->gpus >= k->gpus;
}

/* All on one node by its request, so that the network does not matter. */
static inline bool pick_serial(const struct need *n)
{
    return n->max_nodes == 1 || (n->per_node && n->tasks && n->tasks <= n->per_node && n->target <= 1 && !n->gpus);
}

/* topo.c: by the network of the need.  `h` is ascending by node. */
bool topo_choose(struct picker *k, const struct node_fit *h, size_t n);

/* ---- for topo.c and topo_block.c ---- */

struct fit_sum { /* over nodes that are not taken */
    uint32_t nodes;
    uint64_t tasks, gpus;
};

struct leaf { /* a leaf switch or a base block, and the node fits in it */
    uint32_t first, n;
    uint32_t taken;
    struct fit_sum left;
};

struct net {
    struct picker *k;
    const struct topo *t;
    const struct node_fit *h;
    size_t n;
    uint32_t *order;     /* the node fits, leaf by leaf */
    struct bitmap gone;  /* taken, by index in h */
    struct leaf *leaf;   /* by unit */
    struct fit_sum *sum; /* by unit: sum over all below it */
    uint32_t *light;     /* by unit: light nodes below it; NULL: there are none */
    uint32_t nlight;
    uint32_t leaves;    /* used */
    struct bitmap shut; /* base blocks that are closed to further segments */
};

/* Do they hold what is still needed, on at least `nodes` nodes? */
static inline bool fit_sum_holds(const struct picker *k, const struct fit_sum *s, uint32_t nodes)
{
    return s->nodes >= nodes && (int64_t)s->tasks >= k->tasks && (int64_t)s->gpus >= k->gpus;
}

/* Nodes still wanted: the needed ones, or as many as the job may take. */
uint32_t net_wants(const struct net *net);
/* Take from a leaf what is needed, at most `most` nodes. */
void net_take_leaf(struct net *net, uint32_t leaf, uint32_t most);
/* Take `n` nodes of a leaf, whatever is needed. */
void net_take_nodes(struct net *net, uint32_t leaf, uint32_t n);
/* Exclude the nodes of the leaf that are not required. */
void net_leave(struct net *net, uint32_t leaf);
bool net_take_required(struct net *net);
/* Nothing is taken yet. */
void net_reset(struct net *net);

/* topo_block.c */
bool block_choose(struct net *net);

#endif
