/*
 * daemon - spurctld: ctl, the ledger and the sockets on one loop.
 *
 * When an entry's fate is unknown, or the disk refused it, the process starts again from the log: the state it had was
 * a guess.  Its parts: loop.h (turns), sessions.h (connections), raft_glue.h (the ledger), reload.h (configuration).
 */
#ifndef SPUR_CTL_DAEMON_H
#define SPUR_CTL_DAEMON_H

#include "ctl/ctl.h"

struct daemon_conf {
    const char *conf_path; /* NULL: none */
    uint64_t id;
    char **argv; /* to start again */
};

/* Runs until it is told to stop; the exit code. */
int daemon_run(const struct daemon_conf *conf, struct site *site);

#endif
