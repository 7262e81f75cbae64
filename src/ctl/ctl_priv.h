/*
 * ctl_priv - what every file of ctl uses: the shared struct, the request under way, events and replies.
 *
 * Everything else belongs to a module: a pair of files with its own header and, where it remembers anything, a state of
 * its own that no other file sees.  modules.c has the table of modules.  What they remember is no part of the log; a
 * controller that stops leading forgets it, and a new leader derives it from the state again (module.h).
 */
#ifndef SPUR_CTL_CTL_PRIV_H
#define SPUR_CTL_CTL_PRIV_H

#include "base/errnum.h"
#include "base/log.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "ctl/ctl.h"
#include "ctl/timer_heap.h"

struct ctl {
    struct cluster *c; /* the replicated state */
    struct sched *sched;
    struct site *site; /* the configuration in force */
    const struct cred_key *key;
    uint32_t admin_uid;
    uint64_t id;
    struct accounts *accounts; /* the machine's users and groups; NULL: none (directory.h) */
    int64_t (*clock_us)(void);
    struct fold *fold; /* NULL: no accounting */
    bool leading;
    int64_t now_ms; /* of the turn */
    int64_t last_turn_ms; /* of the turn before */
    struct ctl_facts facts;
    struct timer_heap timers;
    struct turn *turn;
    unsigned denied; /* enum right that the request under way was refused; RIGHTS of access.h: none */

    /* one for each module that remembers something; each is defined in the .c file of its name */
    struct agents *agent;
    struct clean *clean;
    struct clock *clock;
    struct dependents *depend;
    struct directory *directory;
    struct fanout *fanout;
    struct fence *fence;
    struct fairshare *fairshare;
    struct gang_state *gang;
    struct hook *hook;
    struct job_timers *job_timers;
    struct planner *plan;
    struct priority_update *priority;
    struct query_cache *query_cache;
    struct reconcile *reconcile;
    struct resv_timers *resv_timers;
    struct stats *stat;
    struct step_waits *step_wait;
    struct usage_charge *usage;
    struct waits *wait;
    struct watchdog *watchdog;
};

struct ctl_call { /* one request under way */
    struct ctl *t;
    uint64_t session, number;
    const struct ctl_peer *peer;
    const struct frame *f;
    ProtobufCMessage *m;
    struct ctl_work **work; /* where a request that is not finished is kept (work.h); NULL: it is done in one go */
    int64_t until_us;       /* with `work`: this slice ends then; 0: it does not */
};

#define NOW_S(t) ((t)->now_ms / 1000)

/* Apply an event now and log it with the turn; modules hear of it (change.h). */
int ctl_emit(struct ctl *t, Pb__Event *ev, struct err *err);

#define EVENT(name) Pb__Event name = PB__EVENT__INIT
#define BODY(ev, Case, field, body)                                                                                    \
    do {                                                                                                               \
        (ev).body_case = PB__EVENT__BODY_##Case;                                                                       \
        (ev).field = (body);                                                                                           \
    } while (0)

/* Messages leave when the turn's entry is committed.  Session 0: nothing is sent. */
void ctl_say(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
             const ProtobufCMessage *m);
void ctl_say_bytes(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                   struct buf *body); /* body is taken */
void ctl_say_shared(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                    struct shared_buf *body); /* a reference is taken */
void ctl_reply(const struct ctl_call *call, enum msg_type type, const ProtobufCMessage *m);
void ctl_fail(const struct ctl_call *call, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void ctl_fail_err(const struct ctl_call *call, const struct err *err);

#endif
