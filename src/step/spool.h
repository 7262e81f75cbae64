/*
 * spool - the record of a step on a node, from its launch until the controller has acknowledged its end.
 *
 *     <spool>/job<ID>.<attempt>/<step>.step     a log of frames: the order, the start, the report of the end
 *     <spool>/job<ID>.<attempt>/slurm_script    the batch script, owned by the user
 *     <spool>/job<ID>.<attempt>/<step>.sock     where a supervisor listens for a restarted agent
 *
 * Creating the .step file is the claim to run the step: it succeeds once.  The supervisor holds a lock on the file
 * while it lives (the kernel releases it however the process ends), so a test for a live supervisor needs no pid and
 * cannot be wrong.  Nothing is synced: after a power cut no process is left either, and the step is rightly lost.
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

/* The variable that identifies a step's processes after their supervisor has died: "SPUR_STEP=12.batch.1@n1". */
#define SPOOL_STEP_VARIABLE "SPUR_STEP"
#define SPOOL_MARK 384
char *spool_step_mark(char out[static SPOOL_MARK], struct step_key key, const char *node); /* its value */

/* Open the spool, created (0755) if need be; it must belong to the agent's user, and no other user may write to it. */
int spool_open(int *dirfd, const char *path, struct err *err);
/* One agent per spool: `*fd` holds the lock.  Waits for an agent that is just ending. */
int spool_lock(int *fd, int spool, struct err *err);
/* Open the job's folder; with `create` it is created. */
int spool_job_open(int *dirfd, int spool, struct step_key key, bool create, struct err *err);

/* Claim the step: create its file with `order` as first frame; `*fd` holds the lock.  EEXIST: the step was claimed
 * before.  With `used` the empty file of a reused folder is taken. */
int spool_claim(int *fd, int jobdir, struct step_key key, bool used, const void *order, size_t len, struct err *err);
/* Append the start: from here on a process may have run.  Append the report. */
int spool_add_start(int fd, struct err *err);
int spool_add_report(int fd, const Pb__Report *report, struct err *err);
/* A step's file: order and report point into `text` (report.data NULL: the step has not ended). */
struct spool_record {
    ProtobufCBinaryData order, report;
    bool started;
};
int spool_read(int fd, struct buf *text, struct spool_record *out, struct err *err);
/* Is the step's supervisor alive? */
bool spool_alive(int fd);
/* Remove the step's record; with the last step also the job's folder. */
void spool_remove(int spool, struct step_key key);

/*
 * Folders are reused: creating and deleting files is the slowest operation of a file system (ext4 searches all recently
 * deleted inodes before it creates one), renaming costs next to nothing.  A free folder is "free.<n>", with an empty
 * record in it and perhaps an old script.
 */
int spool_set_free(int spool, struct step_key key, uint32_t n); /* 0 or errno; must be the folder's last step */
int spool_use_free(int spool, struct step_key key,
                   uint32_t n); /* becomes the job's folder; the step is not claimed yet */
bool spool_free_parse(const char *name, uint32_t *n);

/* Call `each` for every step; it returns false to stop. */
typedef bool spool_each_fn(void *arg, int jobdir, struct step_key key);
int spool_each(int spool, spool_each_fn *each, void *arg, struct err *err);

#endif
