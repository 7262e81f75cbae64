/*
 * config_topo - the site's network as a part of EvConfig.
 */
#ifndef SPUR_CTL_CONFIG_TOPO_H
#define SPUR_CTL_CONFIG_TOPO_H

#include "event.pb-c.h"
#include "text/site.h"

/* Fill the event's topologies; they point into the site until config_topo_done(). */
void config_topo_begin(const struct site *s, Pb__EvConfig *out);
void config_topo_done(Pb__EvConfig *c);

#endif
