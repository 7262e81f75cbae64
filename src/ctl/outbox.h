/*
 * outbox - what goes to those who only read: behind every other word, and a portion at a time.
 *
 * A thousand long answers take a while to be written.  Between portions the loop hears whoever wants something changed.
 */
#ifndef SPUR_CTL_OUTBOX_H
#define SPUR_CTL_OUTBOX_H

#include <uv.h>

#include "ctl/ctl.h"
#include "io/link.h"

typedef struct link *outbox_find_fn(void *arg, uint64_t session); /* NULL: it has gone */

struct outbox {
    uv_idle_t idle;
    VEC(struct ctl_out) letters;
    size_t sent; /* of them */
    outbox_find_fn *find;
    void *arg;
};

void outbox_init(struct outbox *b, uv_loop_t *loop, outbox_find_fn *find, void *arg);
void outbox_add(struct outbox *b, const struct ctl_out *letter); /* with a sheet, which is taken */
void outbox_close(struct outbox *b);                             /* what is left is dropped */

#endif
