/*
 * limits - qualities of service and associations as the state has them, what their jobs hold now, and who may have more.
 *
 * An association is an account, or a user in an account (perhaps for one partition alone).  Limits of a group hold at
 * an association and at all accounts above it; a limit of one user or one job is its own, or that of the nearest
 * account above that has one.  Of the two QOS of a job (its partition's, its own) the partition's word counts where both have
 * one, unless the job's says OverPartQOS.
 *
 * What is held is counted as jobs come, start and end (limits_count), never stored: it follows from the jobs.
 */
#ifndef SPUR_CORE_LIMITS_H
#define SPUR_CORE_LIMITS_H

#include "base/buf.h"
#include "base/map.h"
#include "core/job.h"
#include "text/limits.h"
#include "text/roster.h"
#include "text/tres.h"

struct cluster;
struct part;

struct qos {
    Pb__Qos *pb; /* owned; pb->name is the key */
    struct limit_list limits;
};

struct assoc {
    Pb__Assoc *pb; /* owned; pb->id is the key */
    struct limit_list limits;
    struct assoc *parent; /* NULL at the top */
    char *key;            /* account/user's number/partition */
    char *user_key;       /* the number alone, where it is the user's default */
};

/* ---- what is held ---- */
struct limit_use {
    char *key;
    uint32_t jobs, submitted;
    struct tres_list tres, mins; /* mins: TRES-minutes that starts not yet applied may use */
};

struct limit_book { /* by holder: "q/high", "q/high/u/1000", "q/high/a/physics", "s/12" */
    struct smap uses;
};

void book_clear(struct limit_book *b);

struct limits {
    struct smap qos;      /* by name */
    struct map assoc;     /* by number */
    struct smap by_key;   /* associations by account, user and partition */
    struct smap defaults; /* by user's number: the association of the default account */
    struct limit_book book;
    uint32_t next_qos, next_assoc;
    uint64_t serial; /* grows with each change of who is known and what they may have; not replicated */
};

#define ASSOC_DEPTH 16

struct holders {             /* whose limits a job is under */
    const struct qos *qos[2]; /* the first one's word counts */
    uint32_t nqos;
    const struct assoc *assoc[ASSOC_DEPTH]; /* its own, then those above */
    uint32_t nassoc;
    uint32_t uid;
    const char *account;
};

/* Is there anything to ask about?  Everything below may be called anyway. */
bool limits_any(const struct cluster *c);
const struct qos *limits_qos(const struct cluster *c, const char *name);
/* The association of a user in an account (NULL: the default one), for the partition or for any. */
const struct assoc *limits_assoc(const struct cluster *c, uint32_t uid, const char *account, const char *partition);
void limits_holders(const struct cluster *c, const struct job *j, const struct part *p, struct holders *out);

/* What a job would hold, or holds, by its allocation; billing by the partition's weights. */
void limits_tres(const struct cluster *c, const struct part *p, const struct alloc *a, struct tres_list *out);
/* "CPU=1.0,Mem=0.25G,GRES/gpu=2" and what is held -> what it costs a second: all together, or the dearest alone; without
 * weights, its CPUs. */
double limits_rate(const char *weights, const struct tres_list *tres, bool max);
/* The most of it on one node. */
void limits_node_tres(const struct cluster *c, const struct alloc *a, struct tres_list *out);

/* A start that is decided and not yet applied: counted in a book of the scheduler's own. */
void book_start(struct limit_book *b, const struct holders *h, const struct tres_list *tres, uint32_t limit_min);
void book_unstart(struct limit_book *b, const struct holders *h, const struct tres_list *tres, uint32_t limit_min);
/* One that is about to be submitted, beside others that are. */
void book_submit(struct limit_book *b, const struct holders *h);

/*
 * May it start with this much, beside what is held and what `more` says is about to be?  WHY_NONE, or the limit.
 * `tres` NULL: only what does not depend on the nodes it gets.
 */
struct limit_ask {
    const struct tres_list *tres, *node_tres;
    uint32_t limit_min;
    int64_t now_s;
    bool least; /* tres is the least it will get, wherever it starts: what needs more than that is not looked at */
};
enum why_code limits_block(const struct cluster *c, const struct limit_book *more, const struct holders *h,
                           const struct limit_ask *ask);
/* May `n` more be submitted?  Checked beside what waits and runs, and what `more` (NULL: nothing) says is about to come. */
enum why_code limits_submit(const struct cluster *c, const struct limit_book *more, const struct holders *h, uint32_t n);
/* The longest a job may run: minutes, INFINITE_MIN when nobody says. */
uint32_t limits_wall_min(const struct holders *h);

/* The reason by its kind; WHY_LIMIT_UNKNOWN where Slurm has no name for it. */
enum why_code limits_why(bool qos, enum limit_what what, enum limit_who who, const char *tres);

/* The limit behind a reason, in words with numbers: "QOS few allows a user cpu=2, and 2 are held"; yours, NULL when none is. */
char *limits_tell(const struct cluster *c, const struct holders *h, const struct limit_ask *ask, enum why_code code);

/* The same limit of the nearest holder that has one, for display; LIMIT_NONE. */
uint64_t limits_of(const struct holders *h, enum limit_what what, enum limit_who who, const char *tres);

/* ---- for core itself ---- */
/* The job changed: what it counts for is counted anew.  Costs nothing where there are no limits. */
void limits_count(struct cluster *c, struct job *j);
void limits_uncount(struct cluster *c, struct job *j); /* it goes */
void limits_forget(struct job *j); /* it is freed, and with it everything */
void limits_clear(struct cluster *c);
void limits_encode(const struct cluster *c, struct buf *out, uint32_t qos_field, uint32_t assoc_field);

#endif
