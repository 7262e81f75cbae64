/*
 * license - licences at the controller: from the configuration into the state, and listed for clients.
 */
#ifndef SPUR_CTL_LICENSE_H
#define SPUR_CTL_LICENSE_H

#include "core/license.h"
#include "ctl/ctl_priv.h"

/* Fill in the event's licences from the site's; `lic` holds the names and must outlive it, the array is the caller's to
 * free. */
void license_config_begin(const struct site *s, struct license_list *lic, Pb__EvConfig *out);

/* May a job ask for these?  They can be read, and the cluster has so many. */
bool license_allowed(const struct ctl *t, const char *text);


#endif
