/*
 * topology - what supervisors need to bind tasks: this machine's CPUs and the site's settings for binding, as text.
 */
#ifndef SPUR_NODE_TOPOLOGY_H
#define SPUR_NODE_TOPOLOGY_H

#include "node/agent.h"

/* For SPAWNER_TOPOLOGY and SPAWNER_BIND: see step/topo.h and step/bind.h.  The caller frees them. */
char *topology_text(const struct agent *a);
char *topology_bind(const struct agent *a);
char *topology_gpus(const struct agent *a); /* for SPAWNER_GPUS: see step/device_locality.h */

#endif
