/*
 * bcast - a file for every node of a job: what sbcast and srun --bcast do.
 *
 * The file goes in blocks to the daemon of the first node and from there on from node to node.  It appears on all of
 * them or, as far as that can be known beforehand, on none: it gets its name only after every node has all of it.
 */
#ifndef SPUR_CLI_BCAST_H
#define SPUR_CLI_BCAST_H

#include "client/client.h"
#include "text/stepid.h"

#define BCAST_BLOCK (1u << 20)     /* small ones are passed on while the next is read */
#define BCAST_BLOCK_MAX (8u << 20)
#define BCAST_EXCLUDE "/lib,/usr/lib,/lib64,/usr/lib64"

struct bcast_job {
    struct stepid id;  /* the job, or its step alone */
    bool no_job;       /* -Z: `nodes` are all that counts */
    const char *nodes; /* -w: these of them; NULL: all */
    bool force, preserve;
    uint32_t fanout;   /* 0: as configured */
    uint32_t block;    /* bytes; 0: BCAST_BLOCK */
    uint32_t timeout_s;/* of one answer; 0: MessageTimeout */
    bool packed;       /* with lz4 on the way */
    bool libs;         /* the libraries it needs, too */
    const char *exclude; /* no library below these folders; "NONE": all; NULL: BcastExclude */
    unsigned verbose;
};

/* Send `source` to be `dest` (a full path) on the job's nodes.  0, or the exit status of sbcast with everything said.
 */
int bcast_file(struct client *c, const struct bcast_job *b, const char *source, const char *dest);

/* The folder beside `dest` that its libraries go to; yours. */
char *bcast_lib_folder(const char *dest);

#endif
