/*
 * gres_bind - --gres-flags=enforce-binding: devices with cores of their own sockets; only used where need.gres_bind is
 * set.
 */
#ifndef SPUR_SCHED_GRES_BIND_H
#define SPUR_SCHED_GRES_BIND_H

#include "sched/fit.h"
#include "sched/oversub.h"

/* The situation that a node is tested for. */
struct gres_bind_when {
    int64_t at_s;
    bool empty;         /* without any job */
    span_gone_fn *gone; /* without the jobs for which this is true; NULL: with all */
    void *arg;
};
bool gres_bind_applies(const struct sched *s, const struct need *n, const struct node *node);

/* fit_node() accepted `av`: is as much there on suitable sockets?  `out` says how much. */
bool gres_bind_fit(const struct sched_view *v, const struct cluster *c, const struct need *n, uint32_t node,
                   const struct gres_bind_when *when, const struct avail *av, struct node_fit *out);
static inline bool gres_bind_fits_at(const struct sched_view *v, const struct cluster *c, const struct need *n,
                                     uint32_t node, int64_t at_s, const struct avail *av, struct node_fit *out)
{
    return !n->gres_bind || gres_bind_fit(v, c, n, node, &(struct gres_bind_when){ .at_s = at_s }, av, out);
}

/* The sockets for a part of a pick, as a mask, with `av` lowered to them; 0: any socket. */
uint64_t gres_bind_sockets(const struct sched_view *v, const struct cluster *c, const struct need *n,
                           const struct node_part *np, struct avail *av);

/* Mark the cores of all other sockets as busy. */
void gres_bind_mask_cores(const struct node_profile *prof, uint64_t sockets, struct bitmap *busy);

/* Give the allocation a core on each socket of which it has a device. */
void gres_bind_add_cores(const struct sched *s, const struct cluster *c, const struct need *n, uint64_t sockets,
                         const struct bitmap *busy, struct node_alloc *na);

/* Choose out->count devices: one of each of `sockets`, then devices of the sockets of `cores`, then any. */
void gres_bind_devices(const struct node_profile *prof, const struct gres_slot *slot, const struct bitmap *cores,
                       uint64_t sockets, const struct bitmap *off, struct gres_alloc *out);

/* Is a job pending that binds devices? */
bool gres_bind_any(const struct sched *s);

#endif
