/* map - open addressing with linear probing and backward-shift deletion; see map.h. */
#include "base/map.h"

#include <string.h>

#include "base/mem.h"

static uint64_t hash_key(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    return x ^ (x >> 32);
}

uint64_t map_hash_bytes(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0x9e3779b97f4a7c15ull ^ n, w;
    for (; n >= 8; n -= 8, s += 8) {
        memcpy(&w, s, 8);
        h = hash_key(h ^ w);
    }
    w = 0;
    if (n)
        memcpy(&w, s, n);
    return hash_key(h ^ w);
}

/* A table is grown at 70 %: a probe stays short, and there is always an empty slot to stop at. */
static bool table_full(size_t n, size_t cap)
{
    return (n + 1) * 10 > cap * 7;
}

static size_t map_probe(const struct map *m, uint64_t key)
{
    size_t i = hash_key(key) & (m->cap - 1);
    while (m->slot[i].value && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *map_get(const struct map *m, uint64_t key)
{
    return m->cap ? m->slot[map_probe(m, key)].value : NULL;
}

static void map_grow(struct map *m)
{
    struct map old = *m;
    m->cap = old.cap ? old.cap * 2 : 16;
    m->slot = mem_array(m->cap, sizeof(*m->slot));
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value)
            m->slot[map_probe(m, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void *map_put(struct map *m, uint64_t key, void *value)
{
    if (!value)
        return map_del(m, key);
    if (table_full(m->n, m->cap))
        map_grow(m);
    struct map_slot *s = &m->slot[map_probe(m, key)];
    void *old = s->value;
    *s = (struct map_slot){ key, value };
    m->n += !old;
    return old;
}

void *map_del(struct map *m, uint64_t key)
{
    if (!m->cap)
        return NULL;
    size_t hole = map_probe(m, key);
    void *old = m->slot[hole].value;
    if (!old)
        return NULL;
    m->n--;
    size_t mask = m->cap - 1;
    for (size_t i = (hole + 1) & mask; m->slot[i].value; i = (i + 1) & mask) {
        size_t home = hash_key(m->slot[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slot[hole] = m->slot[i];
            hole = i;
        }
    }
    m->slot[hole] = (struct map_slot){ 0 };
    return old;
}

void map_clear(struct map *m)
{
    free(m->slot);
    *m = (struct map)MAP_INIT;
}

void *map_next(const struct map *m, size_t *pos, uint64_t *key)
{
    for (; *pos < m->cap; ++*pos) {
        if (!m->slot[*pos].value)
            continue;
        if (key)
            *key = m->slot[*pos].key;
        return m->slot[(*pos)++].value;
    }
    return NULL;
}

static size_t smap_probe(const struct smap *m, const char *key, uint64_t hash)
{
    size_t i = hash & (m->cap - 1);
    while (m->slot[i].value && (m->slot[i].hash != hash || strcmp(m->slot[i].key, key)))
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *smap_get(const struct smap *m, const char *key)
{
    return m->cap && key ? m->slot[smap_probe(m, key, map_hash_bytes(key, strlen(key)))].value : NULL;
}

static void smap_grow(struct smap *m)
{
    struct smap old = *m;
    m->cap = old.cap ? old.cap * 2 : 16;
    m->slot = mem_array(m->cap, sizeof(*m->slot));
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value)
            m->slot[smap_probe(m, old.slot[i].key, old.slot[i].hash)] = old.slot[i];
    free(old.slot);
}

void *smap_put(struct smap *m, const char *key, void *value)
{
    if (!value)
        return smap_del(m, key);
    if (table_full(m->n, m->cap))
        smap_grow(m);
    uint64_t hash = map_hash_bytes(key, strlen(key));
    struct smap_slot *s = &m->slot[smap_probe(m, key, hash)];
    void *old = s->value;
    *s = (struct smap_slot){ key, value, hash };
    m->n += !old;
    return old;
}

void *smap_del(struct smap *m, const char *key)
{
    if (!m->cap)
        return NULL;
    size_t hole = smap_probe(m, key, map_hash_bytes(key, strlen(key)));
    void *old = m->slot[hole].value;
    if (!old)
        return NULL;
    m->n--;
    size_t mask = m->cap - 1;
    for (size_t i = (hole + 1) & mask; m->slot[i].value; i = (i + 1) & mask) {
        size_t home = m->slot[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slot[hole] = m->slot[i];
            hole = i;
        }
    }
    m->slot[hole] = (struct smap_slot){ 0 };
    return old;
}

void smap_clear(struct smap *m)
{
    free(m->slot);
    *m = (struct smap){ 0 };
}

void *smap_next(const struct smap *m, size_t *pos, const char **key)
{
    for (; *pos < m->cap; ++*pos) {
        if (!m->slot[*pos].value)
            continue;
        if (key)
            *key = m->slot[*pos].key;
        return m->slot[(*pos)++].value;
    }
    return NULL;
}
