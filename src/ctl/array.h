/*
 * array - a task of a waiting array gets a record of its own.
 */
#ifndef SPUR_CTL_ARRAY_H
#define SPUR_CTL_ARRAY_H

#include "ctl/ctl_priv.h"

struct job *array_split(struct ctl *t, struct job *j, uint32_t task, struct err *err);

#endif
