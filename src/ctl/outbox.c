/* outbox - long answers, a portion at a time; see outbox.h. */
#include "ctl/outbox.h"

#define PORTION (512u * 1024) /* bytes: some hundred microseconds of copying */

void outbox_init(struct outbox *b, uv_loop_t *loop, outbox_find_fn *find, void *arg)
{
    *b = (struct outbox){ .find = find, .arg = arg };
    uv_idle_init(loop, &b->idle);
    b->idle.data = b;
}

static void empty(struct outbox *b)
{
    uv_idle_stop(&b->idle);
    b->letters.n = b->sent = 0;
    if (b->letters.cap > 4096)
        vec_clear(&b->letters);
}

/* Once in each turn of the loop; it does not sleep while there is something left. */
static void send_some(uv_idle_t *h)
{
    struct outbox *b = h->data;
    for (size_t bytes = 0; b->sent < b->letters.n && bytes < PORTION;) {
        struct ctl_out *l = &b->letters.at[b->sent++];
        struct link *c = b->find(b->arg, l->session);
        if (c) {
            bytes += l->len;
            link_send_sheet(c, l->type, l->flags, l->number, l->sheet);
        }
        if (c && !(l->flags & FRAME_MORE))
            link_flush(c);
        ctl_out_clear(l);
    }
    if (b->sent == b->letters.n)
        empty(b);
}

void outbox_add(struct outbox *b, const struct ctl_out *letter)
{
    vec_push(&b->letters, *letter);
    uv_idle_start(&b->idle, send_some);
}

void outbox_close(struct outbox *b)
{
    for (; b->sent < b->letters.n; b->sent++)
        ctl_out_clear(&b->letters.at[b->sent]);
    empty(b);
    vec_clear(&b->letters);
}
