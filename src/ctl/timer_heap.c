/* timer_heap - a binary heap of timers; see timer_heap.h. */
#include "ctl/timer_heap.h"

static void timer_heap_swap(struct timer_entry *a, struct timer_entry *b)
{
    struct timer_entry t = *a;
    *a = *b;
    *b = t;
}

void timer_add(struct timer_heap *h, int64_t at_ms, enum timer_kind kind, uint32_t id, uint32_t attempt)
{
    vec_push(&h->v, (struct timer_entry){ at_ms, kind, id, attempt });
    for (size_t i = h->v.n - 1; i && h->v.at[i].at_ms < h->v.at[(i - 1) / 2].at_ms; i = (i - 1) / 2)
        timer_heap_swap(&h->v.at[i], &h->v.at[(i - 1) / 2]);
}

bool timer_pop(struct timer_heap *h, int64_t now_ms, struct timer_entry *out)
{
    if (!h->v.n || h->v.at[0].at_ms > now_ms)
        return false;
    *out = h->v.at[0];
    h->v.at[0] = h->v.at[--h->v.n];
    for (size_t i = 0;;) {
        size_t least = i, l = 2 * i + 1, r = l + 1;
        if (l < h->v.n && h->v.at[l].at_ms < h->v.at[least].at_ms)
            least = l;
        if (r < h->v.n && h->v.at[r].at_ms < h->v.at[least].at_ms)
            least = r;
        if (least == i)
            return true;
        timer_heap_swap(&h->v.at[i], &h->v.at[least]);
        i = least;
    }
}

int64_t timer_next(const struct timer_heap *h)
{
    return h->v.n ? h->v.at[0].at_ms : 0;
}

void timer_clear(struct timer_heap *h)
{
    vec_clear(&h->v);
}
