/*
 * sched - which jobs start now and where, and why each other job waits.
 *
 * A pure function over core: no socket, no clock, no lock.  It runs when something changed, tests no more than its
 * budget, and says how far it came.
 */
#ifndef SPUR_SCHED_SCHED_H
#define SPUR_SCHED_SCHED_H

#include "base/vec.h"
#include "core/cluster.h"

struct sched; /* caches between cycles; holds nothing that the cluster does not say */

enum sched_policy { POLICY_PRIORITY, POLICY_SHORT };

enum het_prio {
    HET_PRIO_FIRST,
    HET_PRIO_MIN,
    HET_PRIO_AVG,
    HET_PRIO_MAX
}; /* the component that a heterogeneous job has its priority from */

struct sched_conf {         /* policy, from the site's configuration */
    bool backfill;          /* SchedulerType=sched/backfill */
    bool by_core;           /* CR_Core*: whole cores are allocated; else CPUs (threads) */
    bool by_memory;         /* CR_*_Memory */
    bool by_node;           /* select/linear: whole nodes */
    bool by_socket;         /* CR_Socket*: whole sockets */
    bool one_task_per_core; /* CR_ONE_TASK_PER_CORE: unless the job says otherwise */
    bool cores_in_blocks;   /* CR_CORE_DEFAULT_DIST_BLOCK: cores of as few sockets as possible */
    bool gang;              /* PreemptMode=GANG: jobs on the same cores run in time slices */
    uint32_t max_tests;     /* jobs tried in a cycle (default_queue_depth / bf_max_job_test) */
    uint32_t bf_window_min; /* how far ahead starts are planned */
    enum sched_policy policy;
    bool preempt;             /* PreemptType=preempt/partition_prio: a higher tier may preempt jobs of a lower one */
    const char *preempt_mode; /* of partitions without one; never NULL while `preempt` */
    int64_t preempt_exempt_s; /* a job that has run no longer is not preempted */
    bool preempt_qos;    /* PreemptType=preempt/qos: by the list of a QOS instead of by tier; `preempt` is set, too */
    bool youngest_first; /* PreemptParameters: the job that started last is preempted first */
    uint32_t min_exempt_priority; /* jobs with this priority or a higher one are never preempted; 0: no such limit */
    bool limits;                  /* AccountingStorageEnforce=limits: limits of QOS and associations apply */
    bool limits_safe;             /* safe: no job starts that could not run to the end of its limit */
    int64_t
        yield_after_s; /* SpurYieldAfter: a job that checkpoints may be asked to yield after this run time; 0: never */
    uint32_t max_planned;      /* planned starts, at most */
    uint32_t max_node_tests;   /* node tests per cycle for improving planned starts; 0: about a millisecond's worth */
    int64_t max_switch_wait_s; /* longest wait for --switches */
    bool lln;                  /* CR_LLN: the least loaded nodes, in every partition */
    bool gres_bind;            /* ENFORCE_BINDING_GRES: enforce-binding, unless the job says otherwise */
    uint32_t admin_uid;        /* SlurmUser: may use any reservation, like root */
    int64_t planned_min_age_s; /* bf_min_age_reserve: a younger job gets no planned start */
    uint32_t planned_min_priority;  /* bf_min_prio_reserve: nor does a job with a lower priority */
    uint32_t max_planned_per_array; /* bf_max_job_array_resv: planned starts of one array; 0: 20 */
    enum het_prio het_prio;         /* bf_hetjob_prio */
    bool any_feature,
        any_prefer; /* ignore_constraint_validation, ignore_prefer_validation: nodes with the features may come later */
    bool more_licenses;    /* allow_zero_lic: a job may request more licences than exist */
    bool reclaim_licenses; /* jobs are preempted for their licences, too */
    bool serial_at_end;    /* pack_serial_at_end: single-CPU jobs on the last nodes */
};

struct sched_budget {
    uint32_t max_starts; /* 0: no limit */
    uint32_t max_tests;  /* jobs tried; 0: as configured */
};

