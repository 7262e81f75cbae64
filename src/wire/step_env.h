/*
 * step_env - the environment variable by which the supervisors of one spool are recognised in /proc.
 *
 * The agent sets it for its supervisors; `spur down` looks for it when it ends a cluster.
 */
#ifndef SPUR_WIRE_STEP_ENV_H
#define SPUR_WIRE_STEP_ENV_H

#define SPAWNER_SPOOL "SPUR_STEP_SPOOL" /* path of the spool */

#endif
