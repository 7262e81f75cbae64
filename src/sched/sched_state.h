/*
 * sched_state - what the scheduler remembers: of nodes, of those that wait, of planned starts.
 *
 * Jobs that ask for the same thing of the same partition form one `shape`: a shape is
 * tested once per plan, however many jobs stand in it.  `room` is what a node has left,
 * `use` what somebody holds or will hold of it for a time.
 */
#ifndef SPUR_SCHED_STATE_H
#define SPUR_SCHED_STATE_H

#include "base/map.h"
#include "core/limits.h"
#include "sched/sched.h"

#define GRES_MAX 8 /* gres slots of a node that are scheduled */
#define FOREVER (INT64_MAX / 4)

/* What is left of a node: now, at some moment, or throughout a time. */
struct room {
    uint32_t cpus;            /* in whole cores where cores are given */
    uint32_t jobs, exclusive; /* jobs on it; those that want it alone */
    uint64_t mem_mb;
    uint64_t gres[GRES_MAX];
};

/* What somebody takes of a node between two moments. */
struct use {
    int64_t from_s, to_s;
    int64_t since_s; /* of one that runs: its start */
    uint32_t id;
    uint32_t resv; /* in this reservation */
    uint32_t cpus;
    uint64_t mem_mb;
    uint64_t gres[GRES_MAX];
    bool exclusive;
    bool lent; /* suspended: memory and devices alone */
    bool shade; /* nothing is held: a job wants the block for itself */
    const struct bitmap *cores; /* the allocation's; NULL: they have no names */
    /* where room depends on who asks (share.c), `cpus` is 0 and these are said */
    bool shares, owner;
    uint32_t held, part, uid, qos;
    const struct place *by;     /* the place it belongs to; NULL: somebody runs, or starts in this plan */
};

/* The most that a node has free: what is quick to look at. */
struct brief {
    uint32_t cpus, gres, mem_mb;
};

/* What a reservation keeps of a node. */
struct block {
    const struct resv *resv;
    bool whole;
    uint32_t cpus;
    uint64_t gres[GRES_MAX];
    struct bitmap cores;
};

struct lane {        /* one node, as the scheduler sees it */
    struct room now; /* free, after the starts of this plan */
    struct room all; /* free when it is empty */
    uint32_t tpc;    /* CPUs that come with one core, or with one socket where sockets are given */
    uint32_t cpc;    /* CPUs of one core */
    uint32_t ncores, per_socket; /* of all the node; of one socket */
    bool spec;                   /* some are kept for the system: */
    struct bitmap off;
    bool named;                  /* cores are given one by one */
    bool blended;                /* some core is held by several */
    uint32_t ngres;
    bool usable;
    struct bitmap cores; /* given in this plan; the node's own are in the cluster */
    struct bitmap gres_busy[GRES_MAX];
    VEC(struct use) runs; /* by jobs that hold it */
    VEC(struct use) resv; /* starts and trials of this plan */
    VEC(struct use) kept; /* planned starts */
    VEC(struct block) blocks; /* by reservations; none where there are none */
};

/* What somebody has of a licence between two moments. */
struct lic_use {
    int64_t from_s, to_s;
    uint32_t id; /* of a job; of a reservation in `kept` */
    uint64_t count;
};

struct lic_lane { /* one licence, as the scheduler sees it */
    uint64_t total;
    VEC(struct lic_use) runs; /* by jobs that hold it */
    VEC(struct lic_use) resv; /* starts of this plan, and planned ones */
    VEC(struct lic_use) kept; /* by reservations */
};

/* Features that not all nodes need alike: sets of nodes, of which one is taken, or so many nodes of each. */
struct wish {
    struct bitmap allowed; /* have what every node must */
    int how;               /* enum constraint_how */
    size_t n;
    struct bitmap *set;
    uint32_t *count;
    uint32_t nodes; /* all counts together */
};

/* A job's wish on one partition, in numbers. */
struct need {
    const struct req *req;
    uint32_t part;
    uint32_t limit_min;
    uint32_t lifts;          /* limits of the partition that do not hold for it: enum qos_flag */
    const struct resv *resv; /* the one it stands in */
    bool drawn;              /* into it, without having asked: MAGNETIC */
    bool narrowed;           /* to its reservation's nodes, which need not be: FLEX */
    uint64_t mem_node_mb, mem_cpu_mb;
    uint32_t min_nodes, max_nodes, target; /* target: how many to take when more than min are allowed */
    uint32_t tasks;                        /* 0: per node */
    uint64_t gpus;                         /* per job; 0: none */
    uint32_t per_node;                     /* tasks on each node, when fixed */
    bool exclusive;      /* nobody else on its nodes */
    bool whole;          /* all CPUs of its nodes */
    bool shares, owner;  /* CPUs with others; nodes with its own user alone */
    bool peers;          /* other partitions of its tier share CPUs, too */
    bool one_more;       /* and by the right of its QOS one more may be on a core */
    uint32_t qos;        /* the number of its QOS; 0: none */
    uint32_t uid;        /* where that matters */
    uint32_t levels;     /* share.c: attempts, from idle cores to those that many hold */
    uint32_t least_cpus; /* less than this on a node is no use */
    uint64_t least_mem_mb;
    struct bitmap allowed, required;
    const struct topo *topo;  /* the network it is placed by; NULL: nodes stand in a row */
    uint32_t switches;        /* leaf switches at most ... */
    int64_t switch_until_s;   /* ... if it starts before this */
    uint32_t segment;         /* nodes of one segment; 0: there are none */
    bool topo_alone;          /* nobody else in its blocks */
    bool near;                /* cores of the sockets that its devices are near to, and no others */
    bool lln, at_end, settled; /* on the least loaded nodes; on the last ones; on those of the longest run */
    bool picky;               /* all nodes have to be seen before some are chosen */
    struct wish *wish;   /* NULL: all nodes need the same */
    struct wish *prefer; /* --prefer: tried first; NULL: nothing is */
};

