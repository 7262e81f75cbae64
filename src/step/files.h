/*
 * files - the standard streams of a job's processes as files: opened with the user's rights and umask.
 */
#ifndef SPUR_STEP_FILES_H
#define SPUR_STEP_FILES_H

#include "base/err.h"
#include "step/step.h"

/* Change to the working folder; if that fails, to /tmp, with a message in `note`. */
void files_enter_workdir(const char *dir, struct buf *note);

/* The streams of one task; -1: not a file (from and to srun).  On error nothing stays open. */
struct files {
    int in, out, err;
};
int files_open(const struct step *s, uint32_t local, struct files *out, struct err *err);

#endif
