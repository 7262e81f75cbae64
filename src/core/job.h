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
#include "core/job_fields.h"
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

/* The names of the proto, shorter. */
#define HOLD_NONE PB__JOB_HOLD__HOLD_NONE
#define HOLD_USER PB__JOB_HOLD__HOLD_USER
#define HOLD_ADMIN PB__JOB_HOLD__HOLD_ADMIN
#define OVERSUB_REQUESTED PB__JOB_OVERSUB__OVERSUB_REQUESTED
#define OVERSUB_NO PB__JOB_OVERSUB__OVERSUB_NO
#define OVERSUB_EXCLUSIVE PB__JOB_OVERSUB__OVERSUB_EXCLUSIVE
#define OVERSUB_CPUS PB__JOB_OVERSUB__OVERSUB_CPUS

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
    Pb__JobKind kind;
    Pb__Choice kill_invalid_dep;
    uint32_t array_count, array_min, array_max, array_step; /* as submitted; 0 when it is no array */
};

struct gres_alloc {
    uint32_t slot; /* index in the node's gres table */
    uint64_t count;
    struct bitmap index; /* devices, where the node knows them one by one */
};

struct node_alloc {
    uint32_t node; /* index in cluster.node */
    uint32_t cpus, tasks;
    uint64_t mem_mb;
    struct bitmap cores;
    struct gres_alloc *gres;
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

struct step_list {
    struct step *at;
    size_t n, cap;
};

struct depend_set {
    Pb__Depend *at; /* plain values: their base is initialised */
    uint32_t n;
};

struct job {
#define X(kind, type, name) type name;
    JOB_FIELDS(X)
#undef X

    /* follows from the fields above */
    struct step_hold *held; /* what the steps hold of `alloc`, by position; NULL: nothing yet */
    struct job *prev, *next; /* in cluster.pending, .active or .done */

    /* not replicated */
    struct why why;
    char *planned_nodes;
    struct job_enc *enc; /* the record as queries send it; NULL when it changed */
    struct limit_counted *counted; /* core/limits.c: what it counts for */
    int64_t factored_s; /* when `factored` was calculated */
    uint32_t factored;  /* its priority by the factors of sched/priority.h, while it waits; 0: none is calculated */
    uint32_t order_key; /* scratch for the scheduler */
    uint32_t launched;  /* attempt whose launch order was sent (act) */
    bool snap_queued;   /* its snapshot bytes are stale */
    bool fold_queued;   /* its accounting row is to be made (history/fold.c) */
    bool licenses_held; /* follows from the replicated fields; here it takes no room */
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
    return j->requeue && j->spec->says_requeue && j->spec->signal && j->spec->kind == PB__JOB_KIND__KIND_BATCH &&
           !j->het_job;
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
    return job_base(j) == JOB_SUSPENDED && !j->gang;
}
/* Does it want its nodes for itself? */
static inline bool job_alone(const struct job *j)
{
    return j->oversub == OVERSUB_EXCLUSIVE || (j->oversub == OVERSUB_REQUESTED && j->spec->req.exclusive);
}
static inline bool job_ended(const struct job *j)
{
    return job_base(j) > JOB_SUSPENDED;
}

uint32_t job_shown_state(const struct job *j); /* with what follows from other fields */
const char *job_state_name(uint32_t state); /* "COMPLETING" wins over its base, as in squeue */
const char *job_state_code(uint32_t state); /* "CG" */

void alloc_clear(struct alloc *a);
void job_free(struct job *j);

void job_set_depend(struct job *j, Pb__Depend *const *from, size_t n);
struct array_set *array_set_new(const ProtobufCBinaryData *pending, uint32_t max_running);
void array_set_free(struct array_set *a); /* NULL is welcome */

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
