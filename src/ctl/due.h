/*
 * due - what has to happen at a time: a heap of reminders.
 *
 * A reminder that no longer fits (its job ended, its attempt is over) is simply ignored
 * when its time comes: nobody looks for it before.
 */
#ifndef SPUR_CTL_DUE_H
#define SPUR_CTL_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum due_kind { DUE_LIMIT, DUE_WARN, DUE_DEADLINE, DUE_PURGE, DUE_NODE, DUE_BEAT, DUE_DEPEND, DUE_PLAN, DUE_IMMEDIATE, DUE_STEP, DUE_STEP_WAIT,
                DUE_SPREAD, DUE_RESV, DUE_RANK, DUE_GANG, DUE_YIELD, DUE_CHARGE, DUE_CROWD };

struct due {
    int64_t at_ms;
    enum due_kind kind;
    uint32_t id, attempt; /* a job, or a node; DUE_STEP: the step instead of the attempt; DUE_SPREAD: a number */
};

struct due_heap {
    VEC(struct due) v;
};

void due_add(struct due_heap *h, int64_t at_ms, enum due_kind kind, uint32_t id, uint32_t attempt);
bool due_pop(struct due_heap *h, int64_t now_ms, struct due *out); /* the earliest, if its time has come */
int64_t due_next(const struct due_heap *h);                        /* 0: nothing */
void due_clear(struct due_heap *h);

#endif
