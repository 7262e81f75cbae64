/*
 * membind - tasks tied to memory: NUMA nodes by --mem-bind, as the kernel's memory policy of the task.
 */
#ifndef SPUR_STEP_MEMBIND_H
#define SPUR_STEP_MEMBIND_H

#include "step/bind.h"

/* The NUMA nodes of task `local`; empty: none were asked for.  `cpus`: where it runs, by the system's numbers. */
void membind_nodes(const struct bind_mem *b, const struct topo *t, uint32_t local, const struct bitmap *cpus,
                   struct bitmap *out);
/* In the task: set them, and say so if that was asked for. */
void membind_task(const struct step *s, uint32_t local, const struct bitmap *cpus);

#endif
