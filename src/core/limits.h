/*
 * limits - QOS and associations of the state, what their jobs hold now, and which job may have more.
 *
 * An association is an account, or a user in an account (perhaps for one partition alone).  Limits of a group hold at
 * an association and at all accounts above it; a limit of one user or one job is its own, or that of the nearest
 * account above that has one.  Of the two QOS of a job (its partition's, its own) the partition's word counts where
 * both have one, unless the job's says OverPartQOS.
 *
 * What is held is counted as jobs come, start and end (limits_count), never stored: it follows from the jobs.
 */
#ifndef SPUR_CORE_LIMITS_H
#define SPUR_CORE_LIMITS_H

#include "base/buf.h"
#include "base/map.h"
#include "core/acct.h"
#include "core/job.h"
#include "text/limits.h"
#include "text/assoc_file.h"
#include "text/tres.h"

struct cluster;
struct part;

struct qos {
    Pb__Qos *pb; /* owned; pb->name is the key */
    struct limit_list limits;
    struct tres_list whole; /* QOS flag Relative: what its limits are percents of; not replicated, see limits_stale() */
};

struct assoc {
    Pb__Assoc *pb; /* owned; pb->id is the key */
    struct limit_list limits;
    struct assoc *parent; /* NULL at the top */
    char *key;            /* account/user's number/partition */
    double fair;          /* its fair share as it was worked out last, ... */
    bool fair_known;      /* ... if it was; not replicated */
    bool snap_queued;     /* its snapshot bytes are stale */
};

/* ---- what is held ---- */
struct limit_use { /* by all of an association, all of a QOS, or one user or account in it */
    uint32_t jobs, submitted, accruing;
    struct tres_list tres, mins; /* mins: TRES-minutes that starts not yet applied may use */
    /* TRES-seconds of running jobs, by limits.minute_tres: what they may still use, and used since the last account */
    double *ahead, *past, wall;
    uint64_t walk; /* in which walk over the jobs these were found */
};

struct limit_usage {
    struct map uses; /* by use_key() of limits_priv.h */
};

void limit_usage_clear(struct limit_usage *b);

struct limits {
    struct smap qos;      /* by name */
    struct map assoc;     /* by number */
    struct smap by_key;   /* associations by account, user and partition */
    struct map defaults;  /* by user's number and one: the association of the default account */
    struct acct acct;
    struct limit_usage usage;
    struct strs minute_tres; /* TRES that limits on minutes name */
    bool accrues;            /* some limit says how many may grow older */
    bool spends;             /* some limit on minutes can be used up */
    bool whole_stale;        /* see limits_stale() */
    bool least_prio;         /* a limit restricts which jobs have planned starts */
    bool relative, threshold; /* some QOS has percents; asks for a fair share */
    uint32_t next_qos, next_assoc;
    uint64_t serial; /* grows with each change of associations, QOS or limits; not replicated */
    uint64_t changes, walked; /* of what is held; so many when minutes were counted, */
    uint64_t walk;            /* the last time, */
    int64_t walked_s;         /* which was then */
};

#define ASSOC_DEPTH 16

struct holders {             /* whose limits a job is under */
    const struct qos *qos[2]; /* the first one's word counts */
    uint32_t nqos;
    const struct assoc *assoc[ASSOC_DEPTH]; /* its own, then those above */
    uint32_t nassoc;
    uint32_t uid;
    uint32_t account;     /* a number for the account: of its association, where it has one */
    const struct qos *own; /* the job's own QOS; NULL: none */
};

/* Is there anything to ask about?  Everything below may be called anyway. */
bool limits_any(const struct cluster *c);
const struct qos *limits_qos(const struct cluster *c, const char *name);
/* The association of a user in an account (NULL: the default one), for the partition or for any. */
const struct assoc *limits_assoc(const struct cluster *c, uint32_t uid, const char *account, const char *partition);
void limits_holders(const struct cluster *c, const struct job *j, const struct part *p, struct holders *out);

/* What a job would hold, or holds, by its allocation; billing by the partition's weights. */
void limits_tres(const struct cluster *c, const struct part *p, const struct alloc *a, struct tres_list *out);
/* Billing units of what is held: limits count them, and they are what a second costs. */
uint64_t limits_billing(const struct cluster *c, const struct part *p, const struct tres_list *tres);
/* "CPU=1.0,Mem=0.25G,GRES/gpu=2" and what is held -> what it costs a second; without weights, its CPUs. */
double limits_rate(const char *weights, const struct tres_list *tres, Pb__Billing how);
/* The most of it on one node. */
void limits_node_tres(const struct cluster *c, const struct alloc *a, struct tres_list *out);

