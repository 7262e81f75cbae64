/*
 * request - options become one SUBMIT message: the part that sbatch, srun and salloc have in common.
 *
 * The message borrows from the request and from the options; both live until it was sent.
 */
#ifndef SPUR_CLI_REQUEST_H
#define SPUR_CLI_REQUEST_H

#include "cli/export.h"
#include "cli/job_opts.h"
#include "cli/rlimits.h"
#include "client/client.h"

#define REQUEST_KEY_LEN 16

struct request {
    Pb__SubmitRequest msg;
    struct export env;
    struct buf env_bytes, script;
    struct strs texts;                     /* owned */
    uint8_t key[REQUEST_KEY_LEN];          /* one per submission, the same in every retry */
    rlimits_vec rlimits;
};

void request_init(struct request *r);
void request_clear(struct request *r);

/* Host, user and command line of the submission; limits and umask; the environment with the command's own variables.
 * `argv` is the whole command line.  0, or the exit status. */
int request_fill(struct request *r, struct job_opts *o, enum job_command command, const struct site *site, int argc,
                 char **argv, struct err *err);

/* The folder the command runs in; yours. */
char *request_cwd(void);

/* The command line as Slurm keeps it: joined by blanks.  Yours. */
char *request_line(int argc, char **argv);

/* Send it.  0 with the reply (client_free), or the exit status with everything said; `prefix` begins the sentence of a
 * refusal. */
int request_send(const struct request *r, struct client *c, const char *prefix, Pb__SubmitReply **reply);

/* The failure of another call, in Slurm's words: "error: <what the controller said>", "error: <prefix>: <the code's
 * words>". */
void request_failed(const char *prefix, const struct err *err);

#endif
