/*
 * map - open-addressing hash maps from a number or a text to a pointer.
 *
 * Iteration order is the table's; walk a sorted copy where order may be seen from outside.
 * NULL values are not stored.
 */
#ifndef SPUR_BASE_MAP_H
#define SPUR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    void *value;
};

/* uint64_t -> pointer */
struct map {
    struct map_slot *slot;
    size_t n, cap;
};

#define MAP_INIT                                                                                                       \
    {                                                                                                                  \
        NULL, 0, 0                                                                                                     \
    }

void *map_get(const struct map *m, uint64_t key);        /* NULL when absent */
void *map_put(struct map *m, uint64_t key, void *value); /* returns what was there */
void *map_del(struct map *m, uint64_t key);              /* returns what was there */
void map_clear(struct map *m);                           /* values are the caller's */
/* Walk: start with *pos = 0; NULL at the end.  Do not put or del meanwhile. */
void *map_next(const struct map *m, size_t *pos, uint64_t *key);

/* text -> pointer; the map borrows the key, which must live as long as the entry (point into the value). */
struct smap_slot {
    const char *key;
    void *value;
    uint64_t hash;
};

struct smap {
    struct smap_slot *slot;
    size_t n, cap;
};

void *smap_get(const struct smap *m, const char *key);
void *smap_put(struct smap *m, const char *key, void *value);
void *smap_del(struct smap *m, const char *key);
void smap_clear(struct smap *m);
void *smap_next(const struct smap *m, size_t *pos, const char **key);

uint64_t map_hash_bytes(const void *p, size_t n); /* good spread, not for attackers' input of unlimited size */

#endif
