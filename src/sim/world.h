/* world - what the files of sim share: the clock, the pending events, controllers, nodes and users. */
#ifndef SPUR_SIM_WORLD_H
#define SPUR_SIM_WORLD_H

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "ctl/cluster_clock.h"
#include "sim/sim.h"

#define SIM_UID 1000 /* users are SIM_UID .. SIM_UID + 3 */
#define SIM_USERS 4
#define SIM_MATLAB 6 /* licences, where there are any */
#define SIM_ANSYS 3
#define LICENSES 2
#define NO_LEADER UINT32_MAX

/* ---- random numbers ---- */

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return n ? (uint32_t)(rng_next(r) % n) : 0;
}
static inline bool rng_chance(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}
static inline int64_t rng_range(struct rng *r, int64_t from, int64_t to)
{
    return from + (int64_t)rng_below(r, (uint32_t)(to - from + 1));
}

/* ---- pending events ---- */

enum what {
    W_TURN,
    W_COMMIT,
    W_FOLLOW,
    W_CTL_UP,
    W_TO_CTL,
    W_TO_NODE,
    W_TO_USER,
    W_GONE,
    W_RUN_END,
    W_NODE_AGAIN,
    W_NODE_CONNECT,
    W_NODE_BOOT,
    W_NODE_BEAT,
    W_NODE_SILENCE,
    W_NODE_LEASE,
    W_CTL_GO,
    W_OP,
    W_STEP,
    W_OP_AGAIN,
    W_FAULT,
    W_RULE,
    W_SWEEP
};

struct mail { /* a message on its way */
    uint64_t session;
    enum msg_type type;
    uint16_t flags;
    uint64_t number;
    char *body;
    size_t len;
};

struct happening {
    int64_t at_ms;
    uint64_t seq;
    enum what what;
    uint32_t target;
    uint64_t arg;
    struct mail *mail;
};

/* ---- controllers, nodes, users ---- */

struct session { /* a connection between a controller and a node or a user */
    uint64_t id;
    uint32_t ctl, owner;
    bool node;                 /* the owner is a node */
    bool cut;                  /* the owner's end is closed */
    int64_t last_in, last_out; /* when the last message on its way arrives: the order is kept */
};

struct controller {
    struct ctl *t; /* NULL: crashed */
    bool leading, lead_wanted, in_flight;
    bool stopped, deposed; /* its process stands still; another controller is to lead meanwhile */
    int64_t off_ms; /* its wall clock minus the true time */
    struct cluster_clock clock;
    int64_t *peer_off_ms; /* of each other controller, as of the last time that one of the two started */
    int64_t resigned_ms;  /* when it gave leadership away because of its clock; 0: never */
    int64_t turn_at;
    uint64_t life; /* events for an earlier life are void */
    size_t applied;
    struct buf entry;
    VEC(struct mail *) queue;
    VEC(uint64_t) gone;
};

struct prun { /* a step on a simulated node */
    uint32_t job, attempt, step;
    int64_t end_at, left_ms;
    bool paused, ended;
    bool lost; /* the lease of its node ended */
    uint32_t status;
    int64_t sent_at; /* when the report was sent on this connection */
    bool clean;      /* as reported */
    bool by_tree;    /* ordered by another node: its report is carried with those of other nodes */
};

struct pclean {
    uint32_t job, attempt;
    int64_t sent_at;
};

struct pnode {
    char name[16];
    bool up, registered, again;
    uint64_t boot, session, registrations;
    int64_t start_s;
    int64_t cut_in_ms, cut_out_ms; /* until then no message reaches it, or leaves it */
    int64_t slow_ms;               /* until then its agent stands still */
    int64_t fault_ms;              /* until then it may be out of reach by a fault of its own */
    int64_t register_ms;           /* when it sent its last registration, */
    int64_t registered_ms;         /* and the cluster's time of the reply */
    int64_t lease_ms;              /* until then its steps may run; 0: for ever */
    int64_t off_ms;         /* its wall clock minus the true time */
    int64_t cluster_off_ms; /* the cluster's time minus the true time, as it was told; INT64_MIN: it was not */
    VEC(struct prun) runs;
    VEC(struct pclean) cleans;
    struct map ran; /* orders executed, and their results */
};

