/*
 * feature - --constraint and --prefer: nodes with the features that they name.
 */
#ifndef SPUR_SCHED_FEATURE_H
#define SPUR_SCHED_FEATURE_H

#include "sched/fit.h"

/* The nodes of `among` that a constraint selects; free with feature_nodes_free(). */
struct constraint_nodes *feature_nodes(const struct cluster *c, const char *text, const struct bitmap *among);
void feature_nodes_free(struct constraint_nodes *nodes);

/* Can the constraint be parsed, and does a node of `c` (NULL: not checked) have each feature?  0, or
 * ESLURM_INVALID_FEATURE. */
int feature_check(const struct cluster *c, const char *expr, struct err *err);

/* pick_nodes() for a need with node sets. */
bool feature_pick(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                  struct node_fit *fits, size_t nh, struct pick *out);

/* The need with --prefer in place of --constraint; `allowed` is the caller's to clear, the rest is borrowed. */
void feature_prefer_need(const struct cluster *c, const struct need *n, struct need *out);

/* fits_free() on the preferred nodes. */
bool feature_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n,
                            struct pick *out);

#endif
