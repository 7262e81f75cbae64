/*
 * record - jobs and nodes as messages, for queries and for snapshots, by the rows of job_fields.h and node_fields.h.
 */
#ifndef SPUR_CORE_RECORD_H
#define SPUR_CORE_RECORD_H

#include "core/cluster.h"

/* Fill `p` with the replicated fields, borrowed where possible; release it with job_pb_done().  With `names` (NULL is
 * welcome) the allocation has the names of nodes and devices. */
void job_to_pb(const struct job *j, Pb__Job *p, const struct cluster *names);
void job_pb_done(Pb__Job *p);
/* A job that is not yet part of the cluster; NULL and a reason when the message does not fit the cluster. */
struct job *job_from_pb(struct cluster *c, const Pb__Job *p, struct err *err);
/* A copy of a waiting job, to become another one: without nodes, steps, usage and array. */
struct job *job_copy_waiting(struct cluster *c, const struct job *j);

/* Fill `p` and `hw` with borrowed fields. */
void node_to_pb(const struct node *n, Pb__Node *p, Pb__NodeHw *hw);
void node_from_pb(struct node *n, const Pb__Node *p); /* all but `def`, which it has */
void node_hw_pb(const struct node *n, Pb__NodeHw *hw);
void node_free_record(struct node *n);

/* The node as queries send it: a packed pb.Node, appended. */
void cluster_node_bytes(const struct cluster *c, const struct node *n, struct buf *out);

char *alloc_nodes(const struct cluster *c, const struct alloc *a); /* "n[1-3]"; yours */
char *job_tres_req(const struct cluster *c, const struct job *j);

#endif
