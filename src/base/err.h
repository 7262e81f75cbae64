/*
 * err - the sentence that goes with a failure, owned by the caller.
 *
 * Work returns 0 or the number the user will see: errno below 1000, Slurm's own
 * numbers above.  The function that knows the fact writes the sentence; callers
 * pass it up and add only what they alone know.
 */
#ifndef SPUR_BASE_ERR_H
#define SPUR_BASE_ERR_H

#include <errno.h>

struct err {
    int code;
    char text[512];
};

#define ERR_INIT                                                                                                       \
    {                                                                                                                  \
        0, ""                                                                                                          \
    }

/* Write the sentence and return `code` (EIO when code is 0), so a failure is one line.  `err` may be NULL.  %m works.
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the sentence that is there.  Returns err->code. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The words for a code: strerror() below 1000, the Slurm error table above. */
const char *err_text(int code);

#endif