enum shape_state { SHAPE_UNTESTED, SHAPE_BLOCKED, SHAPE_LIMITED, SHAPE_BARRED };

struct glimpse {
    uint32_t node, amount;
};

/* Which nodes could hold how much of a shape that did not fit: never too little, as every node that gains room is looked at again. */
struct hold;
struct hope {
    bool known;
    bool stirred;  /* some node gained room for it since it was tested */
    bool many;     /* too many nodes to list them: any that gains room is reason to test */
    uint64_t rank; /* it was tested for this one: places of those behind did not count */
    uint64_t sum;
    VEC(struct glimpse) at; /* by node */
};

struct shape {
    struct need need;
    struct req req; /* its own copy */
    char *key;
    size_t key_len;
    uint64_t hash;
    int64_t deadline_s;
    uint32_t tier;
    enum shape_state state;
    enum why_code barred; /* why nobody in it can start, when SHAPE_BARRED */
    bool fresh;           /* somebody came since it was tested */
    enum why_code limited; /* which limit stopped it, when SHAPE_LIMITED */
    struct holders holders; /* whose limits they are under, as it was ... */
    uint64_t holders_round; /* ... in this round of the scheduler's */
    bool lacking;         /* a licence, when it was tested last */
    VEC(uint64_t) rank;   /* (~priority << 32 | id), ascending, from `head` on */
    size_t head;
    size_t at;           /* in sched.shapes */
    size_t next;         /* first one not looked at in this plan */
    size_t planned;      /* first one without a planned start in this walk */
    struct hope hope;
    bool skips;          /* somebody in it was passed over: look at it whenever something was given back ... */
    bool careful;        /* ... and at each one, as somebody may have to be told something else */
    uint64_t turn;       /* the last plan that looked at it */
    struct shape *chain; /* same hash */
    uint64_t resv_plan;  /* the plan in which `resv_why` was found out */
    enum why_code resv_why;
    uint32_t het;        /* a heterogeneous job stands here, and nobody else: its number */
};

struct seat { /* where a waiting job stands in the order */
    uint32_t id;
    uint32_t nshapes;
    struct shape **shape; /* in the order they are tried; none when it cannot start yet */
    struct shape *one;    /* `shape` points here when there is just one */
    uint64_t rank;
    enum why_code waits; /* why it is not in the order, when nshapes is 0 */
    int64_t begin_s;
    uint64_t plan;    /* in which plan `started` and `next_task` were said */
    uint32_t started; /* tasks that start */
    uint64_t walk;    /* in which walk over the places `places` was counted */
    uint32_t places;  /* tasks with a planned start */
    size_t next_task;
    /* what it was seated by: when equal, it need not move */
    uint64_t spec_id;
    uint32_t priority, limit_min, hold, ndepend;
    int64_t eligible_s;
    int64_t switch_until_s; /* it moves then */
    uint64_t mem_mb;
};

struct run {
    uint32_t id;
    int64_t end_s;
    uint32_t n;
    bool shaded; /* on other nodes, too */
    uint32_t *node;
    bool licensed; /* it holds licences */
};

struct end { /* of a run, on one node */
    int64_t at_s;
    uint32_t id, node;
    struct brief gives;
};
struct end_block;
struct ends {
    VEC(struct end_block *) block;
};
struct ends_pos {
    size_t block, i;
};

struct moment {
    int64_t at_s;
    uint32_t node;
    struct brief gives;
};

/* A turn of a reservation begins or ends. */
struct turn {
    int64_t at_s;
    const struct resv *resv;
};

