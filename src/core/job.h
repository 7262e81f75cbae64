/*
 * job - one job as a plain value.
 *
 * Fields change in apply() alone; `why` and the caches at the end are not part of the
 * replicated state and are never looked at by apply().
 */
#ifndef SPUR_CORE_JOB_H
#define SPUR_CORE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/vec.h"
#include "core/req.h"
#include "core/why.h"
#include "record.pb-c.h"
#include "text/license.h"

/* Slurm's numbers: tools know them. */
enum job_state {
    JOB_PENDING,
    JOB_RUNNING,
    JOB_SUSPENDED,
    JOB_COMPLETED,
    JOB_CANCELLED,
    JOB_FAILED,
    JOB_TIMEOUT,
    JOB_NODE_FAIL,
    JOB_PREEMPTED,
    JOB_BOOT_FAIL,
    JOB_DEADLINE,
    JOB_OUT_OF_MEMORY,
    JOB_STATE_COUNT
};

#define JOB_STATE_BASE 0xffu
#define JOB_COMPLETING 0x8000u /* ended, but a node has not cleaned up yet */
#define JOB_CONFIGURING 0x4000u
#define JOB_RESV_DEL_HOLD 0x40000u /* shown only: held because its reservation is gone */
#define JOB_REQUEUE_FLAG 0x0400u /* goes back to the queue once clean */

enum job_hold { HOLD_NONE, HOLD_USER, HOLD_ADMIN };

/* How a running job holds its nodes; SHARE_ASKED: as its spec says (jobs that began before there was more to say). */
enum job_share { SHARE_ASKED, SHARE_NO, SHARE_ALONE, SHARE_CPUS };

#define ACCRUE_NEVER (-1)
#define TASK_NONE UINT32_MAX
#define INFINITE_MIN UINT32_MAX

struct blob { /* immutable bytes, kept once by content; counted by the jobs that name them */
    uint64_t id;
    uint32_t refs;
    size_t len;
    char *data;
};

struct spec { /* a job_spec: its bytes, and what the scheduler needs of it */
    struct blob *blob;
    char *shown;             /* the bytes that answers hold: without what only the node needs (limits) */
    size_t shown_len;
    struct req req;
    char *name, *partition, *account, *qos; /* asked for often: filters, columns */
    char *batch_features;                   /* --batch; NULL: none */
    int32_t nice, site_factor;
    uint32_t signal, signal_before_s;
    bool says_requeue; /* --requeue, by its own word */
    bool signal_batch;
    int64_t deadline_s;
    uint32_t kind;                                          /* Pb__JobKind */
    uint32_t kill_invalid_dep;                              /* 0 by configuration, 1 yes, 2 no */
    uint32_t array_count, array_min, array_max, array_step; /* as submitted; 0 when it is no array */
};

struct gres_share {
    uint32_t slot; /* index in the node's gres table */
    uint64_t count;
    struct bitmap index; /* devices, where the node knows them one by one */
};

struct node_alloc {
    uint32_t node; /* index in cluster.node */
    uint32_t cpus, tasks;
    uint64_t mem_mb;
    struct bitmap cores;
    struct gres_share *gres;
    uint32_t ngres;
    bool done; /* given back */
};

struct alloc {
    uint32_t n;
    struct node_alloc *at;
};

struct array_set { /* the tasks of an array that still share one record */
    struct bitmap pending;
    uint32_t count;       /* bits in it */
    uint32_t max_running; /* %limit; 0: none */
};

struct step {
    Pb__Step *pb; /* owned */
};

