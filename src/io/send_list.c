/* send_list - what a connection has to send; see send_list.h. */
#include "io/send_list.h"

struct buf *send_list_own(struct send_list *p, size_t len)
{
    p->len += len;
    return &p->own;
}

void send_list_hang(struct send_list *p, struct shared_buf *s)
{
    vec_push(&p->hung, ((struct hung){ p->own.len, shared_buf_ref(s) }));
    p->len += s->len;
}

void send_list_before(struct send_list *p, const void *bytes, size_t len)
{
    struct buf own = BUF_INIT;
    buf_add(&own, bytes, len);
    buf_add(&own, p->own.s, p->own.len);
    buf_clear(&p->own);
    p->own = own;
    p->len += len;
    for (size_t i = 0; i < p->hung.n; i++)
        p->hung.at[i].at += len;
}

void send_list_reset(struct send_list *p)
{
    for (size_t i = 0; i < p->hung.n; i++)
        shared_buf_unref(p->hung.at[i].shared);
    p->hung.n = p->len = 0;
    buf_reset(&p->own);
}

void send_list_clear(struct send_list *p)
{
    send_list_reset(p);
    vec_clear(&p->hung);
    buf_clear(&p->own);
}

size_t send_list_count(const struct send_list *p)
{
    return p->hung.n * 2 + 1;
}

unsigned send_list_pieces(const struct send_list *p, size_t from, uv_buf_t *out)
{
    unsigned n = 0;
    size_t at = 0;
    for (size_t i = 0; i <= p->hung.n; i++) {
        const struct shared_buf *s = i < p->hung.n ? p->hung.at[i].shared : NULL;
        size_t to = s ? p->hung.at[i].at : p->own.len, own = to - at;
        if (from < own)
            out[n++] = uv_buf_init(p->own.s + at + from, (unsigned)(own - from));
        from -= MIN(from, own);
        if (s && from < s->len)
            out[n++] = uv_buf_init(s->s + from, (unsigned)(s->len - from));
        from -= s ? MIN(from, s->len) : 0;
        at = to;
    }
    return n;
}
