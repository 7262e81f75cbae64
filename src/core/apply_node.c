/* apply_node - what happens to nodes and partitions: configured, up, down, changed. */
#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/runtime_history.h"
#include "core/limits.h"
#include "core/pbutil.h"
#include "text/gres.h"
#include "text/hostlist.h"

/* ---- hardware in force ---- */

static uint32_t or_seen(uint32_t configured, uint32_t seen, uint32_t least)
{
    return configured ? configured : MAX(seen, least);
}

static struct gres_slot *old_slot(struct gres_slot *old, uint32_t n, const struct gres *g)
{
    for (uint32_t i = 0; i < n; i++)
        if (str_eq(old[i].name, g->name) && str_eq(old[i].type, g->type ? g->type : ""))
            return &old[i];
    return NULL;
}

static uint32_t new_index(const struct gres_slot *now, size_t n, const struct gres_slot *was)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(now[i].name, was->name) && str_eq(now[i].type, was->type))
            return (uint32_t)i;
    return UINT32_MAX;
}

struct renumbering {
    const struct node *n;
    const struct gres_slot *now;
    size_t nnow;
};

/* The new place of what is at `slot` in the table; UINT32_MAX: none. */
static uint32_t new_slot(const struct renumbering *m, uint32_t slot)
{
    return slot < m->n->ngres ? new_index(m->now, m->nnow, &m->n->gres[slot]) : slot;
}

static void move_step_shares(struct job *j, uint32_t pos, const struct renumbering *m)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        Pb__Step *s = j->steps.at[i].pb;
        for (size_t k = 0; k < s->n_alloc && k < s->n_node; k++)
            for (size_t g = 0; s->node[k] == pos && g < s->alloc[k]->n_gres; g++)
                s->alloc[k]->gres[g]->slot = new_slot(m, s->alloc[k]->gres[g]->slot - 1) + 1;
    }
}

/* Jobs and their steps name what they hold by its place in the table: when places change, so do the names. */
static void move_shares(struct cluster *c, const struct node *n, const struct gres_slot *now, size_t nnow)
{
    const struct renumbering m = { n, now, nnow };
    bool moved = false;
    for (uint32_t i = 0; i < n->ngres; i++)
        moved |= new_index(now, nnow, &n->gres[i]) != i;
    for (struct job *j = moved ? c->active.head : NULL; j; j = j->next)
        for (uint32_t i = 0; i < j->alloc.n; i++) {
            struct node_alloc *na = &j->alloc.at[i];
            if (na->node != n->index)
                continue;
            for (uint32_t g = 0; g < na->ngres; g++)
                na->gres[g].slot = new_slot(&m, na->gres[g].slot);
            move_step_shares(j, i, &m);
            job_changed(c, j);
        }
}

/* Which cores its devices are near to, as the configuration says. */
static void set_near(struct gres_slot *slot, const Pb__NodeDef *def)
{
    for (size_t i = 0; def && i < def->n_devices; i++) {
        const Pb__GresDevices *d = def->devices[i];
        if (slot->local_cores || !str_eq(d->name, slot->name) || !str_eq(d->type, slot->type))
            continue;
        slot->nlocal = (uint32_t)MIN(d->n_cores, (size_t)slot->count);
        slot->local_cores = mem_array(MAX(slot->nlocal, 1u), sizeof(*slot->local_cores));
        for (uint32_t k = 0; k < slot->nlocal; k++)
            pb_to_bitmap(&slot->local_cores[k], &d->cores[k]);
    }
}

/* The table follows the configuration; what is in use stays counted under its name. */
static void set_gres(struct cluster *c, struct node *n, const char *text)
{
    auto_gres struct gres_list list = GRES_INIT;
    if (!str_empty(text))
        (void)gres_parse_node(text, &list, NULL);
    struct gres_slot *slots = list.n ? mem_array(list.n, sizeof(*slots)) : NULL;
    for (size_t i = 0; i < list.n; i++) {
        struct gres_slot *was = old_slot(n->gres, n->ngres, &list.at[i]);
        slots[i] = (struct gres_slot){ mem_str(list.at[i].name), mem_str(list.at[i].type ? list.at[i].type : ""),
                                       list.at[i].count, 0, BITMAP_INIT, NULL, 0 };
        set_near(&slots[i], n->def);
        if (was) {
            slots[i].used = was->used;
            bitmap_copy(&slots[i].busy, &was->busy);
        }
    }
    move_shares(c, n, slots, list.n);
    node_free_gres(n);
    n->gres = slots;
    n->ngres = (uint32_t)list.n;
}

