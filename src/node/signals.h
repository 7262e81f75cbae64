/*
 * signals - what spurd does on signals: TERM and INT stop it, HUP starts it again with the configuration read anew,
 * USR2 opens the log file again after a rotation.
 *
 * Steps outlive their agent, so a restart by HUP changes nothing for them: the process keeps its id and executes
 * itself.  A configuration with a mistake is refused in the log, and the agent goes on with the one it has.
 */
#ifndef SPUR_NODE_SIGNALS_H
#define SPUR_NODE_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

struct signals {
    char **argv;
    const char *conf; /* the configuration's path; NULL: where it is looked for */
    void (*stop)(void *arg, int signo);
    void *arg;
};

/* Before anything changes the working folder.  True: this process was started again by HUP. */
bool signals_init(void);
void signals_watch(uv_loop_t *loop, const struct signals *s); /* `s` stays the caller's and must live on */

#endif