enum op_kind { OP_KIND_SUBMIT, OP_KIND_OTHER, OP_KIND_WAIT, OP_KIND_STEP };

struct op { /* a request of a user, until it is answered */
    enum op_kind kind;
    enum msg_type type;
    uint32_t uid;
    bool done;
    bool waits; /* the reply comes later */
    uint64_t session;
    uint32_t tries, job;
    struct buf body;
};

struct track { /* what the log says of a job */
    uint32_t attempt, starts;
    bool purged, acked, ended, array;
    uint32_t het; /* components; 0: not heterogeneous, or not the first */
    uint32_t uid;
    uint32_t asked, looked;     /* attempts that were asked to yield, or whose size was checked */
    int64_t started_ms;         /* when its last start was committed */
    bool updated;               /* its limit may be another one since */
    int64_t began_ms, saved_ms; /* when it started; how long it had run when it was requeued, if that is not lost */
};

struct sim {
    struct sim_conf conf;
    struct sim_stats stats;
    struct rng rng, request_rng, faults, steps,
        rules; /* separate, so that one more message does not change every other decision */
    struct cred_key key;
    struct err broken;
    int64_t now_ms, quiet_ms; /* no faults from quiet_ms on */
    uint64_t seq, next_session;
    VEC(struct happening) heap;
    struct sim_log log;
    struct controller *ctl;
    uint32_t leader; /* NO_LEADER while there is none */
    struct pnode *node;
    struct map sessions;
    VEC(struct op) ops;
    uint32_t submitted;
    struct map tracks; /* job id -> struct track */
    struct map keys;   /* first 8 bytes of a key -> job id */
    VEC(uint32_t) acked;
    struct map carried; /* number -> struct carried: reports of many nodes that were sent */
    uint64_t next_carried;
    struct map resvs, grants; /* check_rules.c: reservations, and what running jobs hold, by the log */
    struct map held;          /* check_limits.c: what was held under each limit at the last check, */
    bool loaded, moved;       /* and whether limits or jobs changed since */
    bool over;
};

