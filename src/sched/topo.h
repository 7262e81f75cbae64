/*
 * topo - the network: switches, blocks, and jobs that want their blocks alone.
 */
#ifndef SPUR_SCHED_TOPO_H
#define SPUR_SCHED_TOPO_H

#include "sched/fit.h"

/* Until when the job insists on few switches; 0: not any more. */
int64_t topo_switch_until_s(const struct sched *s, const struct job *j);

/* WHY_RESOURCES, or that blocks are the reason. */
enum why_code topo_why_code(const struct sched *s, const struct cluster *c, const struct need *n);

/* Name the switches and blocks in the sentence that explains (topo_why.c). */
void topo_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out);

/* ---- exclusive blocks (topo_exclusive.c) ---- */

/* Does a job run on the node, or start there, while the need would run? */
bool topo_node_in_use(const struct sched_view *v, const struct need *n, uint32_t node, int64_t at_s);

/* A running job keeps other jobs out of its blocks. */
void topo_exclude_running(struct sched *s, const struct cluster *c, const struct job *j, struct running_job *rj);

/* Does any job want its blocks alone? */
bool topo_any_exclusive(const struct sched *s, const struct cluster *c);

/* Count the exclusions of running jobs in what is free now. */
void topo_exclude_now(struct node_profile *prof);
void topo_exclude_trial(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *own,
                        int64_t from_s, uint32_t id);

/* Remove the fits in blocks with another job; returns how many are left. */
size_t topo_drop_shared(const struct sched_view *v, const struct cluster *c, const struct need *n, int64_t at_s,
                        struct node_fit *fits, size_t nh);

#endif
