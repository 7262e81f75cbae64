/*
 * states - job states by every name Slurm has for them, also states that no job here is ever in.
 */
#ifndef SPUR_CLI_STATES_H
#define SPUR_CLI_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define STATE_NEVER 0x00ffff00u  /* a state that is known and never reached here */

/* By name or code, any case. */
bool state_find(const char *text, uint32_t *state);
/* All names with `sep` after each but the last. */
void state_names(struct buf *out, const char *sep);
/* Does `state` (base and flags) match `wanted`? */
bool state_matches(uint32_t state, uint32_t wanted);

#endif
