/* send_queue - long query replies, a portion at a time; see send_queue.h. */
#include "ctl/send_queue.h"

#define PORTION (512u * 1024) /* bytes: some hundred microseconds of copying */

void send_queue_init(struct send_queue *b, uv_loop_t *loop, send_queue_find_fn *find, void *arg)
{
    *b = (struct send_queue){ .find = find, .arg = arg };
    uv_idle_init(loop, &b->idle);
    b->idle.data = b;
}

static void send_queue_empty(struct send_queue *b)
{
    uv_idle_stop(&b->idle);
    b->replies.n = b->sent = 0;
    if (b->replies.cap > 4096)
        vec_clear(&b->replies);
}

/* Once in each turn of the loop; it does not sleep while there is something left. */
static void send_some(uv_idle_t *h)
{
    struct send_queue *b = h->data;
    for (size_t bytes = 0; b->sent < b->replies.n && bytes < PORTION;) {
        struct ctl_out *l = &b->replies.at[b->sent++];
        struct link *c = b->find(b->arg, l->session, l->len);
        if (c) {
            bytes += l->len;
            link_send_shared(c, l->type, l->flags, l->number, l->shared);
        }
        if (c && !(l->flags & FRAME_MORE))
            link_flush(c);
        ctl_out_clear(l);
    }
    if (b->sent == b->replies.n)
        send_queue_empty(b);
}

void send_queue_add(struct send_queue *b, const struct ctl_out *reply)
{
    vec_push(&b->replies, *reply);
    uv_idle_start(&b->idle, send_some);
}

void send_queue_close(struct send_queue *b)
{
    for (; b->sent < b->replies.n; b->sent++)
        ctl_out_clear(&b->replies.at[b->sent]);
    send_queue_empty(b);
    vec_clear(&b->replies);
}
