/*
 * layout_topo - tasks in the order of the network: one block of tasks after the other goes to neighbours by switch or
 * block, not by the numbers of the nodes; see layout.h.
 */
#include "core/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/topology.h"

struct spot {
    uint32_t leaf, at;
};

static int by_leaf(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    if (x->leaf != y->leaf)
        return x->leaf < y->leaf ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

uint32_t *layout_topo_order(const struct topo *t, const uint32_t *node, uint32_t n)
{
    auto_free struct spot *spot = mem_array(MAX(n, 1u), sizeof(*spot));
    uint32_t *order = mem_array(MAX(n, 1u), sizeof(*order));
    bool moved = false;
    for (uint32_t i = 0; i < n; i++)
        spot[i] = (struct spot){ topo_leaf(t, node[i]), i };
    qsort(spot, n, sizeof(*spot), by_leaf);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = spot[i].at;
        moved |= order[i] != i;
    }
    if (moved)
        return order;
    free(order);
    return NULL;
}

/* Back from the order in which it was made: nodes by position again, each with its ranks. */
static void put_back(struct layout *l, const uint32_t *order)
{
    auto_free uint32_t *tasks = mem_copy(l->tasks, l->n * sizeof(*tasks));
    auto_free uint32_t *from = mem_array(l->n + 1, sizeof(*from));
    uint32_t total = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        from[order[i]] = total;
        total += tasks[i];
        l->tasks[order[i]] = tasks[i];
    }
    uint32_t *rank = mem_array(MAX(total, 1u), sizeof(*rank));
    for (uint32_t i = 0, at = 0; i < l->n; at += l->tasks[i++])
        memcpy(rank + at, l->rank + from[i], l->tasks[i] * sizeof(*rank));
    free(l->rank);
    l->rank = rank;
    l->plain = true;
    for (uint32_t i = 0; i < total; i++)
        l->plain &= rank[i] == i;
}

int layout_make_ordered(const struct layout_ask *a, const uint32_t *order, struct layout *out, struct err *err)
{
    if (!order || a->dist.dist != LAYOUT_BLOCK)
        return layout_make(a, out, err);
    auto_free uint32_t *room = mem_array(MAX(a->n, 1u), sizeof(*room));
    struct layout_ask ask = *a;
    for (uint32_t i = 0; i < a->n; i++)
        room[i] = a->room[order[i]];
    ask.room = room;
    int rc = layout_make(&ask, out, err);
    if (!rc)
        put_back(out, order);
    return rc;
}
