/* sort - which of two rows comes first by a field; see show.h. */
#include "base/str.h"
#include "show/show.h"

static int cmp_text(const struct show_field *f, const void *a, const void *b)
{
    auto_buf struct buf one = BUF_INIT, other = BUF_INIT;
    show_text(&one, f, a, SHOW_COLUMN);
    show_text(&other, f, b, SHOW_COLUMN);
    return strcmp(one.s ? one.s : "", other.s ? other.s : "");
}

/* Unset values come first, infinite ones last. */
static int cmp_values(const struct show_value *a, const struct show_value *b, bool real)
{
    if (a->state != b->state || a->state != SHOW_SET)
        return a->state < b->state ? -1 : a->state > b->state;
    if (real)
        return a->real < b->real ? -1 : a->real > b->real;
    return a->number < b->number ? -1 : a->number > b->number;
}

int show_cmp(const struct show_field *f, const void *a, const void *b)
{
    if (!f->sort && show_is_text(f->type))
        return cmp_text(f, a, b);
    struct show_value one = { 0 }, other = { 0 };
    show_get_fn *get = f->sort ? f->sort : f->get;
    get(&one, f, a);
    get(&other, f, b);
    return cmp_values(&one, &other, !f->sort && (f->type == SHOW_FLOAT || f->type == SHOW_FLOAT_SET));
}
