/*
 * ctl_priv - what the files of ctl share among themselves.
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
#include "ctl/stat.h"
#include "sched/priority.h"
#include "wire/brief.h"

struct agent {        /* per node: its daemon's connection */
    uint64_t session; /* 0: none */
    int64_t heard_ms, lost_ms;
    bool watched;                /* a reminder to look at heard_ms is set */
};

struct waiter { /* an answer that comes later */
    uint64_t session, number;
    enum msg_type reply; /* START_REPLY or WAIT_REPLY */
    bool start;          /* until the job begins; else until it has ended */
    bool submitter;      /* the connection that submitted the job: closing it gives a pending allocation up */
    VEC(uint32_t) jobs;
};

struct step_wait; /* step.h */

struct ctl {
    struct cluster *c;
    struct sched *sched;
    struct site *site;
    const struct cred_key *key;
    uint32_t admin_uid;
    uint64_t id;
    bool leading;

    int64_t now_ms;
    struct ctl_facts facts;
    struct buf entry;
    VEC(struct ctl_out) outs;
    struct query_cache *query_cache; /* NULL: no query yet */
    struct by_user *by_user; /* while many questions are answered at once; else NULL */
    bool read;             /* who reads has been answered in this turn */
    bool clock_back;       /* the wall clock is behind now_ms */
    bool clock_told;       /* by much, and it was said */
    uint64_t stirred;      /* grows when what is shown changes by no event: a why, a rank */
    VEC(struct ctl_script) scripts;
    int64_t usage_timer_ms; /* a reminder to charge is set for then */
    VEC(uint32_t) usage_charge_ended; /* jobs that ended since the last account */
    bool charge_scan;           /* others may have, whom nobody noted: ended jobs are looked through */
    bool charge_forget;         /* what was used is to be forgotten: PriorityUsageResetPeriod=NOW */
    bool enforce_limits, enforce_safe; /* AccountingStorageEnforce */
    struct map fairshare;       /* association -> struct fair_member: ctl/priority_fairshare.c, made anew with the ranks */
    struct fair_member *fairshare_members;
    uint32_t max_qos_priority, max_assoc_priority; /* the highest priority of any */
    bool want_plan, more;
    int64_t plan_timer_s; /* a reminder to plan is set for then */
    struct map victims; /* job id -> the job it made room for, until that has begun (plan.c) */
    struct timer_heap timers;
    struct agent *agents;
    size_t nagents;
    struct map agent_of; /* session -> node index + 1 */
    VEC(struct waiter) waiters;
    struct map waited;     /* job id -> number of waiters on it */
    VEC(struct step_wait) step_waits; /* in the order they came in */
    struct map dependents; /* job id -> struct id_list of jobs that wait for it */
    struct map fanouts;    /* number -> struct fanout: branches of the tree that have not answered */
    uint32_t next_fanout;
    struct map cleans;     /* job id -> struct clean: nodes that have nothing of it any more */
    uint64_t orders_sent, nodes_ordered, reports_heard, nodes_reported; /* for STATUS */
    uint64_t singles;      /* jobs with a singleton dependency, waiting */

    struct stats stats;
    int64_t (*clock_us)(void);

    /* gang.c */
    bool gang, gang_stale; /* PreemptMode=GANG; somebody who holds cores came or went */
    VEC(uint32_t) gang_new; /* started in this turn and not launched yet */
    int64_t gang_timer_ms;   /* a reminder is set for then */

    /* resv_timer.c */
    bool resv_stale;       /* nodes or jobs changed: some may have to be replaced */
    bool resv_regroup;     /* the configuration was read: members of groups may be others */
    struct map resv_idle;  /* PURGE_COMP: reservation -> second since when nobody uses it */

    /* priority_update.c */
    struct priority_conf prio;
    struct priority_whole whole;
    bool weighted, priority_update_stale;
    int64_t priority_timer_ms;   /* a reminder is set for then */
    uint32_t lowest;       /* priority/basic: the last one given; 0: not looked for yet */
};

struct ctl_call { /* one request under way */
    struct ctl *t;
    uint64_t session, number;
    const struct ctl_peer *peer;
    const struct frame *f;
    ProtobufCMessage *m;
};

#define NOW_S(t) ((t)->now_ms / 1000)

