/*
 * script - the batch script: where it is, whether it is one, and the options in its comments.
 */
#ifndef SPUR_CLI_SCRIPT_H
#define SPUR_CLI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/strs.h"

#define SCRIPT_MAX ((size_t)4 << 20)      /* unless SchedulerParameters=max_script_size says otherwise */
#define SCRIPT_READ_MAX ((size_t)60 << 20) /* what a message can carry */

/* The file that `name` means, as sbatch looks for it: here, then in $PATH.  Yours; NULL when there is none. */
char *script_find(const char *name, const char *cwd);

/* Append the script at `path` (NULL: standard input), called `name` in messages. */
int script_read(struct buf *out, const char *path, const char *name, struct err *err);

/* The script around --wrap=COMMAND. */
void script_wrap(struct buf *out, const char *command);

/* Is it a batch script?  Otherwise an error whose sentence may have several lines. */
int script_check(const char *text, size_t len, struct err *err);

/* Append the words of the `#SBATCH` lines (or those that begin with another `magic`), up to the first command, of one
 * component of a heterogeneous job (0: the first).  EINVAL with a sentence for a quote that does not end. */
int script_words(const char *text, size_t len, const char *magic, const char *name, unsigned part, struct strs *words,
                 struct err *err);

/* One more than there are lines "#SBATCH hetjob" (or packjob). */
unsigned script_parts(const char *text, size_t len);

#endif
