/* shared_buf - an immutable, reference-counted byte buffer; see shared_buf.h. */
#include "base/shared_buf.h"

struct shared_buf *shared_buf_new(struct buf *b)
{
    struct shared_buf *s = NEW(struct shared_buf);
    *s = (struct shared_buf){ 1, b->len, NULL };
    s->s = buf_take(b);
    return s;
}

struct shared_buf *shared_buf_ref(struct shared_buf *s)
{
    s->refs++;
    return s;
}

void shared_buf_unref(struct shared_buf *s)
{
    if (!s || --s->refs)
        return;
    free(s->s);
    free(s);
}
