/*
 * sched_state - the scheduler's data: node profiles, the job queue, planned starts.
 *
 * The words of this room, each with one meaning:
 *
 *   cycle            one call of sched_plan(); `sched.cycle` numbers them
 *   need             the request of one job in one partition, as numbers
 *   job class        all pending jobs with the same need and the same limits; a cycle tests a class once
 *   queue entry      the position of one pending job in the queue; it stands in one class per partition
 *   queue key        the order of jobs within a tier: a smaller key is scheduled earlier
 *   node profile     one node: its capacity, what is free now, and every span that holds a part of it
 *   span             an amount of one node that a job holds, or will hold, between two times
 *   avail            what is free on a node at one time, or throughout an interval
 *   headroom         an upper bound of what is free on a node: three numbers for a quick test
 *   node fit         how much of a job one node can hold
 *   pick             the nodes chosen for a job; one `node_part` per node
 *   planned start    a future start time with nodes, kept for a blocked job; backfill must not delay it
 *   trial            a span that this cycle wrote to a profile: a start, or a search for a planned start
 *   release          the expected end of a running job on one node
 *   sched point      a time at which resources become free, so that a job may be able to start
 *   fit cache        the nodes that could hold a part of a class when its last test failed
 *   resv claim       what a reservation keeps of one node
 *   oversubscription several jobs on one CPU, nodes for one user, CPU limits of a partition (oversub.c)
 */
#ifndef SPUR_SCHED_STATE_H
#define SPUR_SCHED_STATE_H

#include "base/map.h"
#include "core/limits.h"
#include "sched/sched.h"

#define GRES_MAX 8 /* gres slots of a node that are scheduled */
#define FOREVER (INT64_MAX / 4)

/* ---- one node ---- */

/* What is free on a node: now, at one time, or throughout an interval. */
struct avail {
    uint32_t cpus;            /* in whole cores where cores are allocated */
    uint32_t jobs, exclusive; /* jobs on the node; how many of them hold it exclusively */
    uint64_t mem_mb;
    uint64_t gres[GRES_MAX];
};

/* What one job holds of a node between two times. */
struct span {
    int64_t from_s, to_s;
    int64_t since_s; /* start time of a running job */
    uint32_t id;     /* job */
    uint32_t resv;   /* reservation that the job runs in; 0: none */
    uint32_t cpus;
    uint64_t mem_mb;
    uint64_t gres[GRES_MAX];
    bool exclusive;
    bool suspended;             /* only memory and devices are held */
    bool topo_exclusion;        /* nothing is held: the job keeps other jobs out of its topology block */
    const struct bitmap *cores; /* the allocation's; NULL: the cores are not known */
    /* With oversubscription `cpus` is 0, and these fields say what is held (oversub.c): */
    bool oversub, owner;
    uint32_t held, part, uid, qos;
    const struct planned_start *planned; /* the planned start it belongs to; NULL: a running job, or a trial */
};

/* An upper bound of what is free on a node. */
struct headroom {
    uint32_t cpus, gres, mem_mb;
};

/* What a reservation keeps of a node. */
struct resv_claim {
    const struct resv *resv;
    bool whole;
    uint32_t cpus;
    uint64_t gres[GRES_MAX];
    struct bitmap cores;
};

struct node_profile {
    struct avail now;         /* free, after the starts of this cycle */
    struct avail total;       /* free on the empty node */
    uint32_t alloc_unit_cpus; /* CPUs of the smallest unit that is allocated: a core, or a socket */
    uint32_t cpus_per_core;
    uint32_t ncores, cores_per_socket;
    bool has_core_spec; /* some cores are reserved for the system: */
    struct bitmap core_spec_cores;
    bool has_cores;      /* cores are allocated by number; else CPUs are counted */
    bool oversubscribed; /* several jobs hold one core */
    uint32_t ngres;
    bool usable;
    struct bitmap taken_cores; /* by starts of this cycle; cores of running jobs are in the cluster */
    struct bitmap taken_gres[GRES_MAX];
    VEC(struct span) running;
    VEC(struct span) trials;
    VEC(struct span) planned;
    VEC(struct resv_claim) claims; /* of reservations */
};

/* ---- licences ---- */

/* What a job, or a reservation, has of a licence between two times. */
struct lic_span {
    int64_t from_s, to_s;
    uint32_t id; /* job; in `reserved` the reservation */
    uint64_t count;
};

