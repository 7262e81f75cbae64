/* arena - a bump allocator; see arena.h. */
#include "client/arena.h"

#include "base/mem.h"

#define CHUNK (1u << 20)

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(16) char room[];
};

static void *arena_alloc(void *data, size_t n)
{
    struct arena *a = data;
    n = (n + 15) & ~(size_t)15;
    if (!a->chunk || a->chunk->size - a->used < n) {
        size_t size = MAX(n, (size_t)CHUNK);
        struct arena_chunk *c = mem_grow(NULL, sizeof(*c) + size, 1);
        c->next = a->chunk;
        c->size = size;
        a->chunk = c;
        a->used = 0;
    }
    void *p = a->chunk->room + a->used;
    a->used += n;
    return p;
}

static void arena_free(void *data, void *p)
{
}

void arena_init(struct arena *a)
{
    *a = (struct arena){ .allocator = { arena_alloc, arena_free, a } };
}

void arena_reset(struct arena *a)
{
    while (a->chunk && a->chunk->next) {
        struct arena_chunk *next = a->chunk->next;
        free(a->chunk);
        a->chunk = next;
    }
    a->used = 0;
}

void arena_clear(struct arena *a)
{
    arena_reset(a);
    free(a->chunk);
    a->chunk = NULL;
}
