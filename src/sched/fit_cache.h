/*
 * fit_cache - which nodes could hold a class whose test failed, so that it is tested again only when it may fit.
 */
#ifndef SPUR_SCHED_FIT_CACHE_H
#define SPUR_SCHED_FIT_CACHE_H

#include "sched/fit.h"

/* More became free on the node, now or later.  All code that frees something must call this. */
void fit_cache_note_freed(struct sched *s, uint32_t node);

/* The class was tested, and these nodes were all that could hold a part of it. */
void fit_cache_store(struct job_class *cls, const struct node_fit *fits, size_t n);
void fit_cache_invalidate(struct job_class *cls);

/* Test the nodes of sched.freed_nodes from index `from` on.  True when the class has to be tested. */
bool fit_cache_refresh(struct sched *s, const struct cluster *c, struct job_class *cls, size_t from);

/* Does the class wait for nodes only? */
bool fit_cache_usable(const struct sched *s, const struct job_class *cls);

/* Could it still fit after the starts of this cycle? */
bool fit_cache_recheck(struct sched *s, const struct cluster *c, struct job_class *cls);

#endif
