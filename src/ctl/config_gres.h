/* config_gres - what gres.conf says about cores becomes part of the configuration that the state knows. */
#ifndef SPUR_CTL_CONFIG_GRES_H
#define SPUR_CTL_CONFIG_GRES_H

#include "record.pb-c.h"
#include "text/site.h"

/* Fill `devices` and `gres` of a node's definition where its devices are near to some cores; free with
 * config_gres_done(). */
void config_gres(const struct site *s, size_t node, Pb__NodeDef *d);
void config_gres_done(Pb__NodeDef *d);

#endif
