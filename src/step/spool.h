/*
 * spool - what is kept on a node about a step, from its launch until the controller knows its end.
 *
 *     <spool>/job<ID>.<attempt>/<step>.step     a little log of frames: the order; that it started; the report of its
 * end <spool>/job<ID>.<attempt>/slurm_script    the batch script, the user's <spool>/job<ID>.<attempt>/<step>.sock
 * where a supervisor waits for its agent to come back
 *
 * Creating the .step file is the claim to run the step: it succeeds once.  The supervisor holds a lock on it as long
 * as it lives (the lock goes with the process, whatever kills it), so "is it alive?" needs no pid and cannot be wrong.
 * Nothing is synced: after a power cut no process is left either, and the step is rightly lost.
 */
#ifndef SPUR_STEP_SPOOL_H
#define SPUR_STEP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "message.pb-c.h"

#define SPOOL_NAME 64
#define SPOOL_SCRIPT "slurm_script"

struct step_key {
    uint32_t job_id, step_id, attempt;
};

static inline bool step_key_eq(struct step_key a, struct step_key b)
{
    return a.job_id == b.job_id && a.step_id == b.step_id && a.attempt == b.attempt;
}

/* "batch", "extern", "interactive" or the number. */
char *spool_step_name(char out[static SPOOL_NAME], uint32_t step_id);
bool spool_step_parse(const char *name, size_t len, uint32_t *step_id);
/* "job12.1" and back. */
char *spool_job_name(char out[static SPOOL_NAME], uint32_t job_id, uint32_t attempt);
bool spool_job_parse(const char *name, uint32_t *job_id, uint32_t *attempt);
/* "batch.step", "batch.sock" */
char *spool_file_name(char out[static SPOOL_NAME], uint32_t step_id, const char *suffix);

/* The variable by which a step's processes are known when nobody supervises them any more: "SPUR_STEP=12.batch.1@n1".
 */
#define SPOOL_STEP_VARIABLE "SPUR_STEP"
#define SPOOL_MARK 384
char *spool_step_mark(char out[static SPOOL_MARK], struct step_key key, const char *node); /* its value */

/* Open the spool, making it (0755) if need be; it must be ours and nobody else may write there. */
int spool_open(int *dirfd, const char *path, struct err *err);
/* One agent a spool: `*fd` holds the lock.  One that is just ending is waited for. */
int spool_lock(int *fd, int spool, struct err *err);
/* The job's folder: made when `create`. */
int spool_job_open(int *dirfd, int spool, struct step_key key, bool create, struct err *err);

/* Claim the step: its file with `order` as first frame, locked; `*fd` holds the lock.  EEXIST: it was claimed before.
 * With `used` the empty file of a folder used again is taken. */
int spool_claim(int *fd, int jobdir, struct step_key key, bool used, const void *order, size_t len, struct err *err);
/* Append that a supervisor has it: from here on something may have run.  Append the report. */
int spool_add_start(int fd, struct err *err);
int spool_add_report(int fd, const Pb__Report *report, struct err *err);
/* Read a step's file: order and report point into `text` (report.data NULL: it has not ended). */
struct spool_record {
    ProtobufCBinaryData order, report;
    bool started;
};
int spool_read(int fd, struct buf *text, struct spool_record *out, struct err *err);
/* Is its supervisor alive? */
bool spool_alive(int fd);
/* Forget the step; the folder goes with its last step. */
void spool_remove(int spool, struct step_key key);

/*
 * Folders can be used again: making and deleting files is what a file system is slowest at (ext4 looks through all
 * it deleted lately before it makes one), renaming costs next to nothing.  A free folder is "free.<n>", with an empty
 * record in it and perhaps an old script.
 */
int spool_set_free(int spool, struct step_key key, uint32_t n); /* 0 or errno; the step must be its folder's last */
int spool_use_free(int spool, struct step_key key,
                   uint32_t n); /* it is the job's folder now, the step not yet claimed */
bool spool_free_parse(const char *name, uint32_t *n);

/* Every step there; `each` returns false to stop. */
typedef bool spool_each_fn(void *arg, int jobdir, struct step_key key);
int spool_each(int spool, spool_each_fn *each, void *arg, struct err *err);

#endif
