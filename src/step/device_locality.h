/*
 * device_locality - which GPUs are close to which task: Cores= of gres.conf against the CPUs that the task is bound to.
 *
 * The agent passes the settings of gres.conf as one text: the variables with GPU lists that processes get
 * ("cuda,rocr,ze,opencl"; "all", "none"), then for each GPU in turn its cores ("0-3"; "-": any).
 */
#ifndef SPUR_STEP_DEVICE_LOCALITY_H
#define SPUR_STEP_DEVICE_LOCALITY_H

#include "step/step.h"

/* Set which variables with GPU lists the processes of this node get; call when the order is read. */
void device_locality_lists(struct step *s);
/* Find the GPUs close to each task, where the request needs them; call when the masks are made. */
void device_locality_prepare(struct step *s);

#endif
