/*
 * tree - orders for many nodes forwarded from agent to agent, and reports gathered on the way back.
 *
 * Down (fanout.c): an order lists the nodes below its receiver.  The receiver divides the list into branches, sends the
 * order to the first node of each, executes it itself, and replies when all nodes below have it.  The reply lists the
 * nodes that cannot be reached; the parent of such a node sends the order to the nodes below it.
 *
 * Up (gather.c): reports of a step, or of a job's cleaning, wait a moment for reports from below and are sent to the
 * parent as one message; the first agent sends to the controller.  An agent keeps a message until its parent
 * acknowledges it, and bypasses a parent that is gone or does not respond.  So a report may arrive twice, but is never
 * lost.
 *
 * One tree serves all nodes whose daemon this process is: one, unless it emulates many.
 */
#ifndef SPUR_NODE_TREE_H
#define SPUR_NODE_TREE_H

#include "node/listen.h"
#include "text/strs.h"

struct tree {
    uv_loop_t *loop;
    const struct site *site;
    const struct cred_key *key;
    const char *name;          /* the name in our credential: one of our nodes */
    struct smap agents;        /* our nodes, by name */
    struct smap peers;         /* "host:port" -> struct peer_conn */
    struct map inbound;        /* number -> struct link: connections of other agents */
    struct map forwards;       /* number -> struct forward */
    struct map branches;       /* hash -> struct branch */
    struct map bundles;        /* number -> struct bundle */
    uint64_t next;             /* next number; starts at random, so that numbers of an earlier process match nothing */
    size_t sweep_at;           /* number of branches at which stale ones are dropped */
    uv_timer_t tidy, again;    /* run only while needed */
};

struct tree *tree_new(uv_loop_t *loop, const struct site *site, const struct cred_key *key);
void tree_add(struct tree *t, struct agent *a);
struct agent *tree_agent(const struct tree *t, const char *name); /* NULL: not one of our nodes */

/* ---- peer_pool.c: to other agents ---- */
/* The connection to the daemon of `node`, opened on demand, kept open a while after its last use.  NULL: no address. */
struct peer_conn *peer_pool_get(struct tree *t, const char *node);
struct link *peer_pool_link(struct peer_conn *l);
uint64_t peer_pool_number(const struct peer_conn *l);
/* A number for another agent's connection, by which a later reply finds it, or finds that it is closed. */
uint64_t inbound_number(struct tree *t, struct link *c);
struct link *inbound_link(const struct tree *t, uint64_t number);

/* ---- fanout.c ---- */
Pb__Fanout *fanout_read(const struct frame *f, struct err *err); /* a valid order; NULL with an error */
void fanout_order(struct agent *a, const struct frame *f); /* from the controller */
/* From another agent. */
void fanout_received(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
void fanout_answered(struct tree *t, const struct frame *f);
bool fanout_failed(struct tree *t, uint64_t number); /* false: not the number of a forward */
void fanout_peer_lost(struct tree *t, uint64_t link);

/* ---- gather.c ---- */
/* Send the reports of `key` (STEP_EXTERN: of the job's cleaning) to `parent` ("": the controller), with the reports of
 * the nodes `below`, and of no other node. */
void gather_begin(struct agent *a, struct step_key key, const char *parent, const struct strs *below);
void gather_less(struct agent *a, struct step_key key, uint32_t unreached); /* `unreached` nodes will not report */
bool gather_has(const struct agent *a, struct step_key key); /* did the step come by the tree? */
/* This node's own report.  False: the step did not come by the tree; send to the controller directly. */
bool gather_report(struct agent *a, const Pb__Report *r);
void gather_received(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer);
Pb__Reports *gather_read(const struct frame *f); /* at least one report, all of one step; NULL: malformed */
void gather_acked(struct tree *t, uint64_t number);
void gather_ack(struct agent *a, const struct frame *f); /* from the controller */
void gather_registered(struct agent *a);
bool gather_failed(struct tree *t, uint64_t number);
void gather_peer_lost(struct tree *t, uint64_t link);

#endif