/* sim.c */
void sim_push(struct sim *s, int64_t at_ms, enum what what, uint32_t target, uint64_t arg, struct mail *mail);
void sim_break(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_tell(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mail_free(struct mail *m);

/* net.c: connections */
struct session *net_open(struct sim *s, bool node, uint32_t owner); /* to the leader; NULL when there is none */
struct session *net_find(const struct sim *s, uint64_t id);
void net_send(struct sim *s, uint64_t session, enum msg_type type, uint64_t number, const ProtobufCMessage *m);
void net_send_bytes(struct sim *s, uint64_t session, enum msg_type type, uint64_t number, const void *body, size_t len);
void net_reply(struct sim *s, const struct ctl_out *out);
void net_cut(struct sim *s, uint64_t session,
             int64_t noticed_ms);               /* the owner closes it; the controller notices later */
void net_drop_ctl(struct sim *s, uint32_t ctl); /* all connections of a controller end */

/* ctls.c: the controllers */
void ctls_start(struct sim *s);
void ctl_mail(struct sim *s, struct mail *m);
void ctl_turn(struct sim *s, uint32_t target, int64_t at_ms);
void ctl_committed(struct sim *s, uint32_t target, uint64_t life);
void ctl_catch_up(struct sim *s, uint32_t target);
void ctl_crash(struct sim *s, uint32_t target);
void ctl_up(struct sim *s, uint32_t target);
void ctl_stop(struct sim *s, int64_t ms); /* the leader's process stands still for so long */
void ctl_go(struct sim *s, uint32_t target);
void ctl_step_down(struct sim *s); /* another controller leads, without a crash */
void ctl_want_turn(struct sim *s, uint32_t target, int64_t at_ms);

/* nodes.c */
void nodes_start(struct sim *s);
void node_run_end(struct sim *s, uint32_t target, uint64_t arg);
void node_again(struct sim *s, uint32_t target);
void node_crash(struct sim *s, uint32_t target);
void node_boot(struct sim *s, uint32_t target);
void node_restart_agent(struct sim *s, uint32_t target);
void node_launch(struct sim *s, uint32_t target, const struct mail *m, bool by_tree, bool twice);
void node_kill(struct sim *s, uint32_t target, const Pb__KillOrder *k);
void node_renew_lease(struct sim *s, uint32_t target, int64_t sent_ms, uint32_t lease_s);
void node_lease_end(struct sim *s, uint32_t target);
void node_acked(struct sim *s, uint32_t target, const Pb__ReportAck *a);
void node_tell_all(struct sim *s, uint32_t target, int64_t older_than);
void node_set_time(struct sim *s, uint32_t target, int64_t cluster_ms);

/* node_link.c */
void node_connect(struct sim *s, uint32_t target);
void node_mail(struct sim *s, struct mail *m);
void node_disconnected(struct sim *s, uint32_t target);
void node_beat(struct sim *s, uint32_t target, uint64_t session);
void node_silence(struct sim *s, uint32_t target, uint64_t session); /* has the connection been silent for long? */

/* tree.c: orders that nodes forward, reports that they carry for each other */
void tree_spread(struct sim *s, uint32_t target, uint64_t number, const Pb__Fanout *m);
void tree_report(struct sim *s, uint32_t target, const struct prun *r);
void tree_acked(struct sim *s, uint32_t target, uint64_t number);
void tree_free(struct sim *s);

/* steps.c */
void steps_start(struct sim *s);
void wish_step(struct sim *s);
bool step_reply_received(struct sim *s, uint32_t op, const Pb__StepReply *r);
void check_steps(struct sim *s, const struct cluster *c);
void check_step_start(struct sim *s, const Pb__EvStepStart *e);

/* users.c, wishes.c */
void users_start(struct sim *s);
void user_act(struct sim *s); /* one more request of some user */
void user_mail(struct sim *s, struct mail *m);
void user_again(struct sim *s, uint32_t op);
void user_ask(struct sim *s, enum op_kind kind, enum msg_type type, uint32_t uid, uint32_t job,
              const ProtobufCMessage *m);
void user_sweep(struct sim *s); /* the administrator releases all held jobs, so that the simulation can end */
bool users_content(const struct sim *s);
void wish_submit(struct sim *s);
void wish_other(struct sim *s);

/* rules.c: limits, licences, reservations; unused without --rules */
void rules_start(struct sim *s);
void rule_happen(struct sim *s, bool first);
uint32_t rules_request(struct sim *s,
                       Pb__JobSpec *p); /* adds to the request of a job; returns its run time, 0: unchanged */
void rules_sweep(struct sim *s, const struct cluster *c); /* remove all rules */
bool rules_never(const struct job *j);                    /* it waits for a rule that will not change */

/* check_rules.c, check_limits.c */
void rules_event(struct sim *s, const Pb__Event *ev);
void rules_free(struct sim *s);
void check_limits(struct sim *s, const struct cluster *c);

/* check_fence.c */
void check_timeout(struct sim *s, uint32_t job);
void check_node_down(struct sim *s, const Pb__EvNodeState *e);
void check_twice(struct sim *s, uint32_t target, uint32_t job, uint32_t attempt); /* it begins to run there */

/* faults.c */
void faults_start(struct sim *s);
void fault_happen(struct sim *s);

/* check.c: the guarantees */
void check_entry(struct sim *s, const struct buf *entry);
void check_state(struct sim *s, struct cluster *c);
void check_same(struct sim *s, uint32_t target);
void check_kept_bytes(struct sim *s, struct cluster *c, const struct buf *fresh);
void check_acked(struct sim *s, uint32_t job);
void check_reported(struct sim *s, uint32_t job, uint32_t attempt);
struct track *check_track(struct sim *s, uint32_t job);
bool check_empty(struct sim *s);

/* story.c */
void story_entry(struct sim *s, const Pb__Entry *e);

#endif
