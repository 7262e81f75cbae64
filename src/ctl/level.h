/*
 * level - the leader raises the cluster's feature level (core/level.h) once all controllers read it.
 */
#ifndef SPUR_CTL_LEVEL_H
#define SPUR_CTL_LEVEL_H

#include "ctl/change.h"

void level_open(struct ctl *t);
void level_close(struct ctl *t);
void level_raise(struct ctl *t);                                   /* at the end of a turn */
void level_job_new(struct ctl *t, const struct change *ch);       /* of a build that rehearses the next level */

#endif