struct sched_start {
    struct job *job;
    uint32_t task; /* TASK_NONE, or the array task that leaves the record */
    struct part *part;
    bool preferred;          /* it got the nodes of --prefer */
    uint32_t license;        /* 1 + the index of the alternative licence it gets; 0: all that it requests */
    const struct resv *resv; /* the reservation it starts in, or NULL */
    struct alloc alloc;      /* belongs to the plan until taken */
    Pb__JobOversub oversub;
    bool owner;         /* its nodes are for its user only */
    uint32_t limit_min; /* --time-min: a shorter limit than requested; 0: its own */
    uint32_t het;       /* this many of the following starts belong to the same heterogeneous job */
    bool backfilled;    /* backfill: a job with a higher priority waits, and this one fits beside its planned start */
};

struct sched_why { /* only for jobs whose reason changed */
    struct job *job;
    struct why why;
    char *nodes; /* nodes of the planned start, as a hostlist; NULL: unknown; belongs to the plan until taken */
};

struct sched_preempt { /* a job to preempt so that job `by` can start */
    struct job *job;
    uint32_t by;
    const char *mode; /* CANCEL, REQUEUE ...: borrowed until the configuration changes */
};

struct plan {
    VEC(struct sched_preempt) preempts;
    VEC(struct sched_preempt) yields; /* asked to save their state and to go back to the queue */
    VEC(struct sched_start) starts;
    VEC(struct sched_why) whys;
    bool more;               /* the budget was spent: plan again soon */
    uint32_t tests, planned; /* jobs tried; planned starts */
    uint32_t planned_kept;   /* of these, kept though a search found only a later time */
    int64_t
        next_s; /* the earliest time at which a cycle may have a new answer without an event (begin times); 0: none */
};

struct sched *sched_new(const struct sched_conf *conf);
void sched_free(struct sched *s);
void sched_configure(struct sched *s, const struct sched_conf *conf);

/* A job is new, changed or gone.  NULL: anything may have changed, e.g. nodes or partitions. */
void sched_changed(struct sched *s, const struct job *job);

/* Priorities of many jobs changed, and nothing else: sort the queue again. */
void sched_reorder(struct sched *s, const struct cluster *c);

/*
 * Run one scheduling cycle.
 * Never over-allocates: each start fits beside all earlier ones.  A start does not delay jobs before it that have a
 * planned start: what they were promised stays free, on the same nodes.  A scheduler that has run all the time and a
 * new one start the same jobs on the same nodes, once planned starts have been searched again after the last change: a
 * second later (`next_s`), or a few seconds where that takes more node tests than `max_node_tests`.  Until then the
 * older promises are kept, and count.
 */
void sched_plan(struct sched *s, const struct cluster *c, int64_t now_s, const struct sched_budget *budget,
                struct plan *out);
void plan_clear(struct plan *p);

/* Could this job ever run on the cluster as it is configured, with all nodes free and up?  0, or Slurm's error
 * (ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE...). */
int sched_feasible(const struct sched *s, const struct cluster *c, const struct job *job, struct err *err);

/* When and where would the job start, beside what runs now (for --test-only)?  0 when unknown. */
int64_t sched_estimate(struct sched *s, const struct cluster *c, const struct job *job, int64_t now_s,
                       struct bitmap *nodes);

/* SpurPolicy=short: the expected usage, for the start event (core/runtime_history.h); else 0. */
uint32_t sched_expected_usage(const struct sched *s, const struct cluster *c, const struct job *j);

/* Why a job waits, in a sentence with names and numbers; `hints` are changes that would help.  All malloc'd. */
struct why_text {
    char *sentence;
    VEC(char *) hints;
    int64_t planned_s;
    uint32_t ahead; /* jobs before it in its partition */
};
void sched_explain(struct sched *s, const struct cluster *c, const struct job *job, int64_t now_s,
                   struct why_text *out);
void why_text_clear(struct why_text *t);

#endif
