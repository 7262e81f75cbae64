/*
 * device_locality - which GPUs are close to which task: Cores= of gres.conf against the CPUs that the task is bound to.
 *
 * The agent hands over what gres.conf says as one text: the lists that tell a process its GPUs ("cuda,rocr,ze,opencl";
 * "all", "none"), then for each GPU in turn its cores ("0-3"; "-": any).
 */
#ifndef SPUR_STEP_DEVICE_LOCALITY_H
#define SPUR_STEP_DEVICE_LOCALITY_H

#include "step/step.h"

/* With the order read: which lists the processes of this node are given. */
void device_locality_lists(struct step *s);
/* With the masks made: which GPUs each task is near to, where the request asks for that. */
void device_locality_prepare(struct step *s);

#endif
