/*
 * ctl - the controller without its sockets and its disk: decide, append, apply, act.
 *
 * A turn gathers requests, reports and timers; each is decided against the state and its
 * events are applied at once; the turn's events leave as ONE entry for the log, and what the
 * turn has to say (replies, orders to nodes) is held back until that entry is committed.
 * If it never is, this process's state is worth nothing and it starts again from the log.
 *
 * Nothing here waits, reads a clock or touches a file: the daemon (main.c) and the
 * simulator (src/sim) both drive it.
 */
#ifndef SPUR_CTL_CTL_H
#define SPUR_CTL_CTL_H

#include "base/accounts.h"
#include "base/buf.h"
#include "base/shared_buf.h"
#include "core/cluster.h"
#include "history/fold.h"
#include "sched/sched.h"
#include "text/site.h"
#include "wire/cred.h"
#include "wire/frame.h"

#define CTL_ENTRY_MAX (7u << 20) /* bytes in the entry of a turn; the log takes no more */

struct ctl;

struct ctl_peer { /* the sender of a request: the kernel's word, or a signature's */
    uint32_t uid, gid;
    bool agent;       /* a node's daemon ... */
    const char *node; /* ... and which */
    const char *via;  /* of a user: the node whose machine vouches for the identity; NULL, "": a trusted machine */
};

struct ctl_conf {
    struct site *site; /* taken over */
    const struct cred_key *key;
    uint32_t admin_uid; /* besides root: the user the controller runs as */
    uint64_t id;
    struct accounts *accounts; /* the machine's users and groups; NULL: there are none */
    int64_t (*clock_us)(void); /* for statistics, and for what reading may cost; NULL: nothing is measured */
    struct fold *fold;         /* makes the rows of accounting; NULL: none are made */
};

/* What a turn says, once it is committed. */
struct ctl_out {
    uint64_t session;
    enum msg_type type;
    uint16_t flags;
    uint64_t number;
    char *body;
    size_t len;
    struct shared_buf *shared; /* not NULL: the body is its bytes, which others may get as well */
};

/* A script of the controller's own: PrologSlurmctld or EpilogSlurmctld for one job, ResvProlog or ResvEpilog,
 * SpurFenceProgram. */
struct ctl_script {
    uint32_t job_id, attempt;
    bool epilog;
    char *fence;    /* the name of a lost node: SpurFenceProgram; NULL: it is for a job or a reservation */
    char *resv;     /* the name of the reservation that begins or ends; NULL: it is for a job */
    struct buf env; /* NAME=value with a NUL each */
};

struct ctl_facts { /* what the controller does not know about itself: for STATUS */
    uint64_t leader_id, term, applied, committed;
    uint32_t role;
    int64_t boot_s;
    uint32_t level; /* the lowest feature level that a voter reads; 0: not all have told */
    bool disk_low; /* so little room that new jobs are refused: running jobs must still be able to end */
    unsigned user_connections; /* of users, and requests of users that were told to slow down */
    uint64_t slowed_down;
};

struct ctl *ctl_new(const struct ctl_conf *conf);
void ctl_free(struct ctl *t);
struct cluster *ctl_cluster(struct ctl *t);
const struct site *ctl_site(const struct ctl *t);

/* ---- following: entries from the log ---- */
/* 0, or why this release cannot apply it: the state is behind the log, and this process must not go on. */
int ctl_replay(struct ctl *t, const void *entry, size_t len, struct err *err);
void ctl_encode(struct ctl *t, struct buf *out);
int ctl_decode(struct ctl *t, const void *p, size_t len, struct err *err);

/* ---- leading ---- */
/* Inside a turn: takes the configuration into the state, wakes every timer.  `site` (taken over) is the configuration
 * as it is now, NULL: the one it has; a follower may have missed a reconfiguration. */
void ctl_lead(struct ctl *t, int64_t now_ms, struct site *site);
void ctl_follow(struct ctl *t);

