/*
 * emulate - one process that emulates many nodes: they use the real protocol and run nothing.
 *
 * Each node has its own connection to the controller, its own heartbeat and its place in the tree.  It checks orders as
 * a real node does, and sets a timer where a real node would start a supervisor: for the seconds that SPUR_EMULATE_S in
 * the job's environment gives, else for the time of a script or command that is a mere `sleep N`, else for
 * `emulate_time_s`. The step ends with the code of SPUR_EMULATE_EXIT, or by the signal that ended it.  Nothing is kept
 * on disk: after a restart the emulated nodes have no steps, and the controller orders anew.
 */
#ifndef SPUR_NODE_EMULATE_H
#define SPUR_NODE_EMULATE_H

#include "node/agent.h"

/* Emulate the nodes of `list` until a signal ends the process.  All nodes share everything of `like` except its
 * node. */
int emulate_serve(struct agent *like, const char *list, double time_s, char **argv, struct err *err);

void emulate_order(struct agent *a, const struct frame *f); /* instead of launch_order() */
void emulate_kill(struct step_run *r, const Pb__KillOrder *k);   /* instead of a supervisor */
void emulate_drop(struct step_run *r);                           /* the run is being dropped */

/* ---- emulate_plan.c: what an order means for its nodes ---- */
struct emulate_part {
    struct step_key key;
    uint32_t uid, node_index, tasks, first_task;
    const Pb__Ranks *ranks; /* NULL: consecutive */
    const Pb__IoEndpoint *io;
    uint64_t run_ms;
    uint32_t status; /* the wait status of the step's end */
};

/* The part of node `name` in a signed order; borrowed until the next call.  An order for many nodes is parsed once. */
int emulate_plan(const struct cred_key *key, const Pb__Signed *s, const char *name, double dflt_s, int64_t now_ms,
                 struct emulate_part *out, struct err *err);
/* Is "sleep 5" or "sleep 0.5m" the only command of the script? */
bool emulate_sleep(const char *script, size_t len, double *seconds);

/* ---- emulate_io.c: messages to the launcher of a step ---- */
struct emulate_io *emulate_io_new(struct step_run *r, const struct emulate_part *p);
/* All tasks have ended.  emulate_notified() is called once the launcher has been notified, or cannot be. */
void emulate_io_end(struct emulate_io *io, uint32_t status);
void emulate_io_drop(struct emulate_io *io); /* the run is gone: notify the launcher if connected, not the agent */
void emulate_notified(struct step_run *r);

#endif
