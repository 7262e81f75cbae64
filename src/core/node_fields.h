/*
 * node_fields - the replicated fields of a node, one row each; see job_fields.h for the kinds.
 *
 * Rows of NODE_FIELDS pair a member of struct node with a field of pb.Node, rows of NODE_HW_FIELDS with a field of
 * pb.NodeHw.  The configured description (`def`) is kept as the message that it came in.
 */
#ifndef SPUR_CORE_NODE_FIELDS_H
#define SPUR_CORE_NODE_FIELDS_H

/* clang-format off */
#define NODE_FIELDS(X) \
    X(NUMBER, uint32_t, state)         /* UNKNOWN, DOWN, IDLE or FUTURE, and flags; ALLOCATED, MIXED: from use */ \
    X(NUMBER, uint32_t, weight) \
    X(TEXT,   char *,   reason) \
    X(NUMBER, uint32_t, reason_uid) \
    X(NUMBER, int64_t,  reason_s) \
    X(TEXT,   char *,   boot_id) \
    X(NUMBER, int64_t,  boot_s) \
    X(NUMBER, int64_t,  start_s)       /* of its agent */ \
    X(NUMBER, int64_t,  busy_s)        /* when a job last left it */ \
    X(TEXT,   char *,   version) \
    X(NAME,   char *,   features_active) \
    X(TEXT,   char *,   comment) \
    X(TEXT,   char *,   extra)

/* In force: as configured, or as the node reported it. */
#define NODE_HW_FIELDS(X) \
    X(NUMBER, uint32_t, boards) \
    X(NUMBER, uint32_t, sockets) \
    X(NUMBER, uint32_t, cores)         /* per socket */ \
    X(NUMBER, uint32_t, threads) \
    X(NUMBER, uint32_t, cpus) \
    X(NUMBER, uint64_t, mem_mb) \
    X(NUMBER, uint64_t, tmp_mb) \
    X(TEXT,   char *,   arch) \
    X(TEXT,   char *,   os)

/* Fields of pb.Node that a snapshot and a reply do not both hold with the same value; see JOB_FIELD_VIEWS. */
#define NODE_FIELD_VIEWS(X) \
    X(DERIVED, state) \
    X(REPLY,   alloc_cpus) \
    X(REPLY,   alloc_mem_mb) \
    X(REPLY,   alloc_gres) \
    X(REPLY,   load_centi) \
    X(REPLY,   free_mem_mb) \
    X(REPLY,   has_load) \
    X(REPLY,   skew_ms) \
    X(REPLY,   jobs) \
    X(REPLY,   parts) \
    X(REPLY,   spec_list) \
    X(REPLY,   reservation)
/* clang-format on */

#endif
