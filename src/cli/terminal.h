/*
 * terminal - srun's own terminal while a task has it: raw, so that every key is the task's, and put back whatever
 * happens.
 */
#ifndef SPUR_CLI_TERMINAL_H
#define SPUR_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* 0, or errno: that is no terminal. */
int terminal_size(int fd, uint32_t *rows, uint32_t *cols);

/* From here on keys come as they are typed; restored by terminal_restore() and when the process exits. */
void terminal_raw(int fd);
void terminal_restore(void);
/* After a stop: another process may have changed it. */
void terminal_resume(void);

#endif
