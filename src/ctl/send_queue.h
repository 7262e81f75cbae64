/*
 * send_queue - long query replies, sent after every other message and a portion at a time.
 *
 * A thousand long replies take a while to be written.  Between two portions the loop reads further requests.
 */
#ifndef SPUR_CTL_SEND_QUEUE_H
#define SPUR_CTL_SEND_QUEUE_H

#include <uv.h>

#include "ctl/ctl.h"
#include "io/link.h"

/* The link that so many bytes are to be handed to; NULL: it has gone. */
typedef struct link *send_queue_find_fn(void *arg, uint64_t session, size_t bytes);

struct send_queue {
    uv_idle_t idle;
    VEC(struct ctl_out) replies;
    size_t sent; /* how many of the replies have been sent */
    send_queue_find_fn *find;
    void *arg;
};

void send_queue_init(struct send_queue *b, uv_loop_t *loop, send_queue_find_fn *find, void *arg);
void send_queue_add(struct send_queue *b,
                    const struct ctl_out *reply); /* with a shared buffer, whose reference is taken */
void send_queue_close(struct send_queue *b);                             /* what is left is dropped */

#endif