struct lic_profile {
    uint64_t total;
    VEC(struct lic_span) running;
    VEC(struct lic_span) trials; /* starts and planned starts of this cycle */
    VEC(struct lic_span) reserved;
};

/* ---- what a job asks for ---- */

/* The nodes that a constraint selects.  Where nodes need different features: node sets, one of which is taken, or a
 * count of nodes from each. */
struct constraint_nodes {
    struct bitmap allowed; /* nodes with the features that every node needs */
    int how;               /* enum constraint_how */
    size_t n;
    struct bitmap *set;
    uint32_t *count;
    uint32_t nodes; /* sum of the counts */
};

struct need {
    const struct req *req;
    uint32_t part;
    uint32_t limit_min;
    uint32_t lifted_limits;  /* partition limits that the QOS lifts: enum qos_flag */
    const struct resv *resv; /* the reservation that the job starts in */
    bool magnetic;           /* the reservation attracts the job, which did not ask for it */
    bool narrowed;           /* a FLEX reservation: only its own nodes are tried */
    uint64_t mem_node_mb, mem_cpu_mb;
    uint32_t min_nodes, max_nodes, target; /* target: nodes to take when more than min_nodes are allowed */
    uint32_t tasks;                        /* 0: per node */
    uint64_t gpus;                         /* of a per-job count; 0: none */
    uint32_t per_node;                     /* tasks on each node, when fixed */
    bool exclusive;                        /* no other job on its nodes */
    bool whole;                            /* all CPUs of its nodes */
    bool oversub, owner;     /* shares CPUs with other jobs; shares nodes only with jobs of its own user */
    bool oversub_peers;      /* other partitions of the same tier oversubscribe CPUs, too */
    bool qos_extra;          /* its QOS allows one job more on a core */
    uint32_t qos;            /* QOS id; 0: none */
    uint32_t uid;            /* where nodes depend on the user */
    uint32_t oversub_levels; /* attempts, from idle cores to fully oversubscribed ones (oversub.c) */
    uint32_t least_cpus;     /* a node with less is useless */
    uint64_t least_mem_mb;
    struct bitmap allowed, required;
    const struct topo *topo;             /* the network that selects nodes; NULL: by node index */
    uint32_t switches;                   /* leaf switches at most ... */
    int64_t switch_until_s;              /* ... for a start before this time */
    uint32_t segment;                    /* nodes of one segment; 0: no segments */
    bool topo_exclusive;                 /* no other job in its topology blocks */
    bool gres_bind;                      /* only cores of the sockets that its devices are attached to */
    bool lln, at_end;                    /* least loaded nodes; the last nodes */
    bool longest_running;                /* the node with the job that has run longest */
    bool all_nodes;                      /* the pick must see every node that fits */
    struct constraint_nodes *constraint; /* NULL: all nodes need the same features */
    struct constraint_nodes *prefer;     /* --prefer: tried first; NULL: none */
};

/* ---- the queue ---- */

enum class_state { CLASS_UNTESTED, CLASS_BLOCKED, CLASS_LIMITED, CLASS_UNSCHEDULABLE };

struct fit_cache_node {
    uint32_t node, amount; /* tasks, or GPUs, that the node can hold */
};

/* Nodes that can hold a part of a class whose test failed.  Amounts are upper bounds: every node on which something
 * becomes free is tested again. */
struct fit_cache {
    bool known;
    bool grown;    /* some node gained since the test */
    bool unlisted; /* too many nodes to list: any node that gains is a reason to test the class */
    uint64_t key;  /* of the job that was tested: planned starts behind it did not count */
    uint64_t sum;
    VEC(struct fit_cache_node) at; /* by node */
};

