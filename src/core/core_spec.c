/* core_spec - see core_spec.h. */
#include "core/core_spec.h"

#include "base/buf.h"
#include "core/pbutil.h"

/* From the end, or from the beginning where the site says so, round over the sockets: `count` more of those that are
 * not there yet. */
static void add_more(const struct node *n, uint32_t count, struct bitmap *out)
{
    uint32_t sockets = MAX(n->sockets * n->boards, 1u), per = MAX(n->cores, 1u);
    bool first = n->def && n->def->spec_first;
    for (uint32_t round = 0; round < per; round++)
        for (uint32_t i = 0; i < sockets && count; i++) {
            size_t core = first ? (size_t)i * per + round : (size_t)(sockets - i) * per - 1 - round;
            if (bitmap_has(out, core))
                continue;
            bitmap_set(out, core);
            count--;
        }
}

void core_spec_pick(const struct node *n, uint32_t count, struct bitmap *out)
{
    auto_bitmap struct bitmap own = BITMAP_INIT;
    core_spec_of_node(n, &own);
    bitmap_zero(out);
    for (size_t i = bitmap_next(&own, 0); i != BITMAP_END && count; i = bitmap_next(&own, i + 1), count--)
        bitmap_set(out, i);
    add_more(n, count, out);
}

void core_spec_of_node(const struct node *n, struct bitmap *out)
{
    bitmap_zero(out);
    if (!n->def || !n->def->core_spec)
        return;
    if (n->def->spec_cores.len)
        pb_to_bitmap(out, &n->def->spec_cores);
    else
        add_more(n, n->def->core_spec, out);
}

/* "0-1,4": runs of numbers. */
static void add_range(struct buf *b, size_t from, size_t to)
{
    buf_addf(b, "%s%zu", b->len ? "," : "", from);
    if (to > from)
        buf_addf(b, "-%zu", to);
}

char *core_spec_text(const struct node *n)
{
    auto_bitmap struct bitmap cores = BITMAP_INIT, cpus = BITMAP_INIT;
    auto_buf struct buf b = BUF_INIT;
    uint32_t threads = MAX(n->threads, 1u);
    core_spec_of_node(n, &cores);
    bitmap_each (&cores, i)
        bitmap_set_range(&cpus, i * threads, threads);
    for (size_t at = bitmap_next(&cpus, 0); at != BITMAP_END;) {
        size_t end = bitmap_next_unset(&cpus, at);
        add_range(&b, at, end - 1);
        at = bitmap_next(&cpus, end);
    }
    return buf_take(&b);
}
