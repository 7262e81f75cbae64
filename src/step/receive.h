/*
 * receive - write a file that arrives in blocks, as a user (sbcast).
 *
 * A process of its own, started by the agent for each file.  It becomes the user before it uses any path, so the kernel
 * checks every access as that user's.  The blocks are written to a new file beside the target under a unique name; only
 * when the file is complete and its checksum is right, it is renamed to the target.  An existing target is replaced
 * only with `force`, and a link in its place is replaced, not followed.  If the agent disconnects or cancels the
 * transfer, nothing is left.
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
#define RECEIVE_WORD "receive" /* the argument that makes spurstepd a receiver */
#define RECEIVE_TITLE "spurstepd: receiving a file"

int receive_main(void);

/* ---- the file alone, for tests ---- */
struct receiving {
    int dir, fd;      /* the target's folder and the new file; -1: none */
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
void receive_drop(struct receiving *r); /* removes a file that is not complete */

#endif
