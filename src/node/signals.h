/*
 * signals - spurd's handling of signals: TERM and INT stop it, HUP restarts it with the configuration read again, USR2
 * reopens the log file after a rotation.
 *
 * Steps outlive their agent, so a restart by HUP does not affect them: the process keeps its pid and executes itself.
 * A configuration with a mistake is rejected with a log message, and the agent keeps the one it has.
 */
#ifndef SPUR_NODE_SIGNALS_H
#define SPUR_NODE_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

struct signals {
    char **argv;
    const char *conf; /* path of the configuration; NULL: the default search */
    void (*stop)(void *arg, int signo);
    void *arg;
};

/* Call before anything changes the working folder.  True: HUP has restarted this process. */
bool signals_init(void);
void signals_watch(uv_loop_t *loop, const struct signals *s); /* `s` is borrowed and must stay valid */

#endif
