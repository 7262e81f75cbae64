/*
 * admit - what partitions, accounts and qualities of service say to a submission.
 */
#ifndef SPUR_CTL_ADMIT_H
#define SPUR_CTL_ADMIT_H

#include "ctl/submit.h"

/* The account and the QOS it runs under: as named, or the user's own.  AccountingStorageEnforce says what must be
 * known. */
int admit_assoc(struct submission *s, struct err *err);
/* The partitions that were named, or the default one; an Alternate where one takes no jobs. */
int admit_parts(struct submission *s, struct err *err);
/* The same of a waiting job that gets another account, QOS or partition: 0, or Slurm's error. */
int admit_change(const struct ctl_call *call, const struct job *j, const Pb__JobSpec *spec);
/* What the partition gives each GPU, and more CPUs for memory that would be too much for the ones asked for. */
void admit_shape(struct submission *s);
/* Counts that no cluster could serve, or whose products leave their type: refused before room is made for them. */
int admit_counts(const struct ctl *t, const Pb__JobSpec *spec);
uint64_t admit_gres_max(const char *name); /* the same of one resource: GPUs are multiplied with CPUs and memory */
/* After the defaults: time, nodes and memory against the partitions' limits, and what the user may submit at all. */
int admit_limits(struct submission *s, struct err *err);

#endif