struct job_class {
    struct need need;
    struct req req;  /* own copy */
    char *signature; /* all that the class has in common, as bytes */
    size_t signature_len;
    uint64_t hash;
    int64_t deadline_s;
    uint32_t tier;
    enum class_state state;
    enum why_code unschedulable; /* the reason, when CLASS_UNSCHEDULABLE */
    bool changed;                /* a job joined since the last test */
    enum why_code limited;       /* the limit, when CLASS_LIMITED */
    struct holders holders;      /* whose limits apply, as of ... */
    uint64_t holders_round;      /* ... sched.limit_round */
    bool lacks_license;          /* at the last test */
    VEC(uint64_t) keys;          /* queue keys, ascending, from `head` on */
    size_t head;
    size_t at;           /* in sched.classes */
    size_t next;         /* the first key that this cycle has not tried */
    size_t next_planned; /* the first key without a planned start in this pass */
    struct fit_cache fit_cache;
    bool
        has_skipped; /* a job was skipped (array limit, deadline): test the class whenever something becomes free ... */
    bool retry_each; /* ... and every job in it, as the reason of one may change */
    uint64_t cycle;  /* the last cycle that tested it */
    struct job_class *hash_next; /* same hash */
    uint64_t resv_cycle;         /* the cycle in which `resv_why` was computed */
    enum why_code resv_why;
    uint32_t het; /* id of the heterogeneous job whose class this is; 0: none */
};

struct queue_entry {
    uint32_t id;
    uint32_t nclasses;
    struct job_class **classes; /* in the order in which they are tried; none while the job cannot start */
    struct job_class *single;   /* `classes` points here when there is only one */
    uint64_t key;
    uint64_t cycle;        /* `started` and `next_task` are of this cycle */
    uint64_t planned_pass; /* `nplanned` is of this pass */
    size_t next_task;
    uint32_t started;      /* array tasks started */
    uint32_t nplanned;     /* array tasks with a planned start */
    enum why_code why;     /* why the job is in no class, when nclasses is 0 */
    /* The job as it was queued: an equal job need not be queued again. */
    uint64_t spec_id;
    uint32_t priority, limit_min, hold, ndepend;
    int64_t eligible_s;
    int64_t switch_until_s; /* the job changes its class then */
    uint64_t mem_mb;
};

/* heap.c: classes; the first in order is at[0] */
struct heap {
    struct job_class **at;
    size_t n, cap;
};

/* ---- the future ---- */

struct running_job {
    uint32_t id;
    int64_t end_s;
    uint32_t n;
    uint32_t *node;
    bool topo_exclusive; /* `node` lists the other nodes of its blocks, too */
    bool licensed;       /* holds licences */
};

struct release {
    int64_t at_s;
    uint32_t id, node;
    struct headroom frees;
};
struct release_block;
struct release_list {
    VEC(struct release_block *) block;
};
struct release_pos {
    size_t block, i;
};

struct sched_point {
    int64_t at_s;
    uint32_t node;
    struct headroom frees;
};

/* A period of a reservation begins or ends. */
struct resv_boundary {
    int64_t at_s;
    const struct resv *resv;
};

struct node_part;
struct planned_span {
    uint32_t node;
    struct span span;
};

/* A planned start stays from cycle to cycle until something contradicts it. */
struct planned_start {
    struct job_class *cls;
    uint32_t id, tier;
    uint64_t key;
    size_t at;                   /* in sched.planned_starts */
    int64_t at_s;                /* 0: no start time could be found */
    int64_t found_s;             /* when it was found, ... */
    uint64_t free_count;         /* ... sched.free_count at that time, ... */
    uint32_t node_tests;         /* ... the cost of the search, ... */
    uint64_t cycle;              /* ... and the cycle */
    bool invalid;                /* its nodes are not free any more: it must be found again */
    bool improvable;             /* a planned start before it moved: an earlier time may exist */
    bool expired;                /* anything may have changed since: it counts only after it has been found again */
    uint32_t oversub_level;      /* it was found with */
    VEC(struct node_part) parts; /* the pick */
    VEC(struct planned_span) spans;
};

/* ---- the scheduler ---- */

/* What a partition says about oversubscription. */
struct part_oversub {
    uint32_t max, tier, max_node, max_socket;
    bool forced, alone, owner;
    bool suspends; /* its jobs are suspended for jobs of a higher tier */
};

struct sched {
    struct sched_conf conf;
    const struct cluster *cluster; /* the one this state was derived from */
    uint64_t cycle;
    int64_t now_s;
    bool resync; /* anything may have changed: read the whole cluster again */
    VEC(uint32_t) changed_jobs;
    struct map changed_job_set;

