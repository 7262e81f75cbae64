/*
 * receive - a file that comes in blocks, written for a user (sbcast).
 *
 * A process of its own, started by the agent for each file: it becomes the user before it looks at any path, so every
 * right is checked by the kernel as that user's.  What arrives goes into a new file beside the target with a name that
 * nobody uses; only when all of it is there and its checksum is right does it get the target's name, at once.  A target
 * that is there is replaced only with `force`, and a link in its place is replaced, not followed.  If the agent goes
 * away, or says that the file is not wanted, nothing is left.
 *
 * Frames on RECEIVE_FD: BCAST_AS first, then BCAST_OPEN, BCAST_DATA in order, BCAST_CLOSE; each but the first is
 * answered by DONE.
 */
#ifndef SPUR_STEP_RECEIVE_H
#define SPUR_STEP_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "message.pb-c.h"

#define RECEIVE_FD 3
#define RECEIVE_WORD "receive" /* the argument that makes a spurstepd one of these */
#define RECEIVE_TITLE "spurstepd: receiving a file"

int receive_main(void);

/* ---- the file alone, for tests ---- */
struct receiving {
    int dir, fd;      /* its folder and the new file; -1: none */
    char *name, *tmp; /* in that folder */
    bool force, folder;
    uint32_t mode;
    uint64_t got;
    int64_t atime_ns, mtime_ns; /* with preserve */
    bool preserve;
    struct sum *sum;
};

#define RECEIVING_INIT                                                                                                 \
    {                                                                                                                  \
        .dir = -1, .fd = -1                                                                                            \
    }

int receive_open(struct receiving *r, const Pb__BcastOpen *o, struct err *err);
int receive_data(struct receiving *r, const Pb__BcastData *d, struct err *err);
int receive_close(struct receiving *r, const Pb__BcastClose *c, struct err *err);
void receive_drop(struct receiving *r); /* nothing is left of what is not closed */

#endif
