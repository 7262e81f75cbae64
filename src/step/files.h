/*
 * files - the standard streams of a job's processes as files: opened with the user's rights and umask.
 */
#ifndef SPUR_STEP_FILES_H
#define SPUR_STEP_FILES_H

#include "base/err.h"
#include "step/step.h"

/* The streams of one task.  -1: not a file (from and to srun). */
struct files {
    int in, out, err;
};
#define FILES_LATER (-2) /* a file that the task's own process opens */

/* Which streams of the step's tasks are files: FILES_LATER there, -1 elsewhere. */
struct files files_plan(const struct step *s);

/* What follows uses paths that the user chose and may block for ever: it is for processes that have become the user (or
 * act as the user), never for the supervisor. */

/* Change to the step's working folder; if that fails, to /tmp, with a message in `note`. */
void files_enter_workdir(const struct step *s, struct buf *note);
/* Open the streams that are FILES_LATER.  `fresh`: truncate files as the job asks; else files_create() has done it. */
int files_open(const struct step *s, uint32_t local, bool fresh, struct files *f, struct err *err);
/* Create and truncate the files of all tasks, and check that they can be opened: a step runs whole or not at all. */
int files_create(const struct step *s, struct err *err);
/* The first task's stderr, for a notice; -1: it cannot be opened now. */
int files_open_notice(const struct step *s);

#endif
