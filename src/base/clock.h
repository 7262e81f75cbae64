/*
 * clock - the two clocks of the system, read in one place.
 *
 * The monotonic clock measures waits and deadlines: it never steps back and means nothing to another machine.  The wall
 * clock dates what is stored, signed or shown.  core, sched and ctl read neither: they are told the time.
 */
#ifndef SPUR_BASE_CLOCK_H
#define SPUR_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ms(void);
int64_t clock_mono_us(void);
int64_t clock_wall_ms(void); /* since 1970, UTC */
int64_t clock_wall_us(void);

#endif