/* turn.c */
int ctl_emit(struct ctl *t, Pb__Event *ev, struct err *err); /* apply now, log with the turn */
void ctl_say(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
             const ProtobufCMessage *m);
void ctl_say_bytes(struct ctl *t, uint64_t session, enum msg_type type, uint16_t flags, uint64_t number,
                   struct buf *body); /* body is taken */
void ctl_reply(const struct ctl_call *call, enum msg_type type, const ProtobufCMessage *m);
void ctl_fail(const struct ctl_call *call, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void ctl_fail_err(const struct ctl_call *call, const struct err *err);
bool ctl_is_admin(const struct ctl *t, const struct ctl_peer *peer);
bool ctl_may_touch(const struct ctl *t, const struct ctl_peer *peer, const struct job *j);

#define EVENT(name) Pb__Event name = PB__EVENT__INIT
#define BODY(ev, Case, field, body)                                                                                    \
    do {                                                                                                               \
        (ev).body_case = PB__EVENT__BODY_##Case;                                                                       \
        (ev).field = (body);                                                                                           \
    } while (0)

/* one function per message */
void ctl_submit(const struct ctl_call *call);
void ctl_jobs(const struct ctl_call *call);
void ctl_nodes(const struct ctl_call *call);
void ctl_parts(const struct ctl_call *call);
void ctl_cluster_list(const struct ctl_call *call);
void ctl_config_text(const struct ctl_call *call);
void ctl_script(const struct ctl_call *call);
void ctl_status(const struct ctl_call *call);
void ctl_why(const struct ctl_call *call);
void ctl_cancel(const struct ctl_call *call);
void ctl_job_op(const struct ctl_call *call);
void ctl_update(const struct ctl_call *call);
void ctl_step(const struct ctl_call *call);
void ctl_job_done(const struct ctl_call *call);
void ctl_wait(const struct ctl_call *call);
void ctl_register(const struct ctl_call *call);
void ctl_heartbeat(const struct ctl_call *call);
void ctl_launch_reply(const struct ctl_call *call);
void ctl_report(const struct ctl_call *call);
void ctl_reports(const struct ctl_call *call);
void ctl_cred(const struct ctl_call *call);
void ctl_permit(const struct ctl_call *call);

/* query.c: does a job match a filter? */
bool query_match(const struct ctl *t, const Pb__JobQuery *q, const struct job *j);
bool query_named(char *const *list, size_t n, const char *v); /* is it one of them, or is there none? */

/* config.c */
void config_use(struct ctl *t, struct site *site); /* taken over */
/* Into the state; unless `always`, only when it is another one than there: what was changed by hand since then stays.
 */
void config_emit(struct ctl *t, bool always);
void config_sched(const struct site *site, struct sched_conf *out);

/* plan.c */
void plan_run(struct ctl *t);
void timers_up(struct ctl *t, struct job *j);   /* it has run for as long as it may (timers.c) */
void timers_warn(struct ctl *t, struct job *j); /* its --signal, if it has one and has not had it (timers.c) */
void plan_begun(struct ctl *t, struct job *j); /* it has its nodes, and they are ready: launch it */

/* hook.c: the scripts around a job */
typedef void hook_brief_fn(void *arg, const Pb__JobBrief *b);
void hook_with_brief(const struct ctl *t, const struct job *j, hook_brief_fn *fn, void *arg);
bool hook_before_start(const struct ctl *t);          /* does a job wait for PrologSlurmctld? */
bool hook_at_once(const struct ctl *t);               /* do the nodes run Prolog before they are used? */
void hook_starting(struct ctl *t, struct job *j);
void hook_over(struct ctl *t, const struct job *j);   /* its allocation ends */
/* A reservation begins, or is over: ResvProlog, ResvEpilog. */
void hook_resv(struct ctl *t, const char *name, bool over);
void hook_lead(struct ctl *t);                        /* what an earlier leader had begun */
void hook_prolog_failed(struct ctl *t, struct job *j, uint32_t pos, bool clean);
void hook_epilog_failed(struct ctl *t, uint32_t node);

/* act.c: what the state needs from the world */
void act_started(struct ctl *t, struct job *j); /* launch it */
void act_step(struct ctl *t, struct job *j, const Pb__Step *s);
void act_launch_again(struct ctl *t, struct job *j, uint32_t step_id, const uint32_t *pos, size_t n); /* where it is due */
void act_terminate(struct ctl *t, struct job *j, const char *reason); /* end it on every node that is not done */
/* yield.c: jobs that checkpoint make room */
void yield_ask(struct ctl *t, const struct sched_preempt *v);
void yield_timer(struct ctl *t, struct job *j);
bool yield_ended(struct ctl *t, struct job *j, uint32_t exit_code, uint32_t done_node); /* put back, not ended */
void act_pace(struct ctl *t, struct job *j, bool stop); /* it is suspended, or goes on */
void act_signal(struct ctl *t, struct job *j, uint32_t signal, bool batch_only, bool full, bool steps_only);
void act_signal_step(struct ctl *t, struct job *j, uint32_t step, uint32_t signal);
/* End it on its nodes: by SIGTERM and then SIGKILL, or by SIGKILL at once; `reason` is for its output. */
void act_end_step(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t signal, const char *reason);
void act_node(struct ctl *t, struct node *n,
              const Pb__RegisterRequest *r); /* a node came back: everything it should do */

/* end.c: jobs end */
struct end {
    uint32_t state, exit_code, reason, signal;
    const char *text;   /* for the job's record */
    const char *notice; /* for its output, when it is killed */
    bool by_user;
    uint32_t uid;
    const Pb__Usage *usage; /* of its script, or NULL */
    uint32_t done_node; /* alloc position that is clean already, or UINT32_MAX */
    const uint32_t *done_nodes; /* or several of them */
    size_t ndone;
};
int end_job(struct ctl *t, struct job *j, const struct end *e, struct err *err);
int end_requeue(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text, uint32_t done_node,
                struct err *err);
/* With a pause before it may start again. */
int end_requeue_later(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text,
                      uint32_t done_node, uint32_t delay_s, struct err *err);
/* A node of a COMPLETING job is clean, and perhaps tells how the script ended. */
void end_node_done(struct ctl *t, struct job *j, uint32_t pos, bool clean, const uint32_t *exit_code,
                   const Pb__Usage *usage);
void end_nodes_done(struct ctl *t, struct job *j, uint32_t *pos, size_t n, const Pb__Usage *usage); /* several */
void end_lost_node(struct ctl *t, struct node *n, const char *why); /* its jobs fail or are requeued */
uint32_t alloc_pos(const struct job *j, uint32_t node);             /* UINT32_MAX: not there */

/* array.c: one task gets a record of its own */
struct job *array_split(struct ctl *t, struct job *j, uint32_t task, struct err *err);

/* depend.c */
int depend_check(struct ctl *t, const struct job *self, const char *text, Pb__Depend ***out, size_t *n,
                 struct err *err);
void depend_free(Pb__Depend **d, size_t n);
void depend_index(struct ctl *t, const struct job *j);
void depend_changed(struct ctl *t, const struct job *j); /* j began or ended: who waited for it? */
void depend_settle(struct ctl *t, struct job *j);        /* look at j's own dependencies now */
void depend_clear_all(struct ctl *t);

/* wait.c */
void wait_submitted(const struct ctl_call *call, uint32_t job_id); /* a START_REPLY follows on this connection */
void wait_notify(struct ctl *t, uint32_t job_id);
void wait_gone(struct ctl *t, uint64_t session);

/* agent.c */
void agents_fit(struct ctl *t); /* one slot per node */
uint64_t agent_session(const struct ctl *t, uint32_t node);
void agent_lost(struct ctl *t, uint64_t session);
void agent_timer(struct ctl *t, uint32_t node);
void agent_heartbeat_timer(struct ctl *t, uint32_t node);                     /* is a connected one still heard of? */

/* step.c */
void step_first(struct ctl *t, struct job *j); /* srun: its step 0 begins with the job */
void step_set_timer(struct ctl *t, const struct job *j, const Pb__Step *s); /* a reminder for its time limit */
void step_time_is_up(struct ctl *t, struct job *j, uint32_t id);

/* step_wait.c: steps that wait for others of their job */
void step_wait_job(struct ctl *t, uint32_t job_id); /* something changed: who fits now?  The job ended: nobody does */
void step_wait_timer(struct ctl *t, uint32_t job_id); /* some waited as long as they wanted to */
void step_wait_gone(struct ctl *t, uint64_t session);
void step_wait_clear(struct ctl *t);

/* reminders for a job, by its state */
void timers_job(struct ctl *t, const struct job *j);

#endif
