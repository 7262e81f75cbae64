/*
 * tasks - the tasks of a step as srun sees them: which have ended, how, and the messages about it.
 */
#ifndef SPUR_CLI_TASKS_H
#define SPUR_CLI_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "text/strs.h"

struct task {
    int status; /* wait status, once ended */
    bool ended, lost, told;
    bool eof[3]; /* of its stdout [1] and stderr [2], as far as they come through srun */
    uint32_t node;
};

struct tasks {
    struct task *at;
    uint32_t n, ended;
    uint32_t untold;   /* ended badly and not yet said */
    bool once;         /* ends that follow each other alike are said once ($SLURM_SRUN_REDUCE_TASK_EXIT_MSG) */
    int said;          /* the last status that was said; 0: none */
    struct strs nodes; /* names by index */
};

void tasks_init(struct tasks *t, uint32_t n);
void tasks_clear(struct tasks *t);
void tasks_node(struct tasks *t, uint32_t node, const char *name, const uint32_t *rank,
                uint32_t n); /* where they run */
void tasks_end(struct tasks *t, uint32_t task, int status);
void tasks_lose(struct tasks *t, uint32_t task); /* its node is gone */

/* Tasks that ended by this signal are no news: it was asked for. */
void tasks_expected(struct tasks *t, int signo);
/* Say what has not been said: one line for the tasks of a node that ended alike: "error: n1: tasks 0-2: Exited with
 * exit code 3". */
void tasks_tell(struct tasks *t);
/* Which tasks run: "StepId=12.0 tasks 0-1: running". */
void tasks_status(const struct tasks *t, uint32_t job, uint32_t step);

int tasks_code(const struct tasks *t);  /* the highest exit code; 128 + n for signal n */
int tasks_worst(const struct tasks *t); /* the wait status that goes with it */

#endif
