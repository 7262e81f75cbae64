/* apply_resv - reservations are made, changed and removed, and what nodes show of it. */
#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"

struct resv *cluster_resv(const struct cluster *c, uint32_t id)
{
    for (size_t i = 0; id && i < c->resv.n; i++)
        if (c->resv.at[i]->pb->id == id)
            return c->resv.at[i];
    return NULL;
}

struct resv *cluster_resv_named(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->resv.n; i++)
        if (str_eq(c->resv.at[i]->pb->name, name))
            return c->resv.at[i];
    return NULL;
}

/* Nodes show the reservations whose time has come. */
static void show_on_nodes(struct cluster *c)
{
    for (size_t i = 0; i < c->nnodes; i++)
        c->node[i].resv_state = 0;
    for (size_t i = 0; i < c->resv.n; i++) {
        const struct resv *r = c->resv.at[i];
        if (!r->pb->active)
            continue;
        bitmap_each(&r->nodes, n)
            c->node[n].resv_state |= NODE_RES | (resv_has(r, RESV_MAINT) ? NODE_MAINT : 0);
    }
}

void resv_set(struct cluster *c, const Pb__Resv *pb)
{
    struct resv *r = resv_new(pb, c->nnodes);
    size_t at = 0;
    while (at < c->resv.n && c->resv.at[at]->pb->id < pb->id)
        at++;
    if (at < c->resv.n && c->resv.at[at]->pb->id == pb->id) {
        resv_free(c->resv.at[at]);
        c->resv.at[at] = r;
    } else {
        vec_push(&c->resv, r); /* numbers count up: at the end */
    }
    c->next_resv = MAX(c->next_resv, pb->id + 1);
    show_on_nodes(c);
}

static int drop_resv(struct cluster *c, uint32_t id, struct err *err)
{
    for (size_t i = 0; i < c->resv.n; i++) {
        if (c->resv.at[i]->pb->id != id)
            continue;
        resv_free(c->resv.at[i]);
        vec_remove(&c->resv, i);
        show_on_nodes(c);
        return 0;
    }
    return err_set(err, ESLURM_RESERVATION_INVALID, "there is no reservation %u", id);
}

int apply_resv(struct cluster *c, const Pb__EvResv *e, struct err *err)
{
    const Pb__Resv *r = e->resv;
    if (!r || !r->id)
        return err_set(err, EINVAL, "no reservation is named");
    if (e->remove)
        return drop_resv(c, r->id, err);
    if (!cluster_resv(c, r->id) && r->id < c->next_resv)
        return err_set(err, EINVAL, "reservation %u is gone", r->id);
    const struct resv *same = cluster_resv_named(c, r->name);
    if (same && same->pb->id != r->id)
        return err_set(err, ESLURM_RESERVATION_NAME_DUP, "%s", err_text(ESLURM_RESERVATION_NAME_DUP));
    for (size_t i = 0; i < r->n_node; i++)
        if (r->node[i]->node >= c->nnodes)
            return err_set(err, ESLURM_INVALID_NODE_NAME, "there is no node %u", r->node[i]->node);
    resv_set(c, r);
    return 0;
}
