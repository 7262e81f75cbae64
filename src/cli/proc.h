/*
 * proc - processes by number and start time, so that a number that was given again is never taken for the old process.
 */
#ifndef SPUR_CLI_PROC_H
#define SPUR_CLI_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct proc {
    pid_t pid, parent;
    uint64_t start; /* in clock ticks since boot */
};

/* The process as it is now; false when it is gone or a zombie. */
bool proc_get(pid_t pid, struct proc *out);
bool proc_same(const struct proc *p); /* does it still live? */
/* Was it killed, and is it on its way out?  Until its last thread has ended it keeps its files and locks. */
bool proc_dying(pid_t pid);

struct procs {
    VEC(struct proc) list;
};

/* Everything that runs now. */
void procs_read(struct procs *all);
void procs_clear(struct procs *all);
bool procs_descends(const struct procs *all, const struct proc *p, pid_t ancestor);

/* Does the environment it was started with hold a variable that begins so ("NAME=val")?  False when we may not look. */
bool proc_has_env(pid_t pid, const char *prefix);

#endif
