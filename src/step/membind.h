/*
 * membind - tasks bound to NUMA nodes by --mem-bind, as the kernel's memory policy of the task.
 */
#ifndef SPUR_STEP_MEMBIND_H
#define SPUR_STEP_MEMBIND_H

#include "step/bind.h"

/* The NUMA nodes of task `local`; empty: not requested.  `cpus`: the task's CPUs, by the system's numbers. */
void membind_nodes(const struct bind_mem *b, const struct topo *t, uint32_t local, const struct bitmap *cpus,
                   struct bitmap *out);
/* In the task: set the policy, and print it if requested. */
void membind_task(const struct step *s, uint32_t local, const struct bitmap *cpus);

#endif
