/*
 * job_fields - the replicated fields of a job, one row each.
 *
 * A row declares the member of struct job and pairs it with the field of pb.Job that has the same name.  Snapshot,
 * restore, reply, copy and free follow from the row (core/job_record.c).  A replicated field is added by a line in
 * proto/record.proto and a row here; tests/unit/core/fields.c fails for a field of pb.Job that has no row.
 *
 * The kinds, each a set of macros in core/job_record.c:
 *     NUMBER    a number, a flag or an enum, copied as it is
 *     NAME      text that many jobs have in common (core/name.h), "" when there is none
 *     TEXT      text of its own, NULL when there is none
 *     SPEC      the shared job_spec, by the number of its blob (spec_blob)
 *     BLOB      shared bytes, by number (NAME_blob)
 *     TASK      array_task, with has_task for TASK_NONE
 *     ARRAY     the waiting tasks of an array (array_pending, array_max_running, array_total)
 *     ALLOC, LICENSES, DEPENDS, STEPS, STEP_SPEC, USAGE    lists and messages of their own
 */
#ifndef SPUR_CORE_JOB_FIELDS_H
#define SPUR_CORE_JOB_FIELDS_H

/* clang-format off */
#define JOB_FIELDS(X) \
    X(NUMBER,    uint32_t, id) \
    X(NUMBER,    uint32_t, array_job)          /* 0 unless it is part of an array */ \
    X(TASK,      uint32_t, array_task)         /* TASK_NONE unless it is one task of an array */ \
    X(NUMBER,    uint32_t, uid) \
    X(NUMBER,    uint32_t, gid) \
    X(NUMBER,    uint32_t, state)              /* enum job_state | flags */ \
    X(NUMBER,    uint32_t, priority)           /* without factors, or as it was when the job started; 0: held */ \
    X(NUMBER,    uint32_t, time_limit_min) \
    X(NUMBER,    uint32_t, attempt)            /* grows with each start; stale reports carry an old one */ \
    X(NUMBER,    uint32_t, restarts) \
    X(NUMBER,    uint32_t, exit_code)          /* a wait status */ \
    X(NUMBER,    uint32_t, derived_code)       /* the worst wait status of its steps */ \
    X(NUMBER,    uint32_t, next_step) \
    X(NUMBER,    uint32_t, end_signal) \
    X(NUMBER,    uint32_t, reason)             /* why_code kept with the job: how it ended, or why it is held */ \
    X(NUMBER,    uint32_t, het_job)            /* first component of its heterogeneous job; 0: it is none */ \
    X(NUMBER,    uint32_t, het_offset)         /* which component it is */ \
    X(NUMBER,    uint32_t, het_size) \
    X(NUMBER,    uint32_t, cancel_uid) \
    X(NUMBER,    uint32_t, resv)               /* number of the reservation it runs in; 0: none */ \
    X(NUMBER,    uint32_t, batch_pos)          /* where in `alloc` its script runs: --batch */ \
    X(NUMBER,    Pb__JobHold, hold) \
    X(NUMBER,    Pb__JobOversub, oversub)      /* how it holds its nodes, from its start on */ \
    X(NUMBER,    bool, user_exclusive)         /* its nodes are for jobs of its user alone */ \
    X(NUMBER,    bool, gang)                   /* suspended by gang scheduling: it keeps its cores */ \
    X(NUMBER,    bool, unlaunched)             /* with gang: no time slice yet, so nothing of it was launched */ \
    X(NUMBER,    bool, has_cancel_uid) \
    X(NUMBER,    bool, limit_set)              /* its time limit was requested, not the partition's default */ \
    X(NUMBER,    bool, requeue) \
    X(NUMBER,    bool, warned)                 /* --signal was sent */ \
    X(NUMBER,    bool, priority_fixed)         /* set by an administrator, not calculated from factors */ \
    X(NUMBER,    bool, preferred)              /* its nodes are those of --prefer */ \
    X(NUMBER,    int64_t, submit_s) \
    X(NUMBER,    int64_t, eligible_s) \
    X(NUMBER,    int64_t, accrue_s)            /* its age counts from here; 0: from eligible_s; or ACCRUE_NEVER */ \
    X(NUMBER,    int64_t, start_s) \
    X(NUMBER,    int64_t, end_s) \
    X(NUMBER,    int64_t, suspend_s)           /* when it was suspended last */ \
    X(NUMBER,    int64_t, suspended_total_s) \
    X(NUMBER,    int64_t, preempt_s)           /* when it was preempted */ \
    X(NUMBER,    int64_t, preemptable_s)       /* it may be preempted from then on; 0: no preemption */ \
    X(NUMBER,    int64_t, yield_s)             /* it was asked to yield and returns to the queue then */ \
    X(NUMBER,    int64_t, ran_s)               /* run time of earlier attempts, where it resumes from a checkpoint */ \
    X(NUMBER,    int64_t, resize_s)            /* when its allocation last changed */ \
    X(NUMBER,    uint64_t, mem_per_node_mb)    /* after defaults */ \
    X(NUMBER,    uint64_t, mem_per_cpu_mb) \
    X(SPEC,      struct spec *, spec) \
    X(BLOB,      struct blob *, script) \
    X(BLOB,      struct blob *, env) \
    X(NAME,      char *, partition)            /* where it runs, or the list that it waits for */ \
    X(NAME,      char *, user_name) \
    X(TEXT,      char *, reason_text) \
    X(TEXT,      char *, resv_name)            /* of `resv`, which may be gone */ \
    X(ALLOC,     struct alloc, alloc) \
    X(LICENSES,  struct license_list, licenses) /* as they were given to it; core/license.h */ \
    X(ARRAY,     struct array_set *, array)    /* NULL unless the record stands for waiting tasks of an array */ \
    X(DEPENDS,   struct depend_set, depend) \
    X(STEPS,     struct step_list, steps)      /* steps that run */ \
    X(STEP_SPEC, Pb__StepSpec *, step)         /* srun: launched as step 0 at the start */ \
    X(USAGE,     Pb__Usage *, usage)           /* of its script and its ended steps; NULL: unknown */

