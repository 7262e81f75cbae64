/*
 * loop - runs the controller's turns: when a turn is due, what goes into it, and what leaves after its commit.
 *
 * Everything that arrives in one poll becomes one turn.  One entry is in flight at a time: requests that arrive
 * meanwhile wait for the next turn, and the messages of a turn leave when its entry is committed.
 */
#ifndef SPUR_CTL_LOOP_H
#define SPUR_CTL_LOOP_H

#include <uv.h>

#include "base/vec.h"
#include "ctl/send_queue.h"

struct daemon;

struct script_end { /* a controller script that has ended; reported to ctl in the next turn */
    uint32_t job_id, attempt;
    bool epilog;
    int status;
    char *fence; /* the node that SpurFenceProgram ran for; NULL: another script */
};

struct loop {
    uv_check_t turner; /* after the poll: runs a turn if one is wanted */
    uv_idle_t awake;   /* keeps the loop from sleeping while a turn is wanted */
    uv_timer_t timer;  /* ctl's earliest timer */
    struct send_queue send_queue;
    VEC(struct script_end) scripts_ended;
    bool wanted, in_flight, lead_wanted, leading;
};

void loop_init(struct daemon *d);
void loop_close(struct daemon *d);
void loop_want_turn(struct daemon *d);
void loop_lead(struct daemon *d);   /* this controller leads: the next turn begins with it */
void loop_follow(struct daemon *d); /* it leads no more */
/* The state in memory is a guess from here on: execute the program anew and rebuild the state from the log. */
void loop_start_again(struct daemon *d, const char *why, unsigned wait_ms);

#endif
