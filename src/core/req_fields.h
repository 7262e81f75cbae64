/*
 * req_fields - what a job asks of the cluster, one row per field.
 *
 * Two jobs are equal for the scheduler only if their requests are equal in every row (req_signature).  Copy and clear
 * follow from the rows as well.  A request field that the scheduler reads is added by a row here, and by a line in
 * req_init() where it is a NUMBER.
 *
 *     SPEC      a number or a flag, as the JobSpec has it under the same name
 *     TEXT      text, as the JobSpec has it under the same name; NULL when there is none
 *     NUMBER    a number, a flag or an enum that follows from the JobSpec in another way
 *     GRES      devices, `ngres` of them
 *     LICENSES  -L
 */
#ifndef SPUR_CORE_REQ_FIELDS_H
#define SPUR_CORE_REQ_FIELDS_H

/* clang-format off */
/* Numbers are 0 when they were not requested. */
#define REQ_FIELDS(X) \
    X(NUMBER,   uint32_t, min_nodes)              /* at least 1 */ \
    X(SPEC,     uint32_t, max_nodes)              /* 0: as few as will do */ \
    X(SPEC,     uint32_t, ntasks)                 /* 0: one per node */ \
    X(NUMBER,   bool, ntasks_set) \
    X(NUMBER,   uint32_t, cpus_per_task)          /* at least 1 */ \
    X(SPEC,     uint32_t, ntasks_per_node) \
    X(SPEC,     uint32_t, ntasks_per_socket) \
    X(SPEC,     uint32_t, ntasks_per_core) \
    X(SPEC,     uint32_t, threads_per_core) \
    X(NUMBER,   uint32_t, time_min)               /* minutes: its limit may be lowered to this so that it starts */ \
    X(SPEC,     uint32_t, sockets_per_node) \
    X(SPEC,     uint32_t, cores_per_socket) \
    X(SPEC,     uint32_t, mincpus) \
    X(SPEC,     uint32_t, cpus_per_gpu) \
    X(SPEC,     uint64_t, mem_per_node_mb) \
    X(SPEC,     uint64_t, mem_per_cpu_mb) \
    X(SPEC,     uint64_t, mem_per_gpu_mb) \
    X(SPEC,     uint64_t, tmp_mb) \
    X(SPEC,     bool, mem_all) \
    X(NUMBER,   bool, exclusive) \
    X(NUMBER,   bool, exclusive_user) \
    X(SPEC,     bool, oversubscribe) \
    X(SPEC,     bool, overcommit) \
    X(SPEC,     bool, contiguous) \
    X(SPEC,     bool, spread) \
    X(SPEC,     bool, use_min_nodes) \
    X(NUMBER,   enum req_cores, core_dist) \
    X(NUMBER,   enum req_gres_bind, gres_bind) \
    X(NUMBER,   uint32_t, gives_way)              /* --signal=R:SIG@TIME: 1 + TIME in seconds */ \
    X(SPEC,     uint32_t, core_spec)              /* as in job_spec */ \
    X(NUMBER,   uint32_t, switches)               /* leaf switches at most ... */ \
    X(NUMBER,   int64_t, switch_wait_s)           /* ... for so long; -1: as the site says */ \
    X(SPEC,     uint32_t, segment)                /* nodes that stand in one block; 0: all */ \
    X(SPEC,     bool, consolidate_segments) \
    X(SPEC,     bool, spread_segments) \
    X(NUMBER,   bool, exclusive_topo) \
    X(TEXT,     char *, constraint) \
    X(TEXT,     char *, prefer) \
    X(TEXT,     char *, nodelist) \
    X(TEXT,     char *, exclude) \
    X(TEXT,     char *, reservation) \
    X(GRES,     struct req_gres *, gres) \
    X(LICENSES, struct license_list, licenses)
/* clang-format on */

#endif