void ctl_begin(struct ctl *t, int64_t now_ms, const struct ctl_facts *facts);
/* False: an account has to be looked up first and nothing was decided; pass the same request again in a later turn. */
bool ctl_request(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f);
/* The same, but not for longer than a few milliseconds: a request that names many records goes on in the next turns,
 * each of which passes it again with the same `*work`: NULL at first, and freed when the request is answered. */
enum ctl_progress { CTL_ANSWERED, CTL_PARKED, CTL_UNFINISHED };
struct ctl_work;
enum ctl_progress ctl_request_slice(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f,
                                    struct ctl_work **work);
void ctl_work_free(struct ctl_work *w); /* NULL is welcome */
/* The parts of a turn, each in microseconds, when it is over: for sdiag. */
enum turn_part { TURN_DECIDE, TURN_PLAN, TURN_APPEND, TURN_READ, TURN_SEND, TURN_PARTS };
void ctl_turn_took(struct ctl *t, const int64_t us[TURN_PARTS]);
void ctl_gone(struct ctl *t, uint64_t session); /* a connection closed */
bool ctl_has_budget(const struct ctl *t, const struct ctl_peer *peer); /* an ordinary user: see budget.h */
size_t ctl_said(const struct ctl *t); /* bytes of all replies of the turn so far */

/* The effect of a message: the flags of its row in request.c; 0: not a controller's message. */
enum {
    CTL_READ = 1 << 0,     /* changes nothing */
    CTL_CHANGE = 1 << 1,   /* may append to the log */
    CTL_ANYWHERE = 1 << 2, /* any controller answers it; all else is for the leader */
    CTL_LIST = 1 << 3,     /* a plain list: a connection that sends nothing else need not be remembered */
    CTL_DAEMON = 1 << 4,   /* about the controller's process, which answers it outside ctl_request() */
};
unsigned ctl_request_flags(enum msg_type type);
/* For messages with CTL_DAEMON.  False: the permission table refuses this sender, and the refusal is the reply. */
bool ctl_request_permitted(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f);

/* Reduce a query of the history to what the peer may see. */
void ctl_history_restrict(struct ctl *t, const struct ctl_peer *peer, Pb__HistoryQuery *q);

/* Is this machine's wall clock right by those of the other controllers and of the nodes?  (clock.h) */
struct ctl_clock {
    int64_t correct_ms; /* to be added to the wall clock; 0 unless it is off */
    bool off;           /* another controller should lead */
};
struct ctl_clock ctl_clock(struct ctl *t, int64_t wall_ms, int64_t mono_ms, const int64_t *peers, size_t npeers);

void ctl_timers(struct ctl *t);
int ctl_reconfigure(struct ctl *t, struct site *site, struct err *err); /* inside a turn; site is taken over */

void ctl_answer(struct ctl *t, uint64_t session, uint64_t number, int code,
                const char *text); /* MSG_DONE, with the turn's words */

/* Plans, and closes the turn.  The entry to append, or an empty one when nothing happened. */
const struct buf *ctl_end(struct ctl *t);
void ctl_read(struct ctl *t); /* after that: answers the queries; ctl_outs() does it otherwise */
bool ctl_full(const struct ctl *t); /* the turn's entry is big enough: no more requests in this one */

/* After the commit (or at once, for an empty entry): everything the turn says, each yours to clear. */
size_t ctl_outs(struct ctl *t, struct ctl_out **outs);
void ctl_out_clear(struct ctl_out *out);

/* Likewise: the scripts to run; `env` is yours to clear.  How one ended is told inside a later turn. */
size_t ctl_scripts(struct ctl *t, struct ctl_script **out);
void ctl_fence_done(struct ctl *t, const char *node, int status); /* SpurFenceProgram ended for this node */
void ctl_script_done(struct ctl *t, uint32_t job_id, uint32_t attempt, bool epilog, int status);

int64_t ctl_next_ms(const struct ctl *t); /* when ctl_timers wants to be called next; 0: not at all */
bool ctl_again(const struct ctl *t);      /* the plan's budget was spent: turn again at once */

#endif
