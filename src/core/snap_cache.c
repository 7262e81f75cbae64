/* snap_cache - see snap_cache.h. */
#include "core/snap_cache.h"

struct snap_cache *snap_cache_new(void)
{
    return NEW(struct snap_cache);
}

static void free_retired(struct snap_cache *s)
{
    for (size_t i = 0; i < s->retired.n; i++)
        free(s->retired.at[i]);
    vec_clear(&s->retired);
}

static void free_table(struct snap_table *t)
{
    for (size_t i = 0; i < t->at.n; i++)
        free(t->at.at[i].bytes);
    vec_clear(&t->at);
    vec_clear(&t->stale);
}

void snap_cache_free(struct snap_cache *s)
{
    s->orphan = true;
    if (s->snapshots)
        return;
    free_retired(s);
    for (int kind = 0; kind < SNAP_KINDS; kind++)
        free_table(&s->table[kind]);
    free(s);
}

void snap_cache_release(struct snap_cache *s)
{
    if (--s->snapshots)
        return;
    free_retired(s);
    if (s->orphan)
        snap_cache_free(s);
}

static void retire_bytes(struct snap_cache *s, char *bytes)
{
    if (bytes && s->snapshots)
        vec_push(&s->retired, bytes);
    else
        free(bytes);
}

/* The place of the first piece whose number is not below this one. */
static size_t lower_bound(const struct snap_table *t, uint64_t number)
{
    size_t lo = 0, hi = t->at.n;
    if (!hi || t->at.at[hi - 1].number < number)
        return hi;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->at.at[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void snap_put(struct snap_cache *s, enum snap_kind kind, uint64_t number, char *bytes, size_t len)
{
    struct snap_table *t = &s->table[kind];
    size_t at = lower_bound(t, number);
    if (at == t->at.n || t->at.at[at].number != number) {
        vec_push(&t->at, ((struct snap_piece){ .number = number }));
        memmove(t->at.at + at + 1, t->at.at + at, (t->at.n - at - 1) * sizeof(*t->at.at));
        t->at.at[at] = (struct snap_piece){ .number = number };
        t->gone++;
    }
    struct snap_piece *p = &t->at.at[at];
    t->gone -= !p->bytes;
    retire_bytes(s, p->bytes);
    *p = (struct snap_piece){ number, bytes, len };
}

bool snap_queued_last(const struct snap_table *t, uint64_t number)
{
    const struct snap_range *last = t->nstale ? &t->stale.at[t->stale.n - 1] : NULL;
    return last && last->first + last->n - 1 == number;
}

void snap_queue(struct snap_table *t, uint64_t number)
{
    if (number && snap_queued_last(t, number - 1))
        t->stale.at[t->stale.n - 1].n++;
    else
        vec_push(&t->stale, ((struct snap_range){ number, 1 }));
    t->nstale++;
}

uint64_t snap_next(struct snap_table *t)
{
    struct snap_range *r = &t->stale.at[t->next];
    uint64_t number = r->first++;
    t->nstale--;
    if (!--r->n)
        t->next++;
    if (!t->nstale)
        t->next = t->stale.n = 0;
    return number;
}

static void compact_table(struct snap_table *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->at.n; i++)
        if (t->at.at[i].bytes)
            t->at.at[kept++] = t->at.at[i];
    t->at.n = kept;
    t->gone = 0;
}

void snap_remove(struct snap_cache *s, enum snap_kind kind, uint64_t number)
{
    struct snap_table *t = &s->table[kind];
    size_t at = lower_bound(t, number);
    if (at == t->at.n || t->at.at[at].number != number || !t->at.at[at].bytes)
        return;
    retire_bytes(s, t->at.at[at].bytes);
    t->at.at[at].bytes = NULL;
    if (++t->gone > t->at.n / 2)
        compact_table(t);
}
