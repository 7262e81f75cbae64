/*
 * proc - one process as /proc shows it, in the numbers that usage is made of.
 */
#ifndef SPUR_STEP_PROC_H
#define SPUR_STEP_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
    pid_t pid, parent, group;
    uint64_t user_us, sys_us; /* its own, and those of the children it has waited for */
    uint64_t pages;           /* faults that needed the disk, counted likewise */
    uint64_t rss_kb, vm_kb;   /* now */
    uint64_t read_bytes, write_bytes;
};

/* False: it is gone. */
bool proc_read(pid_t pid, struct proc *out);
/* Bytes alone, also of a process that has ended and was not waited for.  False: the kernel does not say. */
bool proc_read_io(pid_t pid, struct proc *out);

/* The text of /proc/PID/stat, taken apart; the name in it may hold anything. */
bool proc_parse_stat(const char *text, struct proc *out);

#endif
