/*
 * watch - what a supervisor waits for besides its agent, its tasks and their streams: descriptors and moments.
 *
 * The parts of a step (limits, MPI, terminals, usage) each add what they need here, and the loop in main.c knows
 * none of them by name.  A handler may add and drop watches, its own among them.
 */
#ifndef SPUR_STEP_WATCH_H
#define SPUR_STEP_WATCH_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "step/step.h"

typedef void watch_fd_fn(struct step *s, int fd, short revents, void *arg);
typedef void watch_time_fn(struct step *s, void *arg);

/* Wait for `events` on fd; asked again with the same fd, the events change.  The descriptor stays the caller's. */
void watch_fd(struct step *s, int fd, short events, watch_fd_fn *fn, void *arg);
void watch_drop(struct step *s, int fd);
/* Call once at `at_ms` (clock_mono_ms); asked again with the same fn and arg the moment moves; 0: never. */
void watch_at(struct step *s, int64_t at_ms, watch_time_fn *fn, void *arg);

/* ---- the loop's part ---- */
nfds_t watch_count(const struct step *s);
void watch_poll(const struct step *s, struct pollfd *fds);          /* fills watch_count() of them */
void watch_handle(struct step *s, const struct pollfd *fds, nfds_t n); /* what poll answered, then what is due */
int64_t watch_next_ms(const struct step *s);                        /* -1: no moment is set */

#endif
