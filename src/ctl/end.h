/*
 * end - jobs end: by themselves, by order, with their node; and go back to the queue where they may.
 */
#ifndef SPUR_CTL_END_H
#define SPUR_CTL_END_H

#include "ctl/ctl_priv.h"

struct end {
    uint32_t state, exit_code, reason, signal;
    const char *text;   /* for the job's record */
    const char *notice; /* for its output, when it is killed */
    bool by_user;
    uint32_t uid;
    const Pb__Usage *usage;     /* of its script, or NULL */
    uint32_t done_node;         /* place in the allocation that is clean already, or UINT32_MAX */
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
/* Its jobs fail or are requeued.  `gone`: nothing of them runs there any more; otherwise they stay COMPLETING until
 * that is certain (fence.h). */
void end_lost_node(struct ctl *t, struct node *n, const char *why, bool gone);
uint32_t alloc_pos(const struct job *j, uint32_t node);             /* UINT32_MAX: not there */

#endif
