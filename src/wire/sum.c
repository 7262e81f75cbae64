/* sum - the checksum of bytes that come in pieces; see sum.h. */
#include "wire/sum.h"

#include <stdlib.h>

#define XXH_INLINE_ALL /* nothing to link: the static supervisor has it, too */
#include <xxhash.h>

struct sum *sum_new(void)
{
    XXH3_state_t *s = XXH3_createState();
    if (!s)
        abort();
    XXH3_64bits_reset(s);
    return (struct sum *)s;
}

void sum_add(struct sum *s, const void *p, size_t n)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)s, p, n);
}

uint64_t sum_value(const struct sum *s)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)s);
}

void sum_free(struct sum *s)
{
    XXH3_freeState((XXH3_state_t *)(void *)s);
}
