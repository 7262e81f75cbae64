/*
 * sim - simulated nodes on a simulated clock, and the real controller.
 *
 * Real: ctl, core, sched and wire, every message and signature between them.  Simulated: time, the network, the disk,
 * the programs on the nodes, and the users.  Everything that happens is drawn from one seed, so a run that breaks a
 * guarantee is repeated by
 *
 *     sim --seed S --nodes N --jobs J -v
 *
 * which prints its story line by line.  The faults: controllers crash at any point (the turn in progress is lost or
 * kept), lose leadership and commit slowly; nodes crash, reboot, lose their connection with all messages on their way,
 * and get orders twice and late; the wall clocks of both step by hours.  As with TCP, a connection keeps the order of
 * its messages and loses only the last ones.
 *
 * The guarantees, checked all the time:
 *     an acknowledged job exists, once, until it is purged
 *     an order is executed once; a run whose end was acknowledged is not ordered again
 *     nothing is allocated twice: CPUs, cores, memory and devices of a node, nor of a job to two of its steps
 *     a job whose end a node has reported does not stay RUNNING
 *     every controller that applied the same log has the same bytes, from any snapshot on
 *     no start breaks a reservation, and no job has a licence that does not exist or is reserved
 *     what is held under a limit never grows above it
 *     only jobs that can yield are asked to, once; only jobs that may be preempted are
 *     a time limit ends a job within a fifth of its time, whatever the wall clocks do
 *     with SpurFencing=confirm and lease no two attempts of a job run at the same time
 *     no node is given up that was well, however long a leader was silent
 *     in the end the queue is empty
 */
#ifndef SPUR_SIM_SIM_H
#define SPUR_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "ctl/ctl.h"

#define SIM_EPOCH_S 1800000000 /* the time at which every simulation begins */

/* Limits, licences and reservations, created and changed all the time; preemption by QOS, or yields (SpurPolicy=short).
 */
enum sim_rules { RULES_NONE, RULES_QOS, RULES_SHORT };

struct sim_conf {
    enum sim_rules rules;
    uint32_t sets; /* of a hundred submissions, this many are heterogeneous jobs; some jobs are resized, too */
    uint64_t seed;
    uint32_t nodes, jobs, controllers;
    uint32_t steps; /* steps that users run inside jobs */
    bool faults;
    uint32_t fault_count; /* 0: as many as fit to the nodes */
    bool confirm, lease;  /* SpurFencing: no job runs twice at the same time */
    bool turns;  /* jobs oversubscribe cores and run in time slices */
    FILE *story; /* NULL: no story */
};

struct sim_stats {
    uint64_t happenings, entries, events, runs, crashes, failovers, node_faults, retries, jobs_acked, refused, steps;
    uint64_t faults, twice; /* all faults; starts of a job that still ran elsewhere */
    uint64_t reserved, licensed, limited, preempted,
        yields;     /* starts in reservations, with licences; limits that were reached */
    int64_t end_ms; /* end of the simulated time */
};

struct sim_snap { /* the state after the first `entries` of the log */
    size_t entries;
    struct buf bytes;
};

struct sim_log { /* the contents of the simulated ledger */
    VEC(struct buf) entries;
    VEC(struct sim_snap) snaps;
};

struct sim;

struct sim *sim_new(const struct sim_conf *conf);
void sim_free(struct sim *s);

/* Run until the queue is empty: 0, or the first guarantee that was broken. */
int sim_run(struct sim *s, struct err *err);

const struct sim_stats *sim_stats(const struct sim *s);
const struct sim_log *sim_log(const struct sim *s);

/* The cluster as a slurm.conf would describe it; `other`: of another site, with other nodes, partitions and limits. */
enum sim_place {
    SIM_HERE,
    SIM_ELSEWHERE,
    SIM_TURNS,
    SIM_RULES,
    SIM_SHORT,
    SIM_CONFIRM,
    SIM_LEASE
}; /* TURNS: jobs oversubscribe cores and run in time slices */
struct site *sim_site(uint32_t nodes, enum sim_place place);
extern struct accounts sim_accounts; /* the users of a simulation */

/* The state after the whole log, from snapshot `from` (SIZE_MAX: from the beginning), under the given configuration. */
int sim_replay(const struct sim_log *log, size_t from, struct site *site, struct buf *out, struct err *err);

/* A log in a file, and back. */
int sim_log_save(const struct sim_log *log, const char *path, struct err *err);
int sim_log_load(struct sim_log *log, const char *path, struct err *err);
void sim_log_clear(struct sim_log *log);

#endif
