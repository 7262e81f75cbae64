/*
 * multi_prog - srun's --multi-prog file: which task runs what.
 *
 *     # a comment
 *     0-2,5  program 'as it is' %t %o
 *     *      another
 *
 * A line names ranks (the star, last, all others), a program and its arguments.  %t becomes the rank, %o its place
 * among the line's ranks; any other % is dropped with the letter that follows.  A backslash takes the next character as
 * it is, and joins two lines; single quotes take all as it is; double quotes mean nothing.
 */
#ifndef SPUR_TEXT_MULTI_PROG_H
#define SPUR_TEXT_MULTI_PROG_H

#include <stdint.h>

#include "base/err.h"
#include "text/strs.h"

#define MULTI_PROG_MAX (256u << 10)

/* The number of tasks of the file, where the step sets none: one more than the highest rank it names; at least 1. */
uint32_t multi_prog_tasks(const char *text);

/* Does every task from 0 to ntasks - 1 have one line?  The sentences in `err` are srun's, each in a line of its own;
 * `name` is what the file is called there. */
int multi_prog_check(const char *text, const char *name, uint32_t ntasks, struct err *err);

/* Program and arguments of one task, appended to `argv`.  ENOENT: there is none for it. */
int multi_prog_argv(const char *text, uint32_t rank, struct strs *argv);

#endif
