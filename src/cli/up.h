/*
 * up - the options that `spur up`, `spur env` and `spur down` share.
 */
#ifndef SPUR_CLI_UP_H
#define SPUR_CLI_UP_H

#include "cli/instance.h"
#include "text/opt.h"

enum { CMD_UP, CMD_ENV, CMD_DOWN };

struct up_opts {
    char *dir, *conf;
    uint32_t nodes, controllers;
    int keep_jobs, help, emulate;
};

/* Read argv.  0, or *status is the exit status, with everything said. */
int up_options(unsigned which, int argc, char **argv, struct up_opts *o, int *status);

/* Report the failure; the exit status. */
int up_failed(const struct err *err);

/* Links with Slurm's names for this program in DIR/bin. */
int up_links(const struct instance *in, struct err *err);

#endif
