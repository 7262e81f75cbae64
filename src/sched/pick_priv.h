/*
 * pick_priv - what the files that choose nodes share: one choice in the making.
 */
#ifndef SPUR_SCHED_PICK_PRIV_H
#define SPUR_SCHED_PICK_PRIV_H

#include "sched/fit.h"

struct picker {
    const struct sched *s;
    const struct cluster *c;
    const struct need *need;
    struct pick *out;
    int64_t at_s;        /* the start time that nodes are chosen for */
    uint32_t need_nodes; /* still needed, at least */
    int64_t tasks, gpus; /* still wanted */
    uint32_t light;      /* nodes of less weight are all taken, where there is a tree */
    bool by_tasks;       /* large nodes are those that carry many tasks, whatever GPUs they have */
};

/* Nothing is chosen yet. */
void pick_begin(struct picker *k);
/* It has all it needs; no further node should come. */
bool pick_satisfied(const struct picker *k);
bool pick_full(const struct picker *k);
/* The node takes all it can, leaving one task for each node that must still come. */
void pick_take(struct picker *k, const struct node_fit *h);

static inline bool pick_required(const struct picker *k, const struct node_fit *h)
{
    return bitmap_has(&k->need->required, h->node);
}

/* Could this node hold the rest alone, and is one enough? */
static inline bool pick_fits_alone(const struct picker *k, const struct node_fit *h)
{
    return k->need_nodes <= 1 && k->need->target <= 1 && (int64_t)h->tasks >= k->tasks && (int64_t)h->gpus >= k->gpus;
}

/* All on one node, by what it asks for: no network matters.  Not so with GPUs of several, or more nodes than needed. */
static inline bool pick_serial(const struct need *n)
{
    return n->max_nodes == 1 || (n->per_node && n->tasks && n->tasks <= n->per_node && n->target <= 1 && !n->gpus);
}

/* topo.c: by the network of the need.  `h` is ascending by node. */
bool topo_choose(struct picker *k, const struct node_fit *h, size_t n);

/* ---- what topo.c and topo_block.c share ---- */

struct fit_sum { /* of nodes that are not taken */
    uint32_t nodes;
    uint64_t tasks, gpus;
};

struct leaf { /* a leaf switch or a base block, and those of the holds that hang on it */
    uint32_t first, n;
    uint32_t taken;
    struct fit_sum left;
};

struct net {
    struct picker *k;
    const struct topo *t;
    const struct node_fit *h;
    size_t n;
    uint32_t *order;     /* the holds, leaf by leaf */
    struct bitmap gone;  /* taken, by place in h */
    struct leaf *leaf;   /* by unit */
    struct fit_sum *sum; /* by unit: all below it */
    uint32_t *light;     /* by unit: nodes below it that are taken because they are light; NULL: none are */
    uint32_t nlight;
    uint32_t leaves;    /* in use */
    struct bitmap shut; /* base blocks that no further segment comes to */
};

/* Do they hold what is still wanted, `nodes` of them at least? */
static inline bool fit_sum_holds(const struct picker *k, const struct fit_sum *s, uint32_t nodes)
{
    return s->nodes >= nodes && (int64_t)s->tasks >= k->tasks && (int64_t)s->gpus >= k->gpus;
}

/* Nodes still to come: those that must, or those that may while the job takes as many as it gets. */
uint32_t net_wants(const struct net *net);
/* Take of a leaf what is wanted, `most` nodes at most. */
void net_take_leaf(struct net *net, uint32_t leaf, uint32_t most);
/* So many nodes of a leaf, whatever is wanted. */
void net_take_nodes(struct net *net, uint32_t leaf, uint32_t n);
/* Nodes of the leaf that are not required are none. */
void net_leave(struct net *net, uint32_t leaf);
bool net_take_required(struct net *net);
/* Nothing is taken yet. */
void net_reset(struct net *net);

/* topo_block.c */
bool block_choose(struct net *net);

#endif
