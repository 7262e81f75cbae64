/*
 * hatch - where supervisors come from: a spurstepd that is already there forks one for each order.
 *
 * Starting a program costs more than running most of it (on virtual machines above all), and a short job should not
 * pay that for its supervisor.  The agent starts one hatchery and sends it orders; it ends when its agent ends, and
 * the supervisors it made live on.
 */
#ifndef SPUR_STEP_HATCH_H
#define SPUR_STEP_HATCH_H

#include "base/err.h"
#include "wire/step_env.h" /* HATCH_SPOOL */

#define HATCH_FD 3 /* the socket to the agent */

/* What one order brings along. */
struct hatch_order {
    int record, agent, job; /* the step's file (locked), a socket to the agent, the job's folder: see step.h */
    const char *groups;     /* the user's groups, by comma: a supervisor asks no name service */
    const char *group;      /* name of the job's group */
    const char *user, *home, *shell;
    const char *io_host; /* srun's address when the order has but a name; "" */
    const char *title;   /* for ps */
};

/* The agent's side: hand an order over.  The caller closes its descriptors. */
int hatch_send(int fd, const struct hatch_order *o, struct err *err);

/* The hatchery: returns once in every supervisor, with its order (texts are the supervisor's own); never in the
 * hatchery. */
void hatch_serve(struct hatch_order *out);

/* Words that are the same for all, in the hatchery's environment. */
#define HATCH_CONF "SPUR_STEP_CONF"     /* slurm.conf */
#define HATCH_TMP "SPUR_STEP_TMP"       /* TmpFS */
#define HATCH_APPEND "SPUR_STEP_APPEND" /* set: JobFileAppend=1 */
#define HATCH_ACCT "SPUR_STEP_ACCT"     /* JobAcctGatherFrequency */
#define HATCH_TASK_PROLOG "SPUR_STEP_TASK_PROLOG" /* TaskProlog, TaskEpilog: absolute paths */
#define HATCH_TASK_EPILOG "SPUR_STEP_TASK_EPILOG"
#define HATCH_CGROUP "SPUR_STEP_CGROUP" /* what is enforced and where: cgroup.h */
#define HATCH_TOPOLOGY "SPUR_STEP_TOPOLOGY" /* the node's CPUs: topo.h */
#define HATCH_BIND "SPUR_STEP_BIND"         /* what the site says about binding: bind.h */
#define HATCH_PMIX "SPUR_STEP_PMIX"     /* the PMIx helper, where there is one */
#define HATCH_TMPFS "SPUR_STEP_TMPFS"   /* private folders: tmpfs.h */
#define HATCH_GPUS "SPUR_STEP_GPUS_NEAR"    /* what gres.conf says of the GPUs: near.h */
#define HATCH_TITLE "spurstepd: waiting for orders                                    "

#endif
