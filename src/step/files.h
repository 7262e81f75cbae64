/*
 * files - where a job's processes read and write when that is files: opened with the user's rights and umask.
 */
#ifndef SPUR_STEP_FILES_H
#define SPUR_STEP_FILES_H

#include "base/err.h"
#include "step/step.h"

/* Go to the working folder; when that cannot be, to /tmp, and `note` says so. */
void files_enter_workdir(const char *dir, struct buf *note);

/* The three of one task; -1: not a file (from and to srun).  On error nothing stays open. */
struct files {
    int in, out, err;
};
int files_open(const struct step *s, uint32_t local, struct files *out, struct err *err);

#endif
