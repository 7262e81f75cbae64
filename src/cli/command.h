/*
 * command - salloc's command: a child in a process group of its own, which has the terminal while it runs.
 */
#ifndef SPUR_CLI_COMMAND_H
#define SPUR_CLI_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
    pid_t pid;        /* 0: it has ended, or did not start */
    int status;       /* wait status, once ended */
    int child_fd;     /* readable when something happened to it */
    bool interactive; /* our terminal is its */
};

/* Prepare before anything else is forked: SIGCHLD is read from child_fd from here on. */
void command_init(struct command *c);
/* Start it: `before` runs in the child.  0, or errno. */
int command_start(struct command *c, char **argv, void (*before)(void *arg), void *arg);
/* Something may have happened: ended?  A command that was stopped stops us, too, as a shell would expect. */
bool command_ended(struct command *c);
void command_signal(const struct command *c, int signo); /* to its whole group */
/* The allocation is gone: whatever runs in the foreground of its terminal is told so. */
void command_hang_up(const struct command *c);
/* The terminal is ours again, as it was. */
void command_clear(struct command *c);

#endif
