/*
 * node_states - node states by every name Slurm has for them, for sinfo -t.
 */
#ifndef SPUR_CLI_NODE_STATES_H
#define SPUR_CLI_NODE_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Is `state` what `word` means ("idle", "alloc", "drained", ...; a beginning of the word is enough)?
 * -1: there is no such state. */
int node_state_is(const char *word, uint32_t state);
void node_state_names(struct buf *out, const char *sep);

#endif
