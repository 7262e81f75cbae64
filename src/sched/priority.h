/*
 * priority - the priority of a pending job: Slurm's priority/multifactor as a pure function.
 *
 * A priority is the site factor, plus each factor times its weight, minus the job's nice value; at least 1, because 0
 * means held.  Factors are between 0 and 1 unless a NO_NORMAL flag says otherwise.  The same cluster, job and time give
 * the same number.
 *
 * Factors from accounting (fair share, associations, QOS) are passed in: see struct priority_given.
 */
#ifndef SPUR_SCHED_PRIORITY_H
#define SPUR_SCHED_PRIORITY_H

#include "core/cluster.h"

#define PRIORITY_TRES_MAX 16
#define PRIORITY_TOP 4294901760u /* priority/basic: of the first job; each later one has one less */

enum priority_flag { /* PriorityFlags */
                     PRIO_ACCRUE_ALWAYS = 1,
                     PRIO_SMALL_TO_TIME = 2,
                     PRIO_RUNNING = 4,
                     PRIO_DEPTH_OBLIVIOUS = 8,
                     PRIO_NO_FAIR_TREE = 16,
                     PRIO_INCR_ONLY = 32,
                     PRIO_RAW_ASSOC = 64,
                     PRIO_RAW_PART = 128,
                     PRIO_RAW_QOS = 256,
                     PRIO_RAW_TRES = 512,
};

enum priority_kind { PRIO_AGE, PRIO_ASSOC, PRIO_FAIRSHARE, PRIO_SIZE, PRIO_PART, PRIO_QOS, PRIO_KINDS };

struct priority_tres {
    char name[64]; /* "cpu", "gres/gpu" */
    double weight; /* may be negative */
};

struct priority_conf {
    bool basic; /* priority/basic: first come, first served */
    uint32_t flags;
    uint32_t weight[PRIO_KINDS];
    struct priority_tres tres[PRIORITY_TRES_MAX];
    uint32_t ntres;
    uint32_t max_age_s;
    bool favor_small;
};

/* Factors from accounting; all 0 without it.  Already normalised, or raw where the flags say so. */
struct priority_given {
    double fairshare, assoc, qos;
};

struct priority_parts {
    double factor[PRIO_KINDS];
    double tres[PRIORITY_TRES_MAX];
    int64_t site, nice;
};

/* The totals that factors are fractions of; they change with nodes and partitions, not with jobs. */
struct priority_whole {
    uint32_t nodes, cpus;
    uint32_t top_part; /* the highest PriorityJobFactor */
};
void priority_whole(const struct cluster *c, struct priority_whole *out);

/* PriorityFlags as flags; "NO_NORMAL_ALL" sets all NO_NORMAL flags, DEPTH_OBLIVIOUS implies NO_FAIR_TREE. */
uint32_t priority_flags(const char *text);
/* How TRESBillingWeights are combined. */
Pb__Billing priority_billing(const char *text);
/* "CPU=1000,Mem=-20,GRES/gpu=3000" -> conf; EINVAL names what is wrong. */
int priority_tres_parse(struct priority_conf *conf, const char *text, struct err *err);

/* The factors of `j` on partition `p` at `now_s`. */
void priority_parts(const struct priority_conf *conf, const struct cluster *c, const struct priority_whole *w,
                    const struct job *j, const struct part *p, const struct priority_given *given, int64_t now_s,
                    struct priority_parts *out);
double priority_weighted(const struct priority_conf *conf, const struct priority_parts *f, enum priority_kind k);
uint32_t priority_sum(const struct priority_conf *conf, const struct priority_parts *f);

/* The highest over its partitions. */
uint32_t priority_of(const struct priority_conf *conf, const struct cluster *c, const struct priority_whole *w,
                     const struct job *j, const struct priority_given *given, int64_t now_s);

/* The priority without any factor: nice and site factor only, or what an administrator set. */
uint32_t priority_plain(const struct job *j);

/* Does its age count: may it start, as far as holds, dependencies and begin times go? */
bool priority_ages(const struct job *j, int64_t now_s);

/* Can priorities change without an event? */
bool priority_moves(const struct priority_conf *conf);

#endif
