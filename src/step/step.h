/*
 * step - one job step on one node, as its supervisor sees it.
 *
 * The supervisor is one thread around one ppoll(): it starts the tasks, carries their output, signals them on request,
 * and leaves no process running at the end.  It does not depend on its agent: it executes orders when one is connected.
 */
#ifndef SPUR_STEP_STEP_H
#define SPUR_STEP_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "io/link_wait.h"
#include "message.pb-c.h"
#include "step/env.h"
#include "step/spool.h"

struct task {
    pid_t pid, epilog; /* epilog: the process that runs its epilogs; 0: none */
    bool running;
    int status;
    int in, out, err; /* our ends of its pipes; -1: a file, or closed */
    uint32_t rank;
    struct buf stdin_data; /* from srun, not yet written to the task */
    bool stdin_eof;
    bool pty; /* in and out are its terminal */
    bool exit_told;
    size_t late; /* bytes read from its streams after the end of every process */
};

/* A process that works as the user: as_user.h. */
struct as_user {
    int fd, process; /* the socket to it, and its pidfd; -1: none */
};

struct io;
struct step_pmi;
struct watch;
struct usage;
struct binding;
struct cgroup;

struct step {
    Pb__LaunchOrder *order;
    struct step_key key;
    bool batch, hook;        /* a batch script; a prolog or epilog: hook.h */
    bool append;             /* JobFileAppend: the default for batch jobs */
    int record_fd, job_fd;   /* its file and its folder in the spool */
    struct link_wait agent;
    int listen_fd; /* where the next agent connects after the last one is gone; -1: not open */
    char *script; /* path of the batch script in the spool */

    struct env env;
    struct env_node node;
    gid_t *group;
    size_t ngroups;

    struct task *task;
    uint32_t ntasks, nrunning;
    int log_fd;          /* in a task's process: its stderr, for messages; -1 in the supervisor */
    bool notices;        /* messages about the job go into the file that is its stderr: notice.h; else to srun */
    bool notices_stuck;  /* that file takes none */
    int broken_fd;       /* a batch script's process says here why it could not be started; -1: none */
    struct watch *watch; /* further descriptors and timers of the loop: watch.h */
    struct cgroup *cgroup; /* its boxes: cgroup.h; NULL: none */
    int tmpfs_ns; /* its private folders: tmpfs.h; -1: none */
    struct usage *use;   /* what the tasks use: usage.h */
    struct binding *binding; /* their CPUs and memory: bind.h */
    struct step_pmi *pmi; /* the MPI library's server, or NULL: pmi.h */
    struct io *io;       /* the connection to srun, or NULL */
    const char *io_host; /* srun's address, as the agent found it; "": it is in the order */
    int start_error;     /* the tasks could not be started */

    bool terminating;   /* the end was ordered */
    bool end_told;      /* the message about it was printed */
    bool oom;           /* the kernel's OOM killer killed one of its processes */
    bool over;          /* every task has ended: processes left behind are being killed */
    bool lingers;       /* not killed yet: they hold the tasks' output */
    int64_t term_at_ms; /* when SIGTERM is sent after a preemption warning; 0: not planned */
    int64_t kill_at_ms; /* when SIGKILL is sent; 0: not planned */
    int64_t stop_at_ms; /* when the step is suspended after a warning; 0: not planned */
    int64_t kill_pause_ms;
    Pb__Report report;
    Pb__Usage usage;
    char why[256]; /* text of the report */
};

/* ---- main.c ---- */
/* Handle what has come, or wait for it, until a time of the monotonic clock (-1: none). */
void step_wait(struct step *s, int64_t until_ms);
/* A line for the job's output, in the form Slurm's daemons use. */
void step_say(struct step *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- kill.c ---- */
void step_kill(struct step *s, const Pb__KillOrder *k);
void step_kill_due(struct step *s); /* call at kill_at_ms */
void step_stop_due(struct step *s); /* call at stop_at_ms */
void step_term_due(struct step *s); /* call at term_at_ms */

/* ---- agent.c: the agent that started us, or its successor ---- */
void agent_readable(struct step *s); /* orders have arrived, or the agent is gone */
void agent_accept(struct step *s);
void agent_report(struct step *s); /* the end: recorded in the spool, reported to the agent */

#endif