/*
 * Fields of pb.Job that a snapshot and a reply do not both hold, or not with the same value:
 *     REPLY      made for replies
 *     STATE      kept in snapshots, never sent
 *     DERIVED    kept in snapshots; replies hold a value that follows from it
 */
#define JOB_FIELD_VIEWS(X) \
    X(STATE,   spec_blob) \
    X(STATE,   script_blob) \
    X(STATE,   env_blob) \
    X(STATE,   step) \
    X(STATE,   array_pending) \
    X(DERIVED, state) \
    X(DERIVED, reason) \
    X(DERIVED, priority) \
    X(DERIVED, eligible_s) \
    X(DERIVED, alloc)              /* with names */ \
    X(DERIVED, steps)              /* without secrets */ \
    X(REPLY,   spec) \
    X(REPLY,   spec_ref) \
    X(REPLY,   array_text) \
    X(REPLY,   nodes) \
    X(REPLY,   num_nodes) \
    X(REPLY,   num_cpus) \
    X(REPLY,   num_tasks) \
    X(REPLY,   depend_text) \
    X(REPLY,   planned_start_s) \
    X(REPLY,   planned_nodes) \
    X(REPLY,   tres_req) \
    X(REPLY,   tres_alloc) \
    X(REPLY,   batch_host) \
    X(REPLY,   part_oversub) \
    X(REPLY,   part_user_exclusive) \
    X(REPLY,   lost_nodes)

/* The same of the messages in its lists: names in replies, and what launch orders add. */
#define NODE_ALLOC_FIELD_VIEWS(X) \
    X(REPLY,   name) \
    X(REPLY,   count) \
    X(REPLY,   node_cpus) \
    X(REPLY,   threads) \
    X(REPLY,   sockets) \
    X(REPLY,   cores_per_socket)
#define GRES_FIELD_VIEWS(X) \
    X(REPLY,   name) \
    X(REPLY,   type)
#define LICENSE_FIELD_VIEWS(X) \
    X(REPLY,   used) \
    X(REPLY,   reserved)
/* clang-format on */

#endif
