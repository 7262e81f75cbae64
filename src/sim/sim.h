/*
 * sim - pretend nodes on a pretend clock, and the real controller.
 *
 * What is real: ctl, core, sched and wire, every message and signature between them.  What is pretended: time, the
 * network, the disk, the nodes' programs and the users.  Everything that happens is drawn from one seed, so a run that
 * breaks a promise is run again with
 *
 *     sim --seed S --nodes N --jobs J -v
 *
 * and tells its story line by line.  The faults: controllers crash at any point (the turn under way is lost or kept),
 * lead in turns, commit slowly and have clocks that step; nodes crash, reboot, lose their connection with whatever was
 * on its way, hear orders twice and late.  A connection keeps its order and loses nothing but its end, as TCP does.
 *
 * The promises, looked at all the time:
 *     an acknowledged job exists, once, until it is purged
 *     an order is followed once; a run whose end was acknowledged is not ordered again
 *     no node is given away twice: CPUs, cores, memory, devices; nor a job's share of it to two of its steps
 *     a job whose end a node has reported does not stay RUNNING
 *     every controller that followed the same log holds the same bytes, from any snapshot on
 *     no start breaks a reservation, and nobody has a licence that is not there or kept for others
 *     what is held under a limit never grows above it
 *     only who can is asked to make room, once; only who may be is preempted
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

#define SIM_EPOCH_S 1800000000   /* when every simulation begins */

/* Limits, licences and reservations, made and changed all the time; who has to go: by QOS, or who can (SpurPolicy=short). */
enum sim_rules { RULES_NONE, RULES_QOS, RULES_SHORT };

struct sim_conf {
    enum sim_rules rules;
    uint32_t sets; /* of a hundred submissions, so many are heterogeneous; some jobs change their size, too */
    uint64_t seed;
    uint32_t nodes, jobs, controllers;
    uint32_t steps;              /* that users run inside jobs */
    bool faults;
    bool turns;                  /* jobs share cores and take turns */
    FILE *story;                 /* NULL: not told */
};

struct sim_stats {
    uint64_t happenings, entries, events, runs, crashes, failovers, node_faults, retries, jobs_acked, refused, steps;
    uint64_t reserved, licensed, limited, preempted, yields; /* starts in reservations, with licences; limits that were reached */
    int64_t end_ms;              /* how long it took on the pretend clock */
};

struct sim_snap {                /* the state after the first `entries` of the log */
    size_t entries;
    struct buf bytes;
};

struct sim_log {                 /* what the pretend ledger has */
    VEC(struct buf) entries;
    VEC(struct sim_snap) snaps;
};

struct sim;

struct sim *sim_new(const struct sim_conf *conf);
void sim_free(struct sim *s);

/* Until the queue is empty: 0, or the first promise that was broken. */
int sim_run(struct sim *s, struct err *err);

const struct sim_stats *sim_stats(const struct sim *s);
const struct sim_log *sim_log(const struct sim *s);

/* The cluster as a site's file would describe it; `other`: another site's, with other nodes, partitions and limits. */
enum sim_place { SIM_HERE, SIM_ELSEWHERE, SIM_TURNS, SIM_RULES, SIM_SHORT }; /* TURNS: jobs share cores and take turns */
struct site *sim_site(uint32_t nodes, enum sim_place place);
extern struct accounts sim_accounts; /* the users of a simulation */

/* The state after the whole log, read from snapshot `from` (SIZE_MAX: from nothing) under the given configuration. */
int sim_replay(const struct sim_log *log, size_t from, struct site *site, struct buf *out, struct err *err);

/* A log in a file, and back. */
int sim_log_save(const struct sim_log *log, const char *path, struct err *err);
int sim_log_load(struct sim_log *log, const char *path, struct err *err);
void sim_log_clear(struct sim_log *log);

#endif
