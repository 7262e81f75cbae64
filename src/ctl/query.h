/*
 * query - lists of jobs, nodes and partitions, as clients ask for them.
 */
#ifndef SPUR_CTL_QUERY_H
#define SPUR_CTL_QUERY_H

#include "ctl/ctl_priv.h"

bool query_match(const struct ctl *t, const Pb__JobQuery *q, const struct job *j); /* does a job match a filter? */
bool query_named(char *const *list, size_t n, const char *v); /* is it one of the list, or is the list empty? */

#endif
