/* send_list - what a connection has to send; see send_list.h. */
#include "io/send_list.h"

struct buf *send_list_own(struct send_list *p, size_t len)
{
    p->len += len;
    return &p->own;
}

void send_list_share(struct send_list *p, struct shared_buf *s)
{
    vec_push(&p->shared, ((struct send_shared){ p->own.len, shared_buf_ref(s) }));
    p->len += s->len;
}

void send_list_reset(struct send_list *p)
{
    for (size_t i = 0; i < p->shared.n; i++)
        shared_buf_unref(p->shared.at[i].buf);
    p->shared.n = p->len = 0;
    buf_reset(&p->own);
}

void send_list_clear(struct send_list *p)
{
    send_list_reset(p);
    vec_clear(&p->shared);
    buf_clear(&p->own);
}

size_t send_list_count(const struct send_list *p)
{
    return p->shared.n * 2 + 1;
}

unsigned send_list_pieces(const struct send_list *p, size_t from, uv_buf_t *out)
{
    unsigned n = 0;
    size_t at = 0;
    for (size_t i = 0; i <= p->shared.n; i++) {
        const struct shared_buf *s = i < p->shared.n ? p->shared.at[i].buf : NULL;
        size_t to = s ? p->shared.at[i].at : p->own.len, own = to - at;
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
