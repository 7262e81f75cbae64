/*
 * rlimits - the resource limits of the submitting shell, given to the job (sbatch --propagate).
 *
 * Soft limits are carried over, as Slurm does; the hard ones stay the node's.
 */
#ifndef SPUR_STEP_RLIMITS_H
#define SPUR_STEP_RLIMITS_H

#include <stddef.h>

#include "record.pb-c.h"

/* `say(arg, text)` gets a line for the job's output about a limit that was requested by name and could not be set; as
 * much of it as this node allows is set in any case. */
typedef void rlimits_say_fn(void *arg, const char *text);
void rlimits_apply(Pb__Rlimit *const *limits, size_t n, rlimits_say_fn *say, void *arg);

#endif
