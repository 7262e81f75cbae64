/* node_record - a node as a message, for snapshots and replies, and back. */
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/core_spec.h"
#include "core/pbutil.h"
#include "core/record.h"

#define OUT_NUMBER(p, name) (p)->name = n->name;
#define OUT_TEXT(p, name) (p)->name = n->name;
#define OUT_NAME(p, name) (p)->name = n->name;
#define IN_NUMBER(p, name) n->name = (p)->name;
#define IN_TEXT(p, name) mem_set_str(&n->name, str_empty((p)->name) ? NULL : (p)->name);
#define IN_NAME(p, name) mem_set_str(&n->name, (p)->name);
#define FREE_NUMBER(name)
#define FREE_TEXT(name) free(n->name);
#define FREE_NAME(name) free(n->name);

void node_hw_pb(const struct node *n, Pb__NodeHw *hw)
{
    pb__node_hw__init(hw);
#define X(kind, type, name) OUT_##kind(hw, name)
    NODE_HW_FIELDS(X)
#undef X
}

void node_to_pb(const struct node *n, Pb__Node *p, Pb__NodeHw *hw)
{
    pb__node__init(p);
    node_hw_pb(n, hw);
    p->def = n->def;
    p->hw = hw;
#define X(kind, type, name) OUT_##kind(p, name)
    NODE_FIELDS(X)
#undef X
}

void node_from_pb(struct node *n, const Pb__Node *p)
{
#define X(kind, type, name) IN_##kind(p, name)
    NODE_FIELDS(X)
#undef X
    if (!p->hw)
        return;
#define X(kind, type, name) IN_##kind(p->hw, name)
    NODE_HW_FIELDS(X)
#undef X
}

void node_free_record(struct node *n)
{
    if (n->def)
        pb__node_def__free_unpacked(n->def, NULL);
#define X(kind, type, name) FREE_##kind(name)
    NODE_FIELDS(X)
    NODE_HW_FIELDS(X)
#undef X
}

static void node_gres(const struct node *n, Pb__Node *p)
{
    p->n_alloc_gres = n->ngres;
    p->alloc_gres = n->ngres ? mem_array(n->ngres, sizeof(*p->alloc_gres)) : NULL;
    for (uint32_t i = 0; i < n->ngres; i++) {
        Pb__Gres *g = p->alloc_gres[i] = mem_alloc(sizeof(*g));
        pb__gres__init(g);
        g->name = n->gres[i].name;
        g->type = n->gres[i].type;
        g->count = n->gres[i].used;
        pb_from_bitmap(&g->index, &n->gres[i].busy);
    }
}

void cluster_node_bytes(const struct cluster *c, const struct node *n, struct buf *out)
{
    Pb__Node p;
    Pb__NodeHw hw;
    node_to_pb(n, &p, &hw);
    p.state = node_shown_state(n);
    p.alloc_cpus = node_busy_cpus(n), p.alloc_mem_mb = n->mem_used_mb, p.jobs = n->jobs;
    p.load_centi = n->load_centi, p.free_mem_mb = n->free_mem_mb, p.has_load = n->has_load;
    p.skew_ms = n->skew_ms;
    auto_buf struct buf parts = BUF_INIT;
    for (size_t i = 0; i < c->part.n; i++)
        if (bitmap_has(&c->part.at[i]->nodes, n->index))
            buf_addf(&parts, "%s%s", parts.len ? "," : "", c->part.at[i]->pb->name);
    p.parts = parts.s;
    for (size_t i = 0; n->resv_state && !p.reservation[0] && i < c->resv.n; i++)
        if (c->resv.at[i]->pb->active && bitmap_has(&c->resv.at[i]->nodes, n->index))
            p.reservation = c->resv.at[i]->pb->name;
    auto_free char *spec = n->def && n->def->core_spec ? core_spec_text(n) : NULL;
    p.spec_list = spec;
    node_gres(n, &p);
    pb_pack(out, &p.base);
    for (uint32_t i = 0; i < n->ngres; i++) {
        free(p.alloc_gres[i]->index.data);
        free(p.alloc_gres[i]);
    }
    free(p.alloc_gres);
}
