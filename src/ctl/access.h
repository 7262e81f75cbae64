/*
 * access - which users may use a partition.
 */
#ifndef SPUR_CTL_ACCESS_H
#define SPUR_CTL_ACCESS_H

#include "ctl/ctl_priv.h"

/* 0, or Slurm's error for the user. */
int access_part(const struct ctl *t, const struct part *p, uint32_t uid, uint32_t gid, const char *account);

#endif
