/*
 * site_gres - gres.conf as the controller needs it: which devices of which node are near to which cores.
 */
#ifndef SPUR_TEXT_SITE_GRES_H
#define SPUR_TEXT_SITE_GRES_H

#include "text/gres_conf.h"
#include "text/site.h"

/* Read gres.conf beside slurm.conf into site->devices.  A file that is not there, or that names no cores, leaves it
 * NULL. */
int site_gres_load(struct site *s, struct err *err);
void site_gres_free(struct site *s);

/* "0-3" of the n-th device of (name, type) of a node, as in its line; "": any core. */
const char *site_gres_cores(const struct site *s, size_t node, const char *name, const char *type, uint32_t index);

#endif