void node_set_hw(struct cluster *c, struct node *n, const Pb__NodeHw *seen)
{
    static const Pb__NodeHw none = PB__NODE_HW__INIT;
    const Pb__NodeHw *def = n->def->hw ? n->def->hw : &none;
    if (!seen)
        seen = &none;
    n->boards = or_seen(def->boards, seen->boards, 1);
    n->sockets = or_seen(def->sockets, seen->sockets, 1);
    n->cores = or_seen(def->cores, seen->cores, 1);
    n->threads = or_seen(def->threads, seen->threads, 1);
    n->cpus = or_seen(def->cpus, n->sockets * n->cores * n->threads, 1);
    c->biggest_cpus = MAX(c->biggest_cpus, n->cpus);
    n->mem_mb = def->mem_mb ? def->mem_mb : MAX(seen->mem_mb, 1);
    c->biggest_mem_mb = MAX(c->biggest_mem_mb, n->mem_mb);
    n->tmp_mb = def->tmp_mb; /* as Slurm: only what is configured is promised */
    if (!str_empty(seen->arch))
        mem_set_str(&n->arch, seen->arch);
    if (!str_empty(seen->os))
        mem_set_str(&n->os, seen->os);
}

/* ---- configuration ---- */

static void rebuild_names(struct cluster *c)
{
    smap_clear(&c->node_by_name);
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE)
            smap_put(&c->node_by_name, c->node[i].name, &c->node[i]);
}

static uint32_t configured_state(const Pb__NodeDef *def)
{
    if (str_ieq(def->state, "DOWN"))
        return NODE_DOWN;
    if (str_has_iprefix(def->state, "DRAIN"))
        return NODE_UNKNOWN | NODE_DRAIN;
    if (str_has_iprefix(def->state, "FAIL"))
        return NODE_UNKNOWN | NODE_FAIL;
    return NODE_UNKNOWN;
}

static void set_def(struct cluster *c, struct node *n, const Pb__NodeDef *def)
{
    if (n->def)
        pb__node_def__free_unpacked(n->def, NULL);
    n->def = PB_DUP(Pb__NodeDef, def);
    n->name = n->def->name;
    node_changed(c, n);
    n->weight = def->weight ? def->weight : 1;
    mem_set_str(&n->features, def->features);
    mem_set_str(&n->features_active, def->features);
    set_gres(c, n, def->gres);
}

void cluster_reserve_nodes(struct cluster *c, size_t more)
{
    c->node = mem_grow(c->node, c->nnodes + more, sizeof(*c->node));
    rebuild_names(c);
}

struct node *cluster_add_node(struct cluster *c, const Pb__NodeDef *def)
{
    struct node *n = &c->node[c->nnodes];
    *n = (struct node){ .index = (uint32_t)c->nnodes };
    c->nnodes++;
    set_def(c, n, def);
    n->state = configured_state(def);
    node_set_hw(c, n, NULL);
    return n;
}

static struct node *any_node(struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->nnodes; i++)
        if (str_eq(c->node[i].name, name))
            return &c->node[i];
    return NULL;
}

static void config_node(struct cluster *c, const Pb__NodeDef *def, struct bitmap *named)
{
    struct node *n = cluster_node(c, def->name);
    if (!n && c->configured)
        n = any_node(c, def->name);
    if (!n) {
        n = cluster_add_node(c, def);
    } else {
        smap_del(&c->node_by_name, n->name); /* the name goes with the old description */
        Pb__NodeHw seen = PB__NODE_HW__INIT;
        seen.boards = n->boards, seen.sockets = n->sockets, seen.cores = n->cores, seen.threads = n->threads;
        seen.mem_mb = n->mem_mb, seen.tmp_mb = n->tmp_mb;
        set_def(c, n, def);
        if (node_base(n) == NODE_FUTURE)
            n->state = configured_state(def);
        node_set_hw(c, n, &seen);
    }
    smap_put(&c->node_by_name, n->name, n);
    bitmap_set(named, n->index);
}

void part_set(struct cluster *c, const Pb__Part *pb)
{
    struct part *p = cluster_part(c, pb->name);
    Pb__Part *copy = PB_DUP(Pb__Part, pb); /* first: `pb` may share texts with the current record */
    if (!p) {
        p = NEW(struct part);
        p->index = (uint32_t)c->part.n;
        vec_push(&c->part, p);
    } else {
        pb__part__free_unpacked(p->pb, NULL);
    }
    p->pb = copy;
    bitmap_zero(&p->nodes);
    for (size_t i = 0; i < pb->n_node; i++)
        if (pb->node[i] < c->nnodes)
            bitmap_set(&p->nodes, pb->node[i]);
}

static void part_drop(struct cluster *c, size_t i)
{
    struct part *p = c->part.at[i];
    pb__part__free_unpacked(p->pb, NULL);
    bitmap_clear(&p->nodes);
    free(p);
    vec_remove(&c->part, i);
    for (size_t k = i; k < c->part.n; k++)
        c->part.at[k]->index = (uint32_t)k;
}

/* A partition's nodes are named in the event; here the names become indexes. */
static void config_part(struct cluster *c, const Pb__Part *pb)
{
    Pb__Part copy = *pb;
    auto_strs struct strs names = { 0 };
    if (!str_empty(pb->nodes))
        (void)hostlist_expand(pb->nodes, &names, NULL);
    copy.node = mem_array(names.n, sizeof(*copy.node));
    copy.n_node = 0;
    for (size_t i = 0; i < names.n; i++) {
        struct node *n = cluster_node(c, names.at[i]);
        if (n)
            copy.node[copy.n_node++] = n->index;
    }
    part_set(c, &copy);
    free(copy.node);
}

