/*
 * ends - when what runs will end, by node, soonest first.
 *
 * Blocks of some hundred, each sorted: an end is added or taken away without moving all the others, and the future
 * is read in one go, from one cache line to the next.
 */
#include "sched/sched_priv.h"

#define BLOCK 256

struct end_block {
    size_t n;
    struct end at[BLOCK];
};

static bool comes_before(const struct end *a, const struct end *b)
{
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s;
    return a->id != b->id ? a->id < b->id : a->node < b->node;
}

/* The block in which it is, or belongs. */
static size_t block_of(const struct ends *e, const struct end *x)
{
    size_t lo = 0, hi = e->block.n;
    while (lo + 1 < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (comes_before(x, &e->block.at[mid]->at[0]))
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

static size_t find_in(const struct end_block *b, const struct end *x)
{
    size_t lo = 0, hi = b->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (comes_before(&b->at[mid], x))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void block_insert(struct ends *e, size_t at, struct end_block *b)
{
    vec_push(&e->block, b);
    memmove(e->block.at + at + 1, e->block.at + at, (e->block.n - 1 - at) * sizeof(struct end_block *));
    e->block.at[at] = b;
}

static void split(struct ends *e, size_t at)
{
    struct end_block *a = e->block.at[at], *b = NEW(struct end_block);
    b->n = a->n - BLOCK / 2;
    a->n = BLOCK / 2;
    memcpy(b->at, a->at + a->n, b->n * sizeof(*b->at));
    block_insert(e, at + 1, b);
}

void ends_add(struct ends *e, const struct end *x)
{
    if (!e->block.n)
        block_insert(e, 0, NEW(struct end_block));
    size_t at = block_of(e, x);
    if (e->block.at[at]->n == BLOCK) {
        split(e, at);
        at = block_of(e, x);
    }
    struct end_block *b = e->block.at[at];
    size_t i = find_in(b, x);
    memmove(b->at + i + 1, b->at + i, (b->n - i) * sizeof(*b->at));
    b->at[i] = *x;
    b->n++;
}

void ends_drop(struct ends *e, const struct end *x)
{
    if (!e->block.n)
        return;
    size_t at = block_of(e, x);
    struct end_block *b = e->block.at[at];
    size_t i = find_in(b, x);
    if (i >= b->n || comes_before(x, &b->at[i]))
        return;
    memmove(b->at + i, b->at + i + 1, (b->n - i - 1) * sizeof(*b->at));
    if (--b->n)
        return;
    vec_remove(&e->block, at);
    free(b);
}

void ends_clear(struct ends *e)
{
    for (size_t i = 0; i < e->block.n; i++)
        free(e->block.at[i]);
    vec_clear(&e->block);
}

struct ends_pos ends_from(const struct ends *e, int64_t at_s)
{
    struct ends_pos p = { 0 };
    if (!e->block.n)
        return p;
    struct end x = { .at_s = at_s };
    p.block = block_of(e, &x);
    p.i = find_in(e->block.at[p.block], &x);
    return p;
}

const struct end *ends_get(const struct ends *e, struct ends_pos *p)
{
    while (p->block < e->block.n && p->i >= e->block.at[p->block]->n)
        p->block++, p->i = 0;
    return p->block < e->block.n ? &e->block.at[p->block]->at[p->i] : NULL;
}
