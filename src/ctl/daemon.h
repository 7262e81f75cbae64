/*
 * daemon - spurctld: ctl, the ledger and the sockets on one loop.
 *
 * Requests that arrive while an entry is under way wait for the next turn; a turn's words
 * leave when its entry is committed.  When an entry's fate is unknown, or the disk refused it,
 * the process starts again from the log: the state it had was a guess.
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

/* Tell what of the configuration nothing acts on, and what is odd about it. */
void daemon_doubts(const struct site *site);

#endif