/* A planned start: it stays from plan to plan while nothing contradicts it. */
struct share;
struct laid {
    uint32_t node;
    struct use use;
};
struct place {
    struct shape *sh;
    uint32_t id, tier;
    uint64_t rank;
    size_t at;      /* in sched.places, which are in the order of their jobs */
    int64_t at_s;   /* 0: no moment can be told */
    int64_t made_s; /* when it was found, ... */
    uint64_t gives; /* ... how often something had been given back by then, ... */
    uint32_t looks; /* ... and what that cost */
    uint64_t plan;  /* ... and in which plan */
    bool wrong;     /* something contradicts it: it has to be found anew */
    bool shaken;    /* one before it has moved: there may be a better one */
    bool old;       /* of another plan, since when anything may have changed: it counts when it has been found anew */
    uint32_t level; /* it was found with: share.c */
    VEC(struct share) share; /* and this is what was found */
    VEC(struct laid) laid;
};

/* heap.c: shapes, the first one at the top */
struct heap {
    struct shape **at;
    size_t n, cap;
};
typedef bool heap_order(const struct shape *a, const struct shape *b);
void heap_make(struct heap *h, heap_order *before); /* of what stands there in any order */
void heap_add(struct heap *h, heap_order *before, struct shape *sh);
void heap_moved(struct heap *h, heap_order *before); /* the top comes later now */
void heap_drop(struct heap *h, heap_order *before);  /* the top */

struct part_share { /* what a partition says about sharing */
    uint32_t max, tier, max_node, max_socket;
    bool forced, alone, owner;
    bool stops; /* its jobs are suspended for those of a higher tier */
};

struct sched {
    struct sched_conf conf;
    size_t nresv;                  /* reservations there are */
    bool magnetic, drawing;        /* some draw jobs in; or did when they were looked at before */
    bool unreserved;               /* as if there were none */
    bool shares, by_user;          /* room depends on who asks; on its user, too */
    uint32_t level;                /* the attempt that is being made, for needs that share */
    struct part_share *part_share; /* by index */
    VEC(struct bitmap) qos_over;   /* preempt/qos: by number, the QOS whose jobs it may suspend */
    VEC(struct bitmap *) kept;     /* cores of the places kept in this plan */
    const struct cluster *seen;
    struct lane *lane;
    struct brief *brief; /* by node, as the lanes */
    size_t nlanes;
    struct bitmap open;     /* usable nodes with a free CPU */
    VEC(uint32_t) touched;  /* lanes that this plan wrote to */
    VEC(char *) part;       /* names, by index */
    VEC(uint32_t) told;     /* per partition: the job that was told Resources; then the same of those that named nodes */
    struct map seats, runs; /* by job id */
    struct map shape_by_hash;
    VEC(struct shape *) shapes;
    VEC(uint32_t) noted;
    struct map noted_set;
    VEC(struct {
        int64_t at_s;
        uint32_t id;
    }) begins;                   /* sorted, soonest last */
    VEC(uint32_t) fresh;         /* seats that have to hear a why */
    struct ends ends;            /* of the runs, soonest first; endless ones are not there */
    VEC(struct moment) moments;  /* ends of this plan's starts and trials */
    bool moments_sorted;         /* soonest first */
    VEC(struct turn) turns;      /* of reservations, soonest first */
    VEC(struct place *) places;  /* in the order of their jobs */
    VEC(uint32_t) gained;        /* nodes that may have more room than the hopes know */
    struct bitmap gained_set;
    bool lifted;           /* some of them from places: */
    uint32_t lifted_tier;  /* ... the first of these */
    uint64_t lifted_rank;
    uint64_t gives; /* how often something was given back */
    uint64_t walk;  /* over the places, from the first on */
    bool steady;    /* room on a node changes by what is noted alone, and cores are as good as others: hopes and places
                       outlive a plan */
    struct heap blocked; /* shapes with somebody who has no place yet; made when first asked for */
    bool blocked_known;
    bool nears;      /* some shape wants cores near to its devices, or did */
    bool all, freed; /* anything changed; something was given back */
    uint64_t plan;
    int64_t now_s;
    int64_t pick_at_s; /* the moment that nodes are being chosen for */
    uint32_t shaded;   /* runs that want their blocks for themselves */
    const struct shape *hint; /* who started last in this plan, alone on one node; nothing else was taken since */
    uint32_t hint_node;
    size_t planned;         /* so many places count: those of jobs before whoever is looked at */
    uint32_t probes;        /* full tests, by the search for one planned start */
    uint32_t looks;         /* at single nodes, spent on the future */
    uint64_t probed;        /* nodes that full tests looked at */
    int64_t predicted;      /* looks spent on predictions for who has no place; so many are free each second */
    uint32_t promises;      /* places that were kept though a search would find later ones */
    uint64_t limit_serial;        /* of the limits that shapes were made by */
    uint64_t limit_round;         /* grows when anybody may stand under other limits */
    int64_t limit_charged_s;      /* what was used had been charged until then */
    bool limits;                  /* there are some, and they are enforced */
    struct limit_book limit_more; /* what starts of this plan hold */
    int64_t young_s;        /* when somebody may have a place who came too late for one now; 0: nobody */
    int64_t yield_s;        /* when it was looked last whether somebody should make room */
    bool one_weight;        /* no node is lighter than another */
    VEC(struct lic_lane) lic; /* as in the cluster's table; none: nothing here costs anything */
};

#endif
