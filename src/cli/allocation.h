/*
 * allocation - an allocation for srun and salloc: submit it, report that it waits, return when it begins.
 */
#ifndef SPUR_CLI_ALLOCATION_H
#define SPUR_CLI_ALLOCATION_H

#include "cli/request.h"
#include "client/client.h"

struct allocation {
    uint32_t job_id;
    ProtobufCBinaryData key; /* of the submission; borrowed from the request */
    bool says_signal;  /* salloc: a signal during the wait is reported */
    uint32_t waited_s; /* from the submission to the start */
    int sig_fd;        /* from the submission on, signals are read here: allocation_signals() */
    Pb__Job *job;      /* as it was when it began; yours: allocation_clear */
    Pb__Step *step;    /* srun: step 0; borrowed from the same message, NULL when there is none */
    ProtobufCMessage *message;
    VEC(Pb__Step *) parts;     /* srun: the steps of `het`; borrowed, too */
    VEC(Pb__StartReply *) het; /* of the further components of a heterogeneous job; borrowed from the same */
};

/* Signals of a command that waits in poll(): INT QUIT TERM HUP USR1 USR2 CONT WINCH ALRM, readable from a descriptor
 * (-1 on failure). */
int allocation_signals(void);
int allocation_next_signal(int sig_fd); /* 0: none is there */

/* Ask for it and wait until it begins.  0, or the exit status with everything said.  `prefix` begins the sentence of a
 * refusal; `pending` is said before the job's number when it has to wait, or NULL. */
int allocation_get(struct allocation *a, struct client *c, const struct request *req, unsigned quiet,
                   const char *prefix, const char *pending);
void allocation_clear(struct allocation *a);

/* Give it back; a job that has ended already is fine. */
void allocation_release(struct client *c, uint32_t job_id, int wait_status);

#endif
