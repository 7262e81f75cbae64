/* heap_guard - see heap_guard.h.  The guard belongs to the loop's thread; libraft's workers free at once. */
#include "store/heap_guard.h"

#include <raft.h>
#include <stdlib.h>

#include "base/vec.h"

static _Thread_local struct {
    bool on;
    VEC(void *) freed;
} guard;

static void *heap_malloc(void *data, size_t size)
{
    (void)data;
    return malloc(size);
}

static void *heap_calloc(void *data, size_t n, size_t size)
{
    (void)data;
    return calloc(n, size);
}

static void *heap_realloc(void *data, void *p, size_t size)
{
    (void)data;
    return realloc(p, size);
}

static void *heap_aligned(void *data, size_t alignment, size_t size)
{
    (void)data;
    return aligned_alloc(alignment, size);
}

static bool is_freed(const void *p)
{
    for (size_t i = 0; i < guard.freed.n; i++)
        if (guard.freed.at[i] == p)
            return true;
    return false;
}

static void heap_free(void *data, void *p)
{
    (void)data;
    if (!guard.on)
        free(p);
    else if (p && !is_freed(p))
        vec_push(&guard.freed, p);
}

static void heap_aligned_free(void *data, size_t alignment, void *p)
{
    (void)alignment;
    heap_free(data, p);
}

void heap_guard_install(void)
{
    static struct raft_heap heap = { NULL,         heap_malloc,  heap_free,        heap_calloc,
                                     heap_realloc, heap_aligned, heap_aligned_free };
    raft_heap_set(&heap);
}

void heap_guard_begin(void)
{
    guard.on = true;
}

bool heap_guard_end(const void *buffer)
{
    bool freed = buffer && is_freed(buffer);
    guard.on = false;
    for (size_t i = 0; i < guard.freed.n; i++)
        free(guard.freed.at[i]);
    guard.freed.n = 0;
    return freed;
}
