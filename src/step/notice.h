/*
 * notice - a line about the job in the file that is its stderr ("*** JOB 12 ON n1 CANCELLED AT ... ***").
 *
 * A helper writes it as the user (as_user.h), because the file may be a FIFO that is full or lie in a file system that
 * hangs.  The supervisor waits a moment for it: a notice comes before the signal that it announces.  After one that was
 * not written in time there are no more notices.
 */
#ifndef SPUR_STEP_NOTICE_H
#define SPUR_STEP_NOTICE_H

#include "step/step.h"

void notice_write(struct step *s, const char *line, size_t len);

#endif
