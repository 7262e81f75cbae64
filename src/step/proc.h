/*
 * proc - one process as /proc shows it, for accounting.
 */
#ifndef SPUR_STEP_PROC_H
#define SPUR_STEP_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
    pid_t pid, parent, group;
    uint64_t user_us, sys_us; /* including children that it has waited for */
    uint64_t pages;           /* major faults, counted likewise */
    uint64_t rss_kb, vm_kb;   /* now */
    uint64_t read_bytes, write_bytes;
};

/* False: the process is gone. */
bool proc_read(pid_t pid, struct proc *out);
/* Only the I/O bytes, also of a zombie.  False: not available. */
bool proc_read_io(pid_t pid, struct proc *out);

/* Parse the text of /proc/PID/stat; the process name in it may contain any character. */
bool proc_parse_stat(const char *text, struct proc *out);

#endif
