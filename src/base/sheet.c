/* sheet - bytes that several hold at once; see sheet.h. */
#include "base/sheet.h"

struct sheet *sheet_new(struct buf *b)
{
    struct sheet *s = NEW(struct sheet);
    *s = (struct sheet){ 1, b->len, NULL };
    s->s = buf_take(b);
    return s;
}

struct sheet *sheet_hold(struct sheet *s)
{
    s->holders++;
    return s;
}

void sheet_drop(struct sheet *s)
{
    if (!s || --s->holders)
        return;
    free(s->s);
    free(s);
}
