/*
 * update - scontrol update, as key and value pairs, one file per kind of record.
 */
#ifndef SPUR_CTL_UPDATE_H
#define SPUR_CTL_UPDATE_H

#include "ctl/ctl_priv.h"

const char *update_value(const Pb__UpdateRequest *r, const char *key); /* NULL when it is not among the pairs */

void update_job(const struct ctl_call *call, const Pb__UpdateRequest *r); /* answers the request */
int update_step(const struct ctl_call *call, const Pb__UpdateRequest *r, struct err *err);
int update_node(struct ctl *t, const struct ctl_peer *peer, const Pb__UpdateRequest *r, struct err *err);
int update_part(struct ctl *t, const Pb__UpdateRequest *r, struct err *err);

#endif
