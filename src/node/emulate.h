/*
 * emulate - one process that plays many nodes: they speak the real protocol and run nothing.
 *
 * Each node has its own connection to the controller, its own heart, its place in the tree.  It checks orders as a real
 * one does, and where that would start a supervisor it sets a timer: for the seconds that SPUR_EMULATE_S in the job's
 * environment says, else for those of a script or command that is a mere `sleep N`, else for `emulate_time_s`.  It ends
 * with the code of SPUR_EMULATE_EXIT, or by the signal that ended it.  Nothing is kept on disk: whoever plays the nodes
 * next knows nothing, and is told again by the controller.
 */
#ifndef SPUR_NODE_EMULATE_H
#define SPUR_NODE_EMULATE_H

#include "node/agent.h"

/* Play the nodes of `list` until a signal ends it.  Everything of `like` but its node is shared. */
int emulate_serve(struct agent *like, const char *list, double time_s, char **argv, struct err *err);

void emulate_order(struct agent *a, const struct frame *f); /* instead of launch_order() */
void emulate_kill(struct step_run *r, const Pb__KillOrder *k);   /* instead of a supervisor */
void emulate_drop(struct step_run *r);                           /* the run is forgotten */

/* ---- emulate_plan.c: what an order means for its nodes ---- */
struct emulate_part {
    struct step_key key;
    uint32_t uid, node_index, tasks, first_task;
    const Pb__Ranks *ranks; /* NULL: they count up */
    const Pb__IoEndpoint *io;
    uint64_t run_ms;
    uint32_t status; /* it will end with */
};

/* The part of node `name` in a signed order; borrowed until the next call.  Orders for many nodes are read once. */
int emulate_plan(const struct cred_key *key, const Pb__Signed *s, const char *name, double dflt_s, int64_t now_ms,
                 struct emulate_part *out, struct err *err);
/* "sleep 5", "sleep 0.5m" as the only command of a script. */
bool emulate_sleep(const char *script, size_t len, double *seconds);

/* ---- emulate_io.c: the launcher of a step hears of its tasks ---- */
struct emulate_io *emulate_io_new(struct step_run *r, const struct emulate_part *p);
/* All tasks have ended.  emulate_told() follows once the launcher has been told, or cannot be. */
void emulate_io_end(struct emulate_io *io, uint32_t status);
void emulate_io_drop(struct emulate_io *io); /* the run is gone: tell who is there to hear it, and nobody else */
void emulate_told(struct step_run *r);

#endif
