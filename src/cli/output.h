/*
 * output - what the tasks write, on srun's own stdout and stderr or into files: as it comes, or in labelled lines.
 */
#ifndef SPUR_CLI_OUTPUT_H
#define SPUR_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct output {
    int fd[3];       /* [1] and [2]: where to write; -1: nowhere */
    int64_t only[3]; /* the one task that is shown; -1: all */
    bool label;
    bool lines;     /* only whole lines, so that lines of several tasks do not mix (not with -u) */
    unsigned width; /* of a label's number */
    uint32_t ntasks;
    struct buf *part; /* of each task's two streams: a line that is not whole yet */
    bool broken[3];   /* the reader of the stream has closed it */
};

void output_init(struct output *o, uint32_t ntasks, bool label);
void output_clear(struct output *o);

/* `n` bytes of stream 1 or 2 of `task`; 0 is its end. */
void output_add(struct output *o, uint32_t task, unsigned stream, const void *p, size_t n);

#endif
