/* heap - job classes ordered by a function; the order of the first one changes often. */
#include "sched/queue.h"

static void heap_swap(struct job_class **a, struct job_class **b)
{
    struct job_class *t = *a;
    *a = *b;
    *b = t;
}

static void heap_down(struct heap *h, heap_order *before, size_t i)
{
    struct job_class **at = h->at;
    for (size_t best;; i = best) {
        size_t l = 2 * i + 1;
        best = i;
        if (l < h->n && before(at[l], at[best]))
            best = l;
        if (l + 1 < h->n && before(at[l + 1], at[best]))
            best = l + 1;
        if (best == i)
            return;
        heap_swap(&at[i], &at[best]);
    }
}

void heap_make(struct heap *h, heap_order *before)
{
    for (size_t i = h->n / 2; i-- > 0;)
        heap_down(h, before, i);
}

void heap_add(struct heap *h, heap_order *before, struct job_class *cls)
{
    size_t i = h->n;
    vec_push(h, cls);
    for (; i > 0 && before(h->at[i], h->at[(i - 1) / 2]); i = (i - 1) / 2)
        heap_swap(&h->at[i], &h->at[(i - 1) / 2]);
}

void heap_moved(struct heap *h, heap_order *before)
{
    heap_down(h, before, 0);
}

void heap_drop(struct heap *h, heap_order *before)
{
    h->at[0] = h->at[--h->n];
    heap_down(h, before, 0);
}
