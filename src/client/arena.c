/* arena - a bump allocator; see arena.h. */
#include "client/arena.h"

#include "base/mem.h"

#define CHUNK (1u << 20)

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(16) char room[];
};

/* A chunk that was used before is one whose pages are there already. */
static void add_chunk(struct arena *a, size_t n)
{
    struct arena_chunk *c = a->spare;
    if (c && c->size >= n) {
        a->spare = c->next;
    } else {
        size_t size = MAX(n, (size_t)CHUNK);
        c = mem_grow(NULL, sizeof(*c) + size, 1);
        c->size = size;
    }
    c->next = a->chunk;
    a->chunk = c;
    a->used = 0;
}

static void *arena_alloc(void *data, size_t n)
{
    struct arena *a = data;
    n = (n + 15) & ~(size_t)15;
    if (!a->chunk || a->chunk->size - a->used < n)
        add_chunk(a, n);
    void *p = a->chunk->room + a->used;
    a->used += n;
    return p;
}

static void arena_free(void *data, void *p) {}

void arena_init(struct arena *a)
{
    *a = (struct arena){ .allocator = { arena_alloc, arena_free, a } };
}

void arena_reset(struct arena *a)
{
    while (a->chunk) {
        struct arena_chunk *next = a->chunk->next;
        a->chunk->next = a->spare;
        a->spare = a->chunk;
        a->chunk = next;
    }
    a->used = 0;
}

void arena_clear(struct arena *a)
{
    arena_reset(a);
    while (a->spare) {
        struct arena_chunk *next = a->spare->next;
        free(a->spare);
        a->spare = next;
    }
}
