/*
 * release_list - when running jobs are expected to end, by node, soonest first.
 *
 * Sorted blocks of some hundred entries: an insertion moves only one block, and a search reads the list sequentially.
 */
#include "sched/profile.h"

#define RELEASE_BLOCK 256

struct release_block {
    size_t n;
    struct release at[RELEASE_BLOCK];
};

static bool release_before(const struct release *a, const struct release *b)
{
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s;
    return a->id != b->id ? a->id < b->id : a->node < b->node;
}

/* The block that contains the release, or would. */
static size_t release_block_of(const struct release_list *e, const struct release *x)
{
    size_t lo = 0, hi = e->block.n;
    while (lo + 1 < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (release_before(x, &e->block.at[mid]->at[0]))
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

static size_t release_block_find(const struct release_block *b, const struct release *x)
{
    size_t lo = 0, hi = b->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (release_before(&b->at[mid], x))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void release_block_insert(struct release_list *e, size_t at, struct release_block *b)
{
    vec_push(&e->block, b);
    memmove(e->block.at + at + 1, e->block.at + at, (e->block.n - 1 - at) * sizeof(struct release_block *));
    e->block.at[at] = b;
}

static void release_block_split(struct release_list *e, size_t at)
{
    struct release_block *a = e->block.at[at], *b = NEW(struct release_block);
    b->n = a->n - RELEASE_BLOCK / 2;
    a->n = RELEASE_BLOCK / 2;
    memcpy(b->at, a->at + a->n, b->n * sizeof(*b->at));
    release_block_insert(e, at + 1, b);
}

void release_list_add(struct release_list *e, const struct release *x)
{
    if (!e->block.n)
        release_block_insert(e, 0, NEW(struct release_block));
    size_t at = release_block_of(e, x);
    if (e->block.at[at]->n == RELEASE_BLOCK) {
        release_block_split(e, at);
        at = release_block_of(e, x);
    }
    struct release_block *b = e->block.at[at];
    size_t i = release_block_find(b, x);
    memmove(b->at + i + 1, b->at + i, (b->n - i) * sizeof(*b->at));
    b->at[i] = *x;
    b->n++;
}

void release_list_drop(struct release_list *e, const struct release *x)
{
    if (!e->block.n)
        return;
    size_t at = release_block_of(e, x);
    struct release_block *b = e->block.at[at];
    size_t i = release_block_find(b, x);
    if (i >= b->n || release_before(x, &b->at[i]))
        return;
    memmove(b->at + i, b->at + i + 1, (b->n - i - 1) * sizeof(*b->at));
    if (--b->n)
        return;
    vec_remove(&e->block, at);
    free(b);
}

void release_list_clear(struct release_list *e)
{
    for (size_t i = 0; i < e->block.n; i++)
        free(e->block.at[i]);
    vec_clear(&e->block);
}

struct release_pos release_list_from(const struct release_list *e, int64_t at_s)
{
    struct release_pos p = { 0 };
    if (!e->block.n)
        return p;
    struct release x = { .at_s = at_s };
    p.block = release_block_of(e, &x);
    p.i = release_block_find(e->block.at[p.block], &x);
    return p;
}

const struct release *release_list_get(const struct release_list *e, struct release_pos *p)
{
    while (p->block < e->block.n && p->i >= e->block.at[p->block]->n)
        p->block++, p->i = 0;
    return p->block < e->block.n ? &e->block.at[p->block]->at[p->i] : NULL;
}
