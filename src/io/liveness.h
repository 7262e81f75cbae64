/*
 * liveness - when to ask a silent peer whether it is there, and when to leave it.
 *
 * A controller that is stopped, or behind a cut cable, keeps its connections: only an answer shows that it lives.  An
 * agent and a command that waits send MSG_PING after an interval of silence, which the controller's loop answers with
 * MSG_PONG at once, outside its turns; any other frame counts as an answer, too.  A connection over which nothing comes
 * for a few intervals is closed, and the next controller is tried.  This is the whole policy: the limits follow from
 * SlurmdTimeout, so that agents have moved to another controller well before their nodes are down.
 *
 * Pure: times are the caller's, from a clock that does not step.
 */
#ifndef SPUR_IO_LIVENESS_H
#define SPUR_IO_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#define LIVENESS_SILENCE_MAX_MS 15000 /* a connection without an answer for so long is closed */
#define LIVENESS_SILENCE_MIN_MS 1500
#define LIVENESS_INTERVALS 3          /* ... which is so many intervals */

enum liveness_verdict {
    LIVENESS_FINE, /* nothing to do before liveness_next() */
    LIVENESS_ASK,  /* send a MSG_PING */
    LIVENESS_DEAD, /* close the connection */
};

struct liveness {
    int64_t interval_ms, silence_ms;
    int64_t heard_ms;   /* the last frame */
    int64_t asked_ms;   /* the last ping since then; 0: none */
    int64_t since_ms;   /* the first ping since then; 0: none */
    int64_t checked_ms; /* the last check: one that comes late says that this process stood still */
};

/* A connection is new: from now on it has to be heard of.  SlurmdTimeout of 0: the longest silence. */
void liveness_start(struct liveness *l, uint32_t slurmd_timeout_s, int64_t now_ms);
void liveness_heard(struct liveness *l, int64_t now_ms);
enum liveness_verdict liveness_check(struct liveness *l, int64_t now_ms);
int64_t liveness_next(const struct liveness *l); /* when to check again */

#endif