struct job {
    uint32_t id, array_job,
        array_task; /* array_task TASK_NONE unless this is one task; array_job 0 unless part of an array */
    uint32_t uid, gid;
    uint32_t state; /* enum job_state | flags */
    uint32_t priority, hold, time_limit_min, attempt, restarts, exit_code, derived_code, next_step, end_signal;
    uint32_t reason; /* why_code kept with the job: how it ended, or why it was held */
    uint32_t het_job, het_offset, het_size; /* het_job 0 unless it is a component of a heterogeneous job */
    uint32_t cancel_uid;
    uint32_t resv; /* the number of the reservation it runs in; 0: none */
    char *resv_name;
    uint32_t share; /* enum job_share */
    int64_t preempt_s, preemptable_s; /* when it was preempted; from when on it may be, 0 where nobody is */
    bool owner;     /* its nodes are for jobs of its user alone */
    bool unborn;    /* it has not had a turn yet: nothing of it was launched */
    bool turn;      /* suspended because it is the turn of others on its cores: it keeps them */
    bool has_cancel_uid, limit_set, requeue, warned;
    bool priority_fixed; /* an administrator's word; else `priority` is what it would be without any factor, or had when it began */
    int64_t accrue_s; /* it grows older since then; 0: since it may start; ACCRUE_NEVER: a limit is in the way */
    int64_t submit_s, eligible_s, start_s, end_s, suspend_s, suspended_total_s, yield_s, ran_s, resize_s;
    uint64_t mem_per_node_mb, mem_per_cpu_mb; /* after defaults */
    struct spec *spec;
    struct blob *script, *env;
    char *partition; /* where it runs, or the list it waits for */
    char *reason_text, *user_name;
    struct alloc alloc;
    struct license_list lic; /* licences it was given; core/license.h */
    bool lic_held;           /* and has not given back */
    bool preferred;          /* its nodes are those of --prefer */
    uint32_t batch_pos;      /* where in `alloc` its script runs; --batch */
    struct array_set *array; /* NULL unless this record stands for waiting tasks of an array */
    Pb__Depend *depend;      /* plain values (their base is initialised) */
    uint32_t ndepend;
    VEC(struct step) steps; /* those that run; what has ended leaves */
    struct step_hold *held; /* what they hold of `alloc`, by position; NULL: nothing yet.  Follows from `steps` */
    Pb__StepSpec *step; /* srun: launched as step 0 at the start */
    Pb__Usage *used;    /* by its script and its steps so far as they have ended; NULL: nothing is known */

    struct job *prev, *next; /* in cluster.pending, .active or .done */

    /* not replicated */
    struct why why;
    char *planned_nodes;
    char *enc; /* the record as queries send it; NULL when it changed */
    uint32_t enc_len;
    bool snap_queued;   /* its snapshot bytes are stale */
    uint32_t launched;  /* attempt whose launch order was sent (act) */
    struct limit_counted *counted; /* core/limits.c: what it counts for */
    uint32_t order_key; /* scratch for the scheduler */
    uint32_t factored;  /* its priority by the factors of sched/priority.h, while it waits; 0: none is calculated */
    int64_t factored_s; /* when that was calculated */
};

static inline enum job_state job_base(const struct job *j)
{
    return (enum job_state)(j->state & JOB_STATE_BASE);
}
/* The priority it has now: 0 when it is held. */
static inline uint32_t job_priority(const struct job *j)
{
    return j->priority && !j->priority_fixed && j->factored ? j->factored : j->priority;
}
/* It says that it goes on where it stopped: told by its signal, it can be put back at any time. */
static inline bool job_checkpoints(const struct job *j)
{
    return j->requeue && j->spec->says_requeue && j->spec->signal && j->spec->kind == PB__JOB_KIND__KIND_BATCH && !j->het_job;
}
static inline bool job_pending(const struct job *j)
{
    return job_base(j) == JOB_PENDING;
}
static inline bool job_holds_nodes(const struct job *j)
{
    return job_base(j) == JOB_RUNNING || job_base(j) == JOB_SUSPENDED || (j->state & JOB_COMPLETING);
}
/* Suspended by an administrator: what it holds of the CPUs is free meanwhile. */
static inline bool job_lends(const struct job *j)
{
    return job_base(j) == JOB_SUSPENDED && !j->turn;
}
/* Does it want its nodes for itself? */
static inline bool job_alone(const struct job *j)
{
    return j->share == SHARE_ALONE || (j->share == SHARE_ASKED && j->spec->req.exclusive);
}
static inline bool job_ended(const struct job *j)
{
    return job_base(j) > JOB_SUSPENDED;
}

uint32_t job_shown_state(const struct job *j); /* with what follows from other fields */
const char *job_state_name(uint32_t state); /* "COMPLETING" wins over its base, as in squeue */
const char *job_state_code(uint32_t state); /* "CG" */
/* A state by name or code, case-insensitively ("PD", "pending"); -1 when there is none. */
int job_state_parse(const char *text);

void alloc_clear(struct alloc *a);
void job_free(struct job *j);

/* A part of it ended, and has used this; NULL is welcome. */
void job_use_more(struct job *j, const Pb__Usage *u);
void job_use_none(struct job *j); /* it begins anew */

/* Does it still wait for another job?  Will it for ever? */
bool job_depend_open(const struct job *j);
bool job_depend_failed(const struct job *j);

/* When it must end: start + limit + suspended time; 0 when it has no limit or does not run. */
uint32_t job_limit_in(const struct job *j, const Pb__Part *p); /* minutes, if it starts in this partition */
int64_t job_limit_s(const struct job *j);

#endif
