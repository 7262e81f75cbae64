/*
 * timer_heap - timers in the order of their time.
 *
 * A timer is never removed before its time: one that no longer fits (its job ended, its attempt is over) is ignored
 * when it fires.
 */
#ifndef SPUR_CTL_TIMER_HEAP_H
#define SPUR_CTL_TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* modules.c has the handler of each */
enum timer_kind {
    TIMER_LIMIT,
    TIMER_WARN,
    TIMER_DEADLINE,
    TIMER_PURGE,
    TIMER_IMMEDIATE,
    TIMER_NODE,
    TIMER_HEARTBEAT,
    TIMER_FENCE,
    TIMER_DEPEND,
    TIMER_PLAN,
    TIMER_STEP,
    TIMER_STEP_WAIT,
    TIMER_FANOUT,
    TIMER_RESV,
    TIMER_PRIORITY,
    TIMER_GANG,
    TIMER_YIELD,
    TIMER_USAGE,
    TIMER_QUERY_CACHE,
    TIMER_KINDS
};

struct timer_entry {
    int64_t at_ms;
    enum timer_kind kind;
    /* of a job; TIMER_NODE, TIMER_HEARTBEAT, TIMER_FENCE: a node; TIMER_RESV: a reservation; TIMER_FANOUT: a branch */
    uint32_t id;
    uint32_t attempt; /* TIMER_STEP: the step */
};

struct timer_heap {
    VEC(struct timer_entry) v;
};

void timer_add(struct timer_heap *h, int64_t at_ms, enum timer_kind kind, uint32_t id, uint32_t attempt);
bool timer_pop(struct timer_heap *h, int64_t now_ms, struct timer_entry *out); /* the earliest, if its time has come */
int64_t timer_next(const struct timer_heap *h);                        /* 0: nothing */
void timer_clear(struct timer_heap *h);

#endif
