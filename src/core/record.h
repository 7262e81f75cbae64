/*
 * record - jobs and nodes as messages, for queries and for snapshots.
 */
#ifndef SPUR_CORE_RECORD_H
#define SPUR_CORE_RECORD_H

#include "core/cluster.h"

/* Fill `p` with borrowed fields; `reply`: names instead of numbers.  Release the parts that are not borrowed with
 * job_pb_done(). */
void job_to_pb(const struct cluster *c, const struct job *j, Pb__Job *p, bool reply);
void job_pb_done(Pb__Job *p);

void node_to_pb(const struct node *n, Pb__Node *p, Pb__NodeHw *hw);
void node_hw_pb(const struct node *n, Pb__NodeHw *hw);

/* The node as queries send it: a packed pb.Node, appended. */
void cluster_node_bytes(const struct cluster *c, const struct node *n, struct buf *out);

char *alloc_nodes(const struct cluster *c, const struct alloc *a); /* "n[1-3]"; yours */
char *job_tres_req(const struct cluster *c, const struct job *j);

#endif
