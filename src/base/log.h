/*
 * log - one line per fact, keys after the sentence: `job started job=42 nodes=n[1-2]`.
 *
 * Daemon loops log; libraries return.  Lines go to stderr and to a file once one is opened.
 */
#ifndef SPUR_BASE_LOG_H
#define SPUR_BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_FATAL, LOG_ERROR, LOG_INFO, LOG_VERBOSE, LOG_DEBUG };

void log_open(const char *program, enum log_level level); /* to stderr */
int log_file(const char *path, int keep_stderr,
             struct err *err); /* append to `path` from now on */
int log_reopen(struct err *err); /* the same path again, after a rotation; without a file nothing happens */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);
/* Slurm's word for a level: quiet fatal error info verbose debug debug2 ...; info when it is none of them. */
enum log_level log_level_word(const char *word);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_verbose(...) log_line(LOG_VERBOSE, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
