/*
 * watch - descriptors and timers of a supervisor besides its agent, its tasks and their streams.
 *
 * The parts of a step (limits, MPI, terminals, usage) register what they need, so that the loop in main.c does not
 * depend on them.  A handler may add and drop watches, also its own.
 */
#ifndef SPUR_STEP_WATCH_H
#define SPUR_STEP_WATCH_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "step/step.h"

typedef void watch_fd_fn(struct step *s, int fd, short revents, void *arg);
typedef void watch_time_fn(struct step *s, void *arg);

/* Wait for `events` on fd; a second call with the same fd replaces the events.  The caller keeps the descriptor. */
void watch_fd(struct step *s, int fd, short events, watch_fd_fn *fn, void *arg);
void watch_drop(struct step *s, int fd);
/* Call `fn` once at `at_ms` (clock_mono_ms); a second call with the same fn and arg replaces the time; 0: never. */
void watch_at(struct step *s, int64_t at_ms, watch_time_fn *fn, void *arg);

/* ---- the loop's part ---- */
nfds_t watch_count(const struct step *s);
void watch_poll(const struct step *s, struct pollfd *fds);          /* fills watch_count() descriptors */
void watch_handle(struct step *s, const struct pollfd *fds, nfds_t n); /* results of poll, then due timers */
int64_t watch_next_ms(const struct step *s);                        /* -1: no moment is set */

#endif
