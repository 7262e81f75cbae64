/*
 * agent - spurd's state: one node, its steps, its connection to the controller.
 *
 * The controller decides and the agent does: it holds no opinion of its own about jobs.  What it must never do is run
 * something twice, run something that no controller ordered, or forget an end that no controller has acknowledged.
 */
#ifndef SPUR_NODE_AGENT_H
#define SPUR_NODE_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/map.h"
#include "base/vec.h"
#include "io/link.h"
#include "message.pb-c.h"
#include "node/launched_log.h"
#include "step/spool.h"
#include "text/site.h"

/* A step on this node: from its launch until the controller has acknowledged its end. */
struct step_run {
    struct agent *agent;
    struct step_key key;
    uint32_t uid;
    struct step_run *next;        /* of the same job */
    struct link *supervisor; /* NULL: none, or not reconnected yet */
    bool answering;          /* it takes orders now */
    bool adopted;            /* it outlived the agent that started it: it has a socket in the spool */
    struct buf waiting;      /* orders that came before it did, as frames */
    Pb__Report *report;      /* it has ended so; NULL: it runs */
    uint64_t sent_ms;        /* when the report was sent on this connection; 0: not yet */
    struct pretend *pretend; /* emulated: instead of a supervisor; emulate.h */
    uv_timer_t *retry;       /* looks again for a supervisor that is alive but does not answer yet */
};

/* The controller wants to hear when nothing of (job, attempt) is left here. */
struct clean {
    uint32_t job_id, attempt;
    uint64_t sent_ms; /* 0: it is not clean yet, or not told on this connection */
    Pb__HookJob *job; /* for the epilog; NULL: nothing is known */
    bool epilog_broken;  /* it could not even be started */
};

struct hook_order; /* hook.c: an order that waits for its job's prolog */

struct agent {
    uv_loop_t *loop;
    struct site *site;
    const struct site_node *def;
    const char *name; /* the node's */
    struct cred_key key;
    char *spool_path, *stepd, *conf;
    int spool, spool_lock;
    int stepd_spawner; /* socket to the process that makes supervisors; -1: none yet */
    char boot_id[64];
    int64_t boot_s, start_s;
    struct map jobs;    /* job id -> struct step_run */
    struct map cleans;  /* job id << 32 | attempt -> struct clean */
    struct account_cache *accounts; /* users, groups and hosts, looked up off the loop */
    struct launched_log launched;     /* launched lately: an order works once */
    VEC(struct hook_order) hooked;
    VEC(uint32_t) pool; /* free folders in the spool */
    uint32_t next_free;

    struct link *controller;
    bool registered;
    size_t next_controller;
    char redirect[300]; /* address to try next; "": the list */
    unsigned backoff_ms, first_connect_ms;
    uv_timer_t reconnect, heartbeat, housekeeping;

    struct isolate *isolate;     /* how jobs are kept apart: isolate.h; NULL: not at all */
    struct link_listener *local, *door; /* the Unix socket; TCP, NULL: none */
    struct tree *tree;           /* orders for many nodes pass through it; tree.h */
    bool emulated;               /* it pretends to run things */
    bool stopping;
};

/* ---- runs.c ---- */
struct step_run *run_find(const struct agent *a, struct step_key key);
struct step_run *run_add(struct agent *a, struct step_key key);
void run_drop(struct step_run *r); /* and its place in the spool */
typedef void run_each_fn(struct step_run *r, void *arg);
void run_each(struct agent *a, run_each_fn *each, void *arg); /* `each` may drop the run it is given */
bool run_any_alive(const struct agent *a, uint32_t job_id, uint32_t attempt);
const char *run_text(struct step_key key); /* "12.batch", for logs; valid until the next call */

/* ---- pool.c: folders of the spool, used again ---- */
int pool_open(struct agent *a, struct err *err); /* those that an earlier agent left */
int pool_claim(struct agent *a, struct step_key key, const ProtobufCBinaryData *order, int *jobdir, int *record,
               struct err *err);
void pool_release(struct step_run *r);

/* ---- register.c: the connection to the controller ---- */
void register_start(struct agent *a);
void register_stop(struct agent *a);
void register_keep_house(struct agent *a); /* there is something to look after, until there is not */

/* ---- launch.c ---- */
/* In a frame's flags: another node brought the order; only a refusal is news to the controller. */
#define LAUNCH_BY_TREE 0x8000u
void launch_order(struct agent *a, const struct frame *f);
void launch_answer(struct agent *a, const struct frame *f, struct step_key key, const struct err *err);
/* A supervisor for the order whose claim `record` is, in the job's folder. */
int launch_supervisor(struct step_run *r, const Pb__LaunchOrder *o, int record, int jobdir, struct err *err);
extern const struct link_ops supervisor_ops;
/* A numeric address of this endpoint, for a supervisor, which cannot ask for names; "": as it says itself.  Borrowed
 * until the next call.  False: it is being looked up. */
bool launch_address(struct agent *a, const Pb__IoEndpoint *io, const char **out);

/* ---- kill.c ---- */
void kill_order(struct agent *a, const struct frame *f);
void kill_follow(struct agent *a, const Pb__KillOrder *k);
void kill_run(struct step_run *r, const Pb__KillOrder *k);

/* ---- report.c ---- */
void report_end(struct step_run *r, Pb__Report *report); /* takes the report */
void report_lost(struct step_run *r, const char *why);
void report_ack(struct agent *a, const struct frame *f);
void report_acked(struct agent *a, struct step_key key, bool node_clean);
void report_all(struct agent *a, bool again); /* what is not acknowledged; `again`: what was sent long ago, too */
void report_clean(struct agent *a, const Pb__KillOrder *k);
void report_check_clean(struct agent *a, uint32_t job_id, uint32_t attempt);

/* ---- adopt.c: after a restart ---- */
int adopt_all(struct agent *a, struct err *err);
void adopt_step(struct agent *a, struct step_key key); /* one that the spool knows and we did not */
void adopt_ended(struct step_run *r);                       /* its supervisor is gone: what does the spool say? */

/* ---- local.c: credentials for the users of this machine ---- */
int local_start(struct agent *a, struct err *err);
void local_cred(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);

#endif
