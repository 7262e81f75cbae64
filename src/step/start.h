/*
 * start - what an agent hands to the supervisor it starts: open files by number, words in the environment.
 */
#ifndef SPUR_STEP_START_H
#define SPUR_STEP_START_H

#define START_RECORD_FD 3        /* the step's file in the spool, locked; its first frame is the order */
#define START_AGENT_FD  4        /* a socket to the agent */
#define START_JOB_FD    5        /* the job's folder in the spool */

#define START_SPOOL  "SPUR_STEP_SPOOL"       /* path of the spool */
#define START_GROUPS "SPUR_STEP_GROUPS"      /* the user's groups, by comma: the supervisor asks no name service */
#define START_GROUP  "SPUR_STEP_GROUP"       /* name of the job's group */
#define START_CONF   "SPUR_STEP_CONF"        /* slurm.conf */
#define START_TMP    "SPUR_STEP_TMP"         /* TmpFS */
#define START_APPEND "SPUR_STEP_APPEND"      /* set: JobFileAppend=1 */

#define START_TASKS_MAX 65533u

#endif
