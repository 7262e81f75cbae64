/*
 * spawner - the process that forks supervisors: a running spurstepd forks one for each order.
 *
 * Starting a program costs more than most of its run (above all on virtual machines), and a short job should not pay
 * that for its supervisor.  The agent starts one spawner and sends it orders; the spawner ends with its agent, the
 * supervisors that it forked continue.
 */
#ifndef SPUR_STEP_SPAWNER_H
#define SPUR_STEP_SPAWNER_H

#include "base/err.h"
#include "wire/step_env.h" /* SPAWNER_SPOOL */

#define SPAWNER_FD 3 /* the socket to the agent */

/* What is passed with one order. */
struct spawn_order {
    int record, agent, job; /* the step's file (locked), a socket to the agent, the job's folder: see step.h */
    const char *groups;     /* the user's groups, comma-separated: a supervisor uses no name service */
    const char *group;      /* name of the job's group */
    const char *user, *home, *shell;
    const char *io_host; /* srun's address when the order has only a name; "" */
    const char *title;   /* for ps */
};

/* For the agent: send an order.  The caller closes its descriptors. */
int spawner_send(int fd, const struct spawn_order *o, struct err *err);

/* The spawner's loop: returns in each forked supervisor, with its order (which owns its texts); never in the
 * spawner. */
void spawner_serve(struct spawn_order *out);

/* Settings for all supervisors, in the spawner's environment. */
#define SPAWNER_CONF "SPUR_STEP_CONF"     /* slurm.conf */
#define SPAWNER_TMP "SPUR_STEP_TMP"       /* TmpFS */
#define SPAWNER_APPEND "SPUR_STEP_APPEND" /* set: JobFileAppend=1 */
#define SPAWNER_ACCT "SPUR_STEP_ACCT"     /* JobAcctGatherFrequency */
#define SPAWNER_TASK_PROLOG "SPUR_STEP_TASK_PROLOG" /* TaskProlog, TaskEpilog: absolute paths */
#define SPAWNER_TASK_EPILOG "SPUR_STEP_TASK_EPILOG"
#define SPAWNER_CGROUP "SPUR_STEP_CGROUP" /* cgroups and limits: cgroup.h */
#define SPAWNER_TOPOLOGY "SPUR_STEP_TOPOLOGY" /* the node's CPUs: topo.h */
#define SPAWNER_BIND "SPUR_STEP_BIND"         /* the site's settings for binding: bind.h */
#define SPAWNER_PMIX "SPUR_STEP_PMIX"     /* the PMIx helper, where there is one */
#define SPAWNER_TMPFS "SPUR_STEP_TMPFS"   /* private folders: tmpfs.h */
#define SPAWNER_GPUS "SPUR_STEP_GPUS_NEAR"    /* GPUs of gres.conf: device_locality.h */
#define SPAWNER_TITLE "spurstepd: waiting for orders                                    "

#endif