int apply_config(struct cluster *c, const Pb__EvConfig *e, struct err *err)
{
    auto_bitmap struct bitmap named = BITMAP_INIT;
    mem_set_str(&c->name, e->cluster);
    if (!c->configured)
        c->next_attempt = e->attempt_base;
    if (!c->configured)
        c->next_job = e->first_job_id ? e->first_job_id : 1;
    c->first_job = e->first_job_id ? e->first_job_id : 1;
    c->max_job = e->max_job_id ? e->max_job_id : 0x03ff0000;
    cluster_reserve_nodes(c, e->n_nodes);
    for (size_t i = 0; i < e->n_nodes; i++)
        config_node(c, e->nodes[i], &named);
    for (size_t i = 0; i < c->nnodes; i++)
        if (!bitmap_has(&named, i))
            c->node[i].state = NODE_FUTURE, node_changed(c, &c->node[i]);
    rebuild_names(c);
    while (c->part.n)
        part_drop(c, c->part.n - 1);
    for (size_t i = 0; i < e->n_parts; i++)
        config_part(c, e->parts[i]);
    topo_take(c, e->topologies, e->n_topologies, e->topo_optional);
    license_config(c, e->licenses, e->n_licenses);
    runtime_history_config(c, e->learns);
    c->billing = e->billing;
    limits_stale(c);
    limits_recount(c); /* partitions may have other QOS and weights */
    c->configured = true;
    c->config_digest = e->digest;
    return 0;
}

int apply_part_update(struct cluster *c, const Pb__EvPartUpdate *e, struct err *err)
{
    if (!e->part)
        return err_set(err, EINVAL, "no partition is named");
    if (!e->remove) {
        if (e->part->is_default)
            for (size_t i = 0; i < c->part.n; i++)
                c->part.at[i]->pb->is_default = false;
        config_part(c, e->part);
        limits_stale(c);
        limits_recount(c);
        return 0;
    }
    for (size_t i = 0; i < c->part.n; i++)
        if (str_eq(c->part.at[i]->pb->name, e->part->name)) {
            part_drop(c, i);
            return 0;
        }
    return err_set(err, ESLURM_INVALID_PARTITION_NAME, "there is no partition %s", e->part->name);
}

/* ---- nodes come, go and change ---- */

static struct node *find_node(struct cluster *c, uint32_t i, struct err *err)
{
    if (i < c->nnodes)
        return &c->node[i];
    err_set(err, ESLURM_INVALID_NODE_NAME, "there is no node %u", i);
    return NULL;
}

static void set_reason(struct node *n, const char *reason, uint32_t uid, int64_t at_s)
{
    mem_set_str(&n->reason, str_empty(reason) ? NULL : reason);
    n->reason_uid = uid;
    n->reason_s = str_empty(reason) ? 0 : at_s;
}

int apply_node_up(struct cluster *c, const Pb__EvNodeUp *e, int64_t at_s, struct err *err)
{
    struct node *n = find_node(c, e->node, err);
    if (!n)
        return err->code;
    node_changed(c, n);
    mem_set_str(&n->boot_id, e->boot_id);
    mem_set_str(&n->version, e->version);
    n->boot_s = e->boot_s;
    n->start_s = e->start_s;
    n->state = e->state;
    if (!n->busy_s)
        n->busy_s = at_s;
    if (!str_eq(n->reason ? n->reason : "", e->reason ? e->reason : ""))
        set_reason(n, e->reason, 0, at_s);
    node_set_hw(c, n, e->hw);
    limits_stale(c);
    return 0;
}

int apply_node_state(struct cluster *c, const Pb__EvNodeState *e, int64_t at_s, struct err *err)
{
    struct node *n = find_node(c, e->node, err);
    if (!n)
        return err->code;
    node_changed(c, n);
    n->state = e->state;
    if (e->has_reason)
        set_reason(n, e->reason, e->reason_uid, at_s);
    return 0;
}

/* What an administrator changed belongs to the node's description until the configuration is read again. */
int apply_node_update(struct cluster *c, const Pb__EvNodeUpdate *e, struct err *err)
{
    struct node *n = find_node(c, e->node, err);
    if (!n)
        return err->code;
    node_changed(c, n);
    if (e->has_weight)
        n->weight = e->weight;
    if (e->has_features) {
        mem_set_str(&n->features, e->features);
        pb_set_text(&n->def->features, e->features);
    }
    if (e->has_features_active)
        mem_set_str(&n->features_active, e->features_active);
    if (e->has_comment)
        mem_set_str(&n->comment, e->comment);
    if (e->has_extra)
        mem_set_str(&n->extra, e->extra);
    if (e->has_gres) {
        set_gres(c, n, e->gres);
        pb_set_text(&n->def->gres, e->gres);
    }
    return 0;
}
