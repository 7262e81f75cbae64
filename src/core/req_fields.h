/*
 * req_fields - what a job asks of the cluster, one row per field.
 *
 * Two jobs are equal for the scheduler only if their requests are equal in every row (req_signature).  Copy and clear
 * follow from the rows as well.  A request field that the scheduler reads is added by a row here and its line in
 * req_init().
 *
 *     NUMBER    a number, a flag or an enum
 *     TEXT      text as written; NULL when there is none
 *     GRES      devices, `ngres` of them
 *     LICENSES  -L
 */
#ifndef SPUR_CORE_REQ_FIELDS_H
#define SPUR_CORE_REQ_FIELDS_H

/* clang-format off */
/* Numbers are 0 when they were not requested. */
#define REQ_FIELDS(X) \
    X(NUMBER,   uint32_t, min_nodes)              /* at least 1 */ \
    X(NUMBER,   uint32_t, max_nodes)              /* 0: as few as will do */ \
    X(NUMBER,   uint32_t, ntasks)                 /* 0: one per node */ \
    X(NUMBER,   bool, ntasks_set) \
    X(NUMBER,   uint32_t, cpus_per_task)          /* at least 1 */ \
    X(NUMBER,   uint32_t, ntasks_per_node) \
    X(NUMBER,   uint32_t, ntasks_per_socket) \
    X(NUMBER,   uint32_t, ntasks_per_core) \
    X(NUMBER,   uint32_t, threads_per_core) \
    X(NUMBER,   uint32_t, time_min)               /* minutes: its limit may be lowered to this so that it starts */ \
    X(NUMBER,   uint32_t, sockets_per_node) \
    X(NUMBER,   uint32_t, cores_per_socket) \
    X(NUMBER,   uint32_t, mincpus) \
    X(NUMBER,   uint32_t, cpus_per_gpu) \
    X(NUMBER,   uint64_t, mem_per_node_mb) \
    X(NUMBER,   uint64_t, mem_per_cpu_mb) \
    X(NUMBER,   uint64_t, mem_per_gpu_mb) \
    X(NUMBER,   uint64_t, tmp_mb) \
    X(NUMBER,   bool, mem_all) \
    X(NUMBER,   bool, exclusive) \
    X(NUMBER,   bool, exclusive_user) \
    X(NUMBER,   bool, oversubscribe) \
    X(NUMBER,   bool, overcommit) \
    X(NUMBER,   bool, contiguous) \
    X(NUMBER,   bool, spread) \
    X(NUMBER,   bool, use_min_nodes) \
    X(NUMBER,   enum req_cores, core_dist) \
    X(NUMBER,   enum req_gres_bind, gres_bind) \
    X(NUMBER,   uint32_t, gives_way)              /* --signal=R:SIG@TIME: 1 + TIME in seconds */ \
    X(NUMBER,   uint32_t, core_spec)              /* as in job_spec */ \
    X(NUMBER,   uint32_t, switches)               /* leaf switches at most ... */ \
    X(NUMBER,   int64_t, switch_wait_s)           /* ... for so long; -1: as the site says */ \
    X(NUMBER,   uint32_t, segment)                /* nodes that stand in one block; 0: all */ \
    X(NUMBER,   bool, consolidate_segments) \
    X(NUMBER,   bool, spread_segments) \
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