    /* nodes */
    struct node_profile *profile;
    struct headroom *headroom; /* by node */
    size_t nprofiles;
    struct bitmap open;             /* usable nodes with a free CPU */
    VEC(uint32_t) touched;          /* profiles with trials of this cycle */
    bool same_weight;               /* all nodes have the same weight */
    struct map running;             /* job id -> struct running_job */
    struct release_list releases;   /* soonest first; jobs without an end are not listed */
    VEC(struct sched_point) points; /* ends of this cycle's trials */
    bool points_sorted;             /* soonest first */
    uint32_t ntopo_exclusive;       /* running jobs that keep their topology blocks exclusive */
    bool gres_bind_seen;            /* some class binds devices to sockets, or did */
    VEC(struct lic_profile) lic;    /* same index as the cluster's licences */

    /* reservations */
    size_t nresv;
    bool magnetic, had_magnetic;               /* a reservation is magnetic; one is, or was at the sync before */
    VEC(struct resv_boundary) resv_boundaries; /* soonest first */

    /* oversubscription */
    bool oversub, by_user;             /* what is free depends on the job that asks; and on its user */
    struct part_oversub *part_oversub; /* by partition index */
    VEC(struct bitmap) qos_preempts;   /* by QOS id: ids whose jobs it may suspend */
    VEC(struct bitmap *) trial_cores;  /* cores of this cycle's trials */

    /* the queue */
    VEC(char *) part;   /* partition names, by index */
    struct map entries; /* job id -> struct queue_entry */
    struct map class_by_hash;
    VEC(struct job_class *) classes;
    VEC(struct {
        int64_t at_s;
        uint32_t id;
    }) begin_times;            /* when a job's entry changes by the clock alone; the soonest is the last */
    VEC(uint32_t) why_changed; /* jobs whose reason has to be computed again */
    VEC(uint32_t)
        reported; /* per partition: the job with reason Resources; then the same of jobs that named their nodes */
    const struct job_class
        *last_start; /* class of the last start of this cycle, if it took one node, and nothing since */
    uint32_t last_start_node;

    /* what became free */
    bool any_freed;            /* something was released: blocked classes may fit now */
    VEC(uint32_t) freed_nodes; /* nodes that may have more free than the fit caches know */
    struct bitmap freed_node_set;
    bool planned_moved;  /* some of it because a planned start moved: */
    uint32_t moved_tier; /* ... the first one that did */
    uint64_t moved_key;
    uint64_t free_count; /* how often something was released */
    bool incremental;    /* what is free depends on noted changes only: fit caches and planned starts outlive a cycle */

    /* planned starts */
    VEC(struct planned_start *) planned_starts; /* in the order of their jobs */
    size_t planned_ahead;      /* how many of them count: the ones ahead of the job that is being tested */
    uint64_t planned_pass;     /* numbers the passes over the planned starts */
    struct heap planned_queue; /* blocked classes with a job that has no planned start yet */
    bool planned_queue_valid;
    int64_t planned_eligible_s; /* when the next job becomes old enough for a planned start; 0: none */
    uint32_t planned_kept;      /* planned starts that were kept though a search found only a later time */
    uint32_t full_tests;        /* full tests in the current search */
    uint32_t node_tests;        /* tests of single nodes in this cycle */
    uint64_t full_test_nodes;   /* nodes in full tests of this cycle */
    int64_t predict_spent;      /* node tests spent on predictions; each second adds to what may be spent */

    /* limits */
    uint64_t limit_serial;           /* of the limits that the classes were made with */
    uint64_t limit_round;            /* grows when jobs may have come under other limits */
    int64_t limit_charged_s;         /* usage was charged until then */
    bool limits;                     /* there are limits, and they are enforced */
    struct limit_usage limit_started; /* what the starts of this cycle hold */

    int64_t yield_s; /* when jobs were last looked at for yields */
};

#define OVERSUB_LEVEL_ALL UINT32_MAX

/* How a test looks at the node profiles: which planned starts count, and what is ignored. */
struct sched_view {
    const struct sched *s;
    size_t planned_ahead;   /* so many planned starts, from the first, count */
    uint32_t oversub_level; /* OVERSUB_LEVEL_ALL, or the attempt (oversub.c) */
    bool unreserved;        /* ignore all reservations */
};

/* The view of the job that the cycle is testing. */
static inline struct sched_view view_now(const struct sched *s)
{
    return (struct sched_view){ .s = s, .planned_ahead = s->planned_ahead, .oversub_level = OVERSUB_LEVEL_ALL };
}

#endif
