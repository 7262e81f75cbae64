/*
 * tree - orders for many nodes handed on from agent to agent, and what became of them gathered on the way back.
 *
 * Down (fanout.c): an order names the nodes below its receiver.  The receiver cuts the list into branches, tells the
 * first node of each, follows the order itself, and answers when all nodes below have it.  A node that cannot be reached
 * is named in the answer, and its parent tells the nodes below it.
 * Up (gather.c): reports of a step, or of a job's cleaning, wait a moment for reports from below and go to the parent as
 * one message; the first agent tells the controller.  An agent keeps a message until it is acknowledged from above; a
 * parent that is gone or silent is passed over.  So a report may arrive twice, and is never lost.
 *
 * One tree serves all nodes that this process is the daemon of: one, unless it emulates many.
 */
#ifndef SPUR_NODE_TREE_H
#define SPUR_NODE_TREE_H

#include "node/listen.h"
#include "text/strs.h"

struct tree {
    uv_loop_t *loop;
    const struct site *site;
    const struct cred_key *key;
    const char *name;          /* what we say we are: one of ours */
    struct smap agents;        /* by name: ours */
    struct smap peers;         /* "host:port" -> struct peer_conn */
    struct map doors;          /* number -> struct link: those who asked us */
    struct map forwards;       /* number -> struct forward */
    struct map branches;       /* hash -> struct branch */
    struct map bundles;        /* number -> struct bundle */
    uint64_t next;             /* number; counts from a random place: another process's numbers mean nothing here */
    size_t sweep_at;           /* so many branches, and the stale ones are looked for */
    uv_timer_t tidy, again;    /* run only while there is something for them */
};

struct tree *tree_new(uv_loop_t *loop, const struct site *site, const struct cred_key *key);
void tree_add(struct tree *t, struct agent *a);
struct agent *tree_agent(const struct tree *t, const char *name); /* NULL: not ours */

/* ---- peer_pool.c: to other agents ---- */
/* The connection to `node`'s daemon, made if need be, kept open a while after its last use.  NULL: no address. */
struct peer_conn *peer_pool_get(struct tree *t, const char *node);
struct link *peer_pool_link(struct peer_conn *l);
uint64_t peer_pool_number(const struct peer_conn *l);
/* Whoever speaks to us: a number for its connection, so that an answer can find it later, or find it gone. */
uint64_t door_number(struct tree *t, struct link *c);
struct link *door_link(const struct tree *t, uint64_t number);

/* ---- spread.c ---- */
Pb__Fanout *fanout_read(const struct frame *f, struct err *err); /* an order one can follow; NULL with a reason */
void fanout_order(struct agent *a, const struct frame *f); /* from the controller */
/* From another agent. */
void fanout_heard(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
void fanout_answered(struct tree *t, const struct frame *f);
bool fanout_failed(struct tree *t, uint64_t number); /* false: it is no number of a forward */
void fanout_peer_lost(struct tree *t, uint64_t link);

/* ---- gather.c ---- */
/* Reports of `key` (STEP_EXTERN: the job is gone) go to `parent` ("": the controller), which waits for `expect`. */
void gather_begin(struct agent *a, struct step_key key, const char *parent, uint32_t expect);
void gather_less(struct agent *a, struct step_key key, uint32_t unreached); /* so many will not report here */
bool gather_has(const struct agent *a, struct step_key key); /* did it come by the tree? */
/* This node's own report.  False: the step did not come by the tree, tell the controller directly. */
bool gather_report(struct agent *a, const Pb__Report *r);
void gather_heard(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
Pb__Reports *gather_read(const struct frame *f); /* of one step, at least one; NULL: it is not */
void gather_acked(struct tree *t, uint64_t number);
void gather_ack(struct agent *a, const struct frame *f); /* from the controller */
void gather_registered(struct agent *a);
bool gather_failed(struct tree *t, uint64_t number);
void gather_peer_lost(struct tree *t, uint64_t link);

#endif
