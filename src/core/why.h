/*
 * why - the reasons a job waits or ended, as a value.
 *
 * `squeue`'s reason column, scontrol, REST and `spur why` all quote it.  The names
 * are Slurm's, because scripts grep for them.
 */
#ifndef SPUR_CORE_WHY_H
#define SPUR_CORE_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/why_limits.h"

/* clang-format off */
#define WHY_CODES(X) \
    X(WHY_NONE,                 "None") \
    X(WHY_PRIORITY,             "Priority") \
    X(WHY_DEPENDENCY,           "Dependency") \
    X(WHY_RESOURCES,            "Resources") \
    X(WHY_PART_NODE_LIMIT,      "PartitionNodeLimit") \
    X(WHY_PART_TIME_LIMIT,      "PartitionTimeLimit") \
    X(WHY_PART_DOWN,            "PartitionDown") \
    X(WHY_PART_INACTIVE,        "PartitionInactive") \
    X(WHY_HELD_ADMIN,           "JobHeldAdmin") \
    X(WHY_HELD_USER,            "JobHeldUser") \
    X(WHY_BEGIN_TIME,           "BeginTime") \
    X(WHY_LICENSES,             "Licenses") \
    X(WHY_NODE_DOWN,            "NodeDown") \
    X(WHY_NODE_NOT_AVAIL,       "ReqNodeNotAvail") \
    X(WHY_NONZERO_EXIT,         "NonZeroExitCode") \
    X(WHY_RAISED_SIGNAL,        "RaisedSignal") \
    X(WHY_TIME_LIMIT,           "TimeLimit") \
    X(WHY_ARRAY_LIMIT,          "JobArrayTaskLimit") \
    X(WHY_DEPEND_NEVER,         "DependencyNeverSatisfied") \
    X(WHY_DEADLINE,             "DeadLine") \
    X(WHY_BAD_CONSTRAINTS,      "BadConstraints") \
    X(WHY_CLEANING,             "Cleaning") \
    X(WHY_REQUEUE_LIMIT,        "JobHoldMaxRequeue") \
    X(WHY_LAUNCH_FAILED_HELD,   "launch failed requeued held") \
    X(WHY_LAUNCH_FAILED,        "JobLaunchFailure") \
    X(WHY_SYSTEM,               "SystemFailure") \
    X(WHY_RESERVATION,          "Reservation") \
    X(WHY_MAX_RUNNING,          "AssocMaxJobsLimit") \
    X(WHY_OUT_OF_MEMORY,        "OutOfMemory") \
    X(WHY_PART_CONFIG,          "PartitionConfig") \
    X(WHY_NODE_FAIL,            "NodeFail") \
    X(WHY_NODE_RESERVED,        "ReqNodeNotAvail, May be reserved for other job") \
    X(WHY_NODES_RESERVED, \
      "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions") \
    X(WHY_RESV_DELETED,         "ReservationDeleted") \
    X(WHY_TOPO_NO_FIT,          "No suitable topology unit found") \
    X(WHY_TOPO_SEGMENT,         "No suitable topology unit found for segment") \
    X(WHY_RESV_MAINT,           "ReqNodeNotAvail, Reserved for maintenance")
/* clang-format on */

enum why_code {
#define X(code, name) code,
    WHY_CODES(X)
#undef X
        WHY_COUNT,
    WHY_LIMIT_FIRST = 1000, /* codes are in the log: both lists only grow at their ends */
#define X(code, name) code,
    WHY_LIMIT_CODES(X)
#undef X
        WHY_LIMIT_END
};

const char *why_name(enum why_code code);

/* There is room, and not where the network wants it. */
static inline bool why_is_topo(enum why_code code)
{
    return code == WHY_TOPO_NO_FIT || code == WHY_TOPO_SEGMENT;
}

/* Not part of the replicated state: a new leader makes it again. */
struct why {
    enum why_code code;
    int64_t planned_s; /* predicted start, 0 when unknown */
};

#endif
