/*
 * reload - reads the files of the configuration: at the start, when this controller becomes the leader, and when asked
 * to.
 *
 * The files count together: a mistake in one of them leaves the configuration as it is.
 */
#ifndef SPUR_CTL_RELOAD_H
#define SPUR_CTL_RELOAD_H

#include "text/site.h"

struct daemon;

int reload_files(struct site **out, const char *path, struct err *err); /* slurm.conf, topology, gres.conf */
/* The configuration as the files have it now; NULL when they have a mistake (logged). */
struct site *reload_site(struct daemon *d);
/* Inside a turn: scontrol reconfigure, or SIGHUP (session 0). */
void reload_reconfigure(struct daemon *d, uint64_t session, uint64_t number);
void reload_warnings(const struct site *site); /* log keys without effect, and values that are odd */

/* The key folder; connections go on with the certificates that they began with. */
int reload_keys(struct daemon *d, struct err *err);

#endif