/* A start that is decided and not yet applied: counted in a usage of the scheduler's own; or taken back. */
void limit_usage_start(struct limit_usage *b, const struct holders *h, const struct tres_list *tres,
                       uint32_t limit_min);
void limit_usage_unstart(struct limit_usage *b, const struct holders *h, const struct tres_list *tres,
                         uint32_t limit_min);
/* One that is about to be submitted, beside others that are. */
void limit_usage_submit(struct limit_usage *b, const struct holders *h);

/*
 * May it start with this much, beside what is held and what `more` says is about to be?  WHY_NONE, or the limit.
 * `tres` NULL: only what does not depend on the nodes it gets.
 */
struct limit_ask {
    const struct tres_list *tres, *node_tres;
    uint32_t limit_min;
    int64_t now_s;
    bool least; /* tres is the least it will get, wherever it starts: what needs more than that is not looked at */
    bool safe; /* AccountingStorageEnforce=safe: all of its time has to be left of minutes that are limited */
};
enum why_code limits_block(const struct cluster *c, const struct limit_usage *more, const struct holders *h,
                           const struct limit_ask *ask);
/* Has what runs used up the minutes that there are?  `since_s`: it runs since then.  WHY_NONE, or the limit. */
enum why_code limits_spent(const struct cluster *c, const struct holders *h, const struct tres_list *tres,
                           int64_t since_s, int64_t now_s);
/* May one more grow older while it waits? */
bool limits_may_accrue(const struct cluster *c, const struct holders *h);
/* Jobs that start together and ask for this much: could they, were they alone? */
bool limits_together(const struct cluster *c, const struct holders *h, const struct tres_list *tres);
/* A job alone that asks for this much: could it ever run?  WHY_NONE, or the limit. */
enum why_code limits_never(const struct cluster *c, const struct holders *h, const struct limit_ask *ask);
/* May `n` more be submitted?  Checked beside what waits and runs, and what `more` (NULL: nothing) says is about to
 * come. */
enum why_code limits_submit(const struct cluster *c, const struct limit_usage *more, const struct holders *h,
                            uint32_t n);
/* The longest a job may run: minutes, INFINITE_MIN when no limit is set. */
uint32_t limits_wall_min(const struct holders *h);

/* The reason by its kind; WHY_LIMIT_UNKNOWN where Slurm has no name for it. */
enum why_code limits_why(bool qos, enum limit_what what, enum limit_scope scope, const char *tres);

/* The limit behind a reason, in words with numbers: "QOS few allows a user cpu=2, and 2 are held"; yours, NULL when
 * none is. */
char *limits_tell(const struct cluster *c, const struct holders *h, const struct limit_ask *ask, enum why_code code);

/* What all of an association hold now; NULL: nothing. */
const struct limit_use *limits_held(const struct cluster *c, const struct assoc *a);
const struct limit_use *limits_held_qos(const struct cluster *c, const struct qos *q);

/* The same limit of the nearest holder that has one, for display; LIMIT_NONE. */
uint64_t limits_of(const struct holders *h, enum limit_what what, enum limit_scope scope, const char *tres);

/* QOS with percents: of all nodes, or of the partition whose QOS it is.  Found out when it is asked for, after... */
void limits_stale(struct cluster *c); /* ... nodes or partitions changed */
bool limits_of_part(const struct cluster *c, const struct qos *q); /* is it some partition's QOS? */

/* ---- for core itself ---- */
void limits_index(struct limits *l); /* after a change: which kinds of limits there are */
/* The job changed: what it counts for is counted anew.  Costs nothing where there are no limits. */
void limits_count(struct cluster *c, struct job *j);
void limits_recount(struct cluster *c); /* all of them */
void limits_uncount(struct cluster *c, struct job *j); /* it goes */
void limits_forget(struct job *j); /* it is freed, and with it everything */
void limits_clear(struct cluster *c);
void limits_encode_qos(const struct cluster *c, struct buf *out, uint32_t field);

#endif
