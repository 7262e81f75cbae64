/*
 * agent - spurd's state: one node, its steps, its connection to the controller.
 *
 * The controller decides and the agent executes.  The agent must never run an order twice, run anything that no
 * controller ordered, or lose the report of a step before a controller has acknowledged it.
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
    char *nodes;                  /* of the job, as a host list; NULL: not known */
    struct step_run *next;        /* next step of the same job */
    struct link *supervisor; /* NULL: none, or not connected yet */
    bool answering;          /* the supervisor takes orders now */
    bool adopted;            /* the supervisor outlived the agent that started it: it has a socket in the spool */
    struct buf waiting;      /* frames of orders that arrived before the supervisor was connected */
    Pb__Report *report;      /* the report of its end; NULL: the step runs */
    uint64_t sent_ms;        /* when the report was sent on this connection; 0: not yet */
    struct pretend *pretend; /* emulated nodes: replaces the supervisor; emulate.h */
    uv_timer_t *retry;       /* tries again to connect to a supervisor that is alive */
};

/* The controller waits for a report that nothing of (job, attempt) is left on this node. */
struct clean {
    uint32_t job_id, attempt;
    uint64_t sent_ms; /* 0: the node is not clean yet, or the report was not sent on this connection */
    Pb__HookJob *job; /* for the epilog; NULL: unknown */
    bool epilog_broken;  /* the epilog could not be started */
};

struct hook_order; /* hook.c: an order that waits for the prolog of its job */

struct agent {
    uv_loop_t *loop;
    struct site *site;
    const struct site_node *def;
    const char *name; /* of the node */
    struct cred_key key;
    char *spool_path, *stepd, *conf;
    int spool, spool_lock;
    int stepd_spawner; /* socket to the process that forks supervisors; -1: none yet */
    char boot_id[64];
    int64_t boot_s, start_s;
    uint64_t register_order;    /* of the last registration: it grows */
    int64_t register_sent_ms;   /* when it was sent, by CLOCK_BOOTTIME */
    int64_t registered_ms;      /* the cluster's time of the last one that was taken; 0: none yet */
    struct lease *lease;        /* SpurFencing=lease: step/lease.h; NULL: none */
    bool leased;                /* the leading controller gives leases */
    struct map jobs;    /* job id -> struct step_run */
    struct map cleans;  /* job id << 32 | attempt -> struct clean */
    struct account_cache *accounts; /* users, groups and hosts, looked up off the loop */
    struct launched_log launched;     /* recently launched steps: each order is executed once */
    VEC(struct hook_order) hooked;
    VEC(uint32_t) pool; /* free folders in the spool */
    uint32_t next_free;

    struct link *controller;
    bool registered;
    size_t next_controller;
    char leader_host[300]; /* of `controller` */
    uint16_t leader_port;
    struct relay *relay; /* carries commands: relay.h */
    char redirect[300]; /* address to try next; "": take it from the list */
    unsigned backoff_ms, first_connect_ms;
    uv_timer_t reconnect, heartbeat, housekeeping;

    struct isolate *isolate;     /* cgroups and private folders: isolate.h; NULL: none */
    struct link_listener *local, *tcp; /* the Unix socket; TCP, NULL: none */
    struct tree *tree;           /* forwards orders for many nodes: tree.h */
    bool emulated;               /* the node is emulated: emulate.h */
    bool stopping;
};

/* ---- runs.c ---- */
struct step_run *run_find(const struct agent *a, struct step_key key);
struct step_run *run_add(struct agent *a, struct step_key key);
void run_drop(struct step_run *r); /* also removes it from the spool */
typedef void run_each_fn(struct step_run *r, void *arg);
void run_each(struct agent *a, run_each_fn *each, void *arg); /* `each` may drop the run it is given */
bool run_any_alive(const struct agent *a, uint32_t job_id, uint32_t attempt);
const char *run_text(struct step_key key); /* "12.batch", for logs; valid until the next call */

/* ---- pool.c: folders of the spool, used again ---- */
int pool_open(struct agent *a, struct err *err); /* finds the free folders of an earlier agent */
int pool_claim(struct agent *a, struct step_key key, const ProtobufCBinaryData *order, int *jobdir, int *record,
               struct err *err);
void pool_release(struct step_run *r);

/* ---- register.c: the connection to the controller ---- */
void register_start(struct agent *a);
void register_stop(struct agent *a);
void register_keep_house(struct agent *a); /* runs the housekeeping timer while there are steps or cleanings */

/* ---- launch.c ---- */
/* In a frame's flags: another agent forwarded the order; only a refusal is reported to the controller. */
#define LAUNCH_BY_TREE 0x8000u
/* The key that the order of this frame must be signed with; NULL: it came from a controller, which has proved itself
 * with its machine's key. */
const struct cred_key *launch_key(const struct agent *a, const struct frame *f);
void launch_order(struct agent *a, const struct frame *f);
void launch_answer(struct agent *a, const struct frame *f, struct step_key key, const struct err *err);
/* Start a supervisor for the order; `record` is the step's claimed file, `jobdir` the job's folder. */
int launch_supervisor(struct step_run *r, const Pb__LaunchOrder *o, int record, int jobdir, struct err *err);
extern const struct link_ops supervisor_ops;
/* A numeric address of this endpoint, for a supervisor, which uses no name service; "": the endpoint has one.  Borrowed
 * until the next call.  False: the name is being looked up. */
bool launch_address(struct agent *a, const Pb__IoEndpoint *io, const char **out);

/* ---- kill.c ---- */
void kill_order(struct agent *a, const struct frame *f);
void kill_follow(struct agent *a, const Pb__KillOrder *k);
void kill_run(struct step_run *r, const Pb__KillOrder *k);

/* ---- report.c ---- */
void report_end(struct step_run *r, Pb__Report *report); /* takes ownership of the report */
void report_lost(struct step_run *r, const char *why);
void report_ack(struct agent *a, const struct frame *f);
void report_acked(struct agent *a, struct step_key key, bool node_clean);
void report_all(struct agent *a, bool again); /* sends unsent reports; `again`: also reports not acknowledged */
void report_clean(struct agent *a, const Pb__KillOrder *k);
void report_check_clean(struct agent *a, uint32_t job_id, uint32_t attempt);

/* ---- adopt.c: after a restart ---- */
int adopt_all(struct agent *a, struct err *err);
void adopt_step(struct agent *a, struct step_key key); /* a step of the spool that the agent did not have */
void adopt_ended(struct step_run *r);                       /* its supervisor is gone: read the spool */

/* ---- local.c: credentials for the users of this machine ---- */
int local_start(struct agent *a, struct err *err);
void local_cred(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);

#endif
