/*
 * sched - who starts now, where, and for everybody else why not.
 *
 * A pure function over core: no socket, no clock, no lock.  It runs when something
 * changed, looks at no more than its budget, and says how far it came.
 */
#ifndef SPUR_SCHED_SCHED_H
#define SPUR_SCHED_SCHED_H

#include "base/vec.h"
#include "core/cluster.h"

struct sched; /* caches between plans; holds nothing that the cluster does not say */

enum sched_policy { POLICY_PRIORITY, POLICY_SHORT };

enum het_prio {
    HET_PRIO_FIRST,
    HET_PRIO_MIN,
    HET_PRIO_AVG,
    HET_PRIO_MAX
}; /* of which component a set has its priority */

struct sched_conf {         /* policy, from the site's configuration */
    bool backfill;          /* SchedulerType=sched/backfill */
    bool by_core;           /* CR_Core*: whole cores are given; else CPUs (threads) */
    bool by_memory;         /* CR_*_Memory */
    bool by_node;           /* select/linear: whole nodes */
    bool by_socket;         /* CR_Socket*: whole sockets */
    bool one_task_per_core; /* CR_ONE_TASK_PER_CORE: unless the job says otherwise */
    bool cores_in_blocks;   /* CR_CORE_DEFAULT_DIST_BLOCK: cores of as few sockets as can be */
    bool gang;              /* PreemptMode=GANG: jobs that share cores take turns */
    uint32_t max_tests;     /* jobs tried in a plan (default_queue_depth / bf_max_job_test) */
    uint32_t bf_window_min; /* how far ahead starts are planned */
    enum sched_policy policy;
    bool preempt;             /* PreemptType=preempt/partition_prio: a higher tier may end jobs of a lower one */
    const char *preempt_mode; /* of partitions that say nothing; never NULL while `preempt` */
    int64_t preempt_exempt_s; /* who has run no longer is left alone */
    bool preempt_qos;    /* PreemptType=preempt/qos: by the list of a QOS instead of by tier; `preempt` is set, too */
    bool youngest_first; /* PreemptParameters: whoever began last goes first */
    uint32_t min_exempt_priority; /* and who has this priority or a higher one never does; 0: nobody */
    bool limits;                  /* AccountingStorageEnforce=limits: QOS and associations are asked */
    bool limits_safe;             /* safe: nobody starts who could not run to the end of its limit */
    int64_t
        yield_after_s; /* SpurYieldAfter: who checkpoints and has run so long may be asked to make room; 0: nobody is */
    uint32_t max_planned; /* how many future starts are kept */
    uint32_t
        max_node_tests; /* looks at nodes that a plan spends on better moments for them; 0: about a millisecond's */
    int64_t max_switch_wait_s; /* longest wait for the switches that a job asks for */
    bool lln;                  /* CR_LLN: the least loaded nodes, in every partition */
    bool gres_bind;            /* ENFORCE_BINDING_GRES: cores near to a job's devices alone, unless it says otherwise */
    uint32_t admin_uid;        /* SlurmUser: as root may use any reservation */
    int64_t planned_min_age_s; /* bf_min_age_reserve: who waits no longer has no place in the future */
    uint32_t planned_min_priority;  /* bf_min_prio_reserve: nor who has a lower priority */
    uint32_t max_planned_per_array; /* bf_max_job_array_resv: places of one array; 0: 20 */
    enum het_prio het_prio;         /* bf_hetjob_prio */
    bool any_feature, any_prefer; /* ignore_constraint_validation, ignore_prefer_validation: nodes with them may come */
    bool more_licenses;           /* allow_zero_lic: more of a licence may be asked for than there are */
    bool reclaim_licenses;        /* jobs are preempted for their licences, too */
    bool serial_at_end;           /* pack_serial_at_end: jobs of one CPU on the last nodes */
};

struct sched_budget {
    uint32_t max_starts; /* 0: no limit */
    uint32_t max_tests;  /* jobs looked at; 0: the configuration's */
};

struct sched_start {
    struct job *job;
    uint32_t task; /* TASK_NONE, or the array task that leaves the record */
    struct part *part;
    bool preferred;          /* it got the nodes that it prefers */
    uint32_t license;        /* 1 + which of several licences it gets; 0: all that it asks for */
    const struct resv *resv; /* the reservation it starts in, or NULL */
    struct alloc alloc;      /* the plan's until taken */
    uint32_t share;          /* enum job_share */
    bool owner;              /* its nodes are for its user alone */
    uint32_t limit_min;      /* --time-min: a shorter limit than it asked for; 0: its own */
    uint32_t het;            /* so many of those that follow begin with it, or none does */
    bool filled;             /* somebody who stands higher waits: it fits beside that one's planned start */
};

struct sched_why { /* only for jobs whose answer changed */
    struct job *job;
    struct why why;
    char *nodes; /* where it is planned to start, as a hostlist; NULL when unknown; the plan's until taken */
};

struct sched_preempt { /* it has to go, so that another can start */
    struct job *job;
    uint32_t by;
    const char *mode; /* CANCEL, REQUEUE ...: borrowed until the configuration changes */
};

struct plan {
    VEC(struct sched_preempt) preempts;
    VEC(struct sched_preempt) yields; /* asked to save what they have and go back to the queue */
    VEC(struct sched_start) starts;
    VEC(struct sched_why) whys;
    bool more;               /* the budget was spent: plan again soon */
    uint32_t tests, planned; /* jobs looked at; future starts kept */
    uint32_t promises;       /* of these, kept though a search would find later ones */
    int64_t next_s; /* earliest time at which a plan may have a new answer without an event (begin times); 0: none */
};

struct sched *sched_new(const struct sched_conf *conf);
void sched_free(struct sched *s);
void sched_configure(struct sched *s, const struct sched_conf *conf);

/* Something changed: a job is new, changed or gone (NULL: anything may have, e.g. nodes or partitions). */
void sched_changed(struct sched *s, const struct job *job);

/* Priorities of many jobs changed, and nothing else: the order is made anew. */
void sched_reorder(struct sched *s, const struct cluster *c);

/*
 * Never over-allocates: each start in the plan fits beside all the earlier ones.
 * Who starts does not delay those before it who have a planned start: what they were promised is still theirs, on the
 * very nodes.  A scheduler that was there all the time and one that has just come start the same jobs on the same
 * nodes, once planned starts have been looked at again after the last change: a second later (`next_s`), or a few where
 * that takes more looks than `max_looks`.  Until then the older promises are kept, and count.
 */
void sched_plan(struct sched *s, const struct cluster *c, int64_t now_s, const struct sched_budget *budget,
                struct plan *out);
void plan_clear(struct plan *p);

/* Could this job ever run on the cluster as it is configured (all nodes free and up)?  0, or Slurm's error
 * (ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE...). */
int sched_feasible(const struct sched *s, const struct cluster *c, const struct job *job, struct err *err);

/* When and where would it start, beside what runs now (for --test-only and ETA)?  0 when unknown. */
int64_t sched_estimate(struct sched *s, const struct cluster *c, const struct job *job, int64_t now_s,
                       struct bitmap *nodes);

/* SpurPolicy=short: what is expected of it, for the event of its beginning (core/runtime_history.h); else 0. */
uint32_t sched_expected_usage(const struct sched *s, const struct cluster *c, const struct job *j);

/* Why it waits, in a sentence with names and numbers; hints are things that would help.  All malloc'd. */
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
