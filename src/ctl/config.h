/*
 * config - from the site's files to the state's nodes and partitions, and to the scheduler's policy.
 */
#ifndef SPUR_CTL_CONFIG_H
#define SPUR_CTL_CONFIG_H

#include "ctl/ctl_priv.h"

void config_use(struct ctl *t, struct site *site); /* taken over; every module is configured anew */
/* Put the configuration into the state; unless `always`, only when it differs from the one there: changes made by
 * scontrol since then stay. */
void config_emit(struct ctl *t, bool always);
void config_sched(const struct site *site, struct sched_conf *out);

/* AccountingStorageEnforce */
bool config_limits(const struct site *site);
bool config_limits_safe(const struct site *site);

#endif
