/* apply_assoc - QOS, associations and users of accounting are made, changed and removed; usage is charged. */
#include <stdlib.h>

#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/pbutil.h"

static void read_limits(struct limit_list *out, Pb__Limit *const *from, size_t n)
{
    limit_list_clear(out);
    for (size_t i = 0; i < n; i++)
        if (from[i]->what < (int)LIMIT_WHATS && from[i]->scope < (int)LIMIT_SCOPES)
            limit_set(out, (enum limit_what)from[i]->what, (enum limit_scope)from[i]->scope,
                      str_empty(from[i]->tres) ? NULL : from[i]->tres, from[i]->max);
}

static struct limits *limits_of_cluster(struct cluster *c)
{
    if (!c->limits) {
        c->limits = NEW(struct limits);
        c->limits->next_qos = c->limits->next_assoc = 1;
    }
    return c->limits;
}

static void free_qos(struct qos *q)
{
    pb__qos__free_unpacked(q->pb, NULL);
    limit_list_clear(&q->limits);
    tres_clear(&q->whole);
    free(q);
}

static void free_assoc(struct assoc *a)
{
    pb__assoc__free_unpacked(a->pb, NULL);
    limit_list_clear(&a->limits);
    free(a->key);
    free(a);
}

void limits_clear(struct cluster *c)
{
    struct limits *l = take(c->limits);
    size_t pos = 0;
    if (!l)
        return;
    for (struct qos *q; (q = smap_next(&l->qos, &pos, NULL));)
        free_qos(q);
    pos = 0;
    for (struct assoc *a; (a = map_next(&l->assoc, &pos, NULL));)
        free_assoc(a);
    smap_clear(&l->qos);
    map_clear(&l->assoc);
    smap_clear(&l->by_key);
    map_clear(&l->defaults);
    strs_clear(&l->minute_tres);
    limit_usage_clear(&l->usage);
    acct_clear(&l->acct);
    free(l);
}

/* An association or QOS keeps its usage, unless the message sets it. */
static void put_qos(struct limits *l, const Pb__Qos *from)
{
    struct qos *q = smap_get(&l->qos, from->name);
    Pb__Qos *pb = PB_DUP(Pb__Qos, from);
    if (!q) {
        q = NEW(struct qos);
    } else {
        smap_del(&l->qos, q->pb->name);
        if (!pb->charged)
            pb->charged = take(q->pb->charged);
        pb__qos__free_unpacked(q->pb, NULL);
    }
    q->pb = pb;
    smap_put(&l->qos, pb->name, q);
    read_limits(&q->limits, pb->limits, pb->n_limits);
    l->next_qos = MAX(l->next_qos, pb->id + 1);
}

static void put_assoc(struct cluster *c, const Pb__Assoc *from)
{
    struct limits *l = c->limits;
    struct assoc *a = map_get(&l->assoc, from->id);
    Pb__Assoc *pb = PB_DUP(Pb__Assoc, from);
    if (!a) {
        a = NEW(struct assoc);
    } else {
        if (!pb->charged)
            pb->charged = take(a->pb->charged);
        pb__assoc__free_unpacked(a->pb, NULL);
    }
    a->pb = pb;
    map_put(&l->assoc, pb->id, a);
    read_limits(&a->limits, pb->limits, pb->n_limits);
    l->next_assoc = MAX(l->next_assoc, pb->id + 1);
    snap_stale(c->snap, SNAP_ASSOC, pb->id, &a->snap_queued);
}

static struct assoc *parent_of(const struct limits *l, const struct assoc *a)
{
    struct assoc *p = a->pb->parent ? map_get(&l->assoc, a->pb->parent) : NULL;
    unsigned depth = 0;
    for (const struct assoc *up = p; up; depth++) /* no ring, whatever the event says */
        up = depth < ASSOC_DEPTH && up->pb->parent && up != a ? map_get(&l->assoc, up->pb->parent) : NULL;
    return p == a || depth > ASSOC_DEPTH ? NULL : p;
}

/* A user that this machine does not know has a key that no job asks for. */
static char *assoc_key(const Pb__Assoc *a)
{
    if (str_empty(a->user))
        return mem_printf("%s//", a->account);
    return a->has_uid ? mem_printf("%s/%u/%s", a->account, a->uid, str_or(a->partition, ""))
                      : mem_printf("%s/?%s/%s", a->account, a->user, str_or(a->partition, ""));
}

/* Indexes and parents anew, and every job counted again: this happens when an administrator says so. */
static void index_all(struct cluster *c)
{
    struct limits *l = c->limits;
    size_t pos = 0;
    smap_clear(&l->by_key);
    map_clear(&l->defaults);
    for (struct assoc *a; (a = map_next(&l->assoc, &pos, NULL));) {
        free(a->key);
        a->key = assoc_key(a->pb);
        smap_put(&l->by_key, a->key, a);
        a->parent = parent_of(l, a);
    }
}

static void index_defaults(struct limits *l)
{
    size_t pos = 0;
    for (struct assoc *a; (a = map_next(&l->assoc, &pos, NULL));) {
        if (!a->pb->has_uid)
            continue;
        const struct assoc *old = map_get(&l->defaults, (uint64_t)a->pb->uid + 1);
        bool better = !old || a->pb->is_default > old->pb->is_default ||
                      (a->pb->is_default == old->pb->is_default && a->pb->id < old->pb->id);
        if (better)
            map_put(&l->defaults, (uint64_t)a->pb->uid + 1, a);
    }
}

void limits_recount(struct cluster *c)
{
    if (!c->limits)
        return;
    size_t pos = 0;
    for (struct job *j; (j = map_next(&c->jobs, &pos, NULL));)
        limits_uncount(c, j);
    limit_usage_clear(&c->limits->usage);
    pos = 0;
    for (struct job *j; (j = map_next(&c->jobs, &pos, NULL));)
        limits_count(c, j);
}

int apply_assoc_update(struct cluster *c, const Pb__EvAssocUpdate *e, struct err *err)
{
    for (size_t i = 0; i < e->n_qos; i++)
        if (str_empty(e->qos[i]->name) || !e->qos[i]->id)
            return err_set(err, EINVAL, "a QOS without a name or a number");
    for (size_t i = 0; i < e->n_assoc; i++)
        if (str_empty(e->assoc[i]->account) || !e->assoc[i]->id)
            return err_set(err, EINVAL, "an association without an account or a number");
    for (size_t i = 0; i < e->n_user; i++)
        if (str_empty(e->user[i]->name))
            return err_set(err, EINVAL, "a user without a name");
    struct limits *l = limits_of_cluster(c);
    for (size_t i = 0; i < e->n_drop_qos; i++) {
        struct qos *q = smap_del(&l->qos, e->drop_qos[i]);
        if (q)
            free_qos(q);
    }
    for (size_t i = 0; i < e->n_drop_assoc; i++) {
        struct assoc *a = map_del(&l->assoc, e->drop_assoc[i]);
        if (!a)
            continue;
        snap_stale(c->snap, SNAP_ASSOC, a->pb->id, &a->snap_queued);
        free_assoc(a);
    }
    for (size_t i = 0; i < e->n_qos; i++)
        put_qos(l, e->qos[i]);
    for (size_t i = 0; i < e->n_assoc; i++)
        put_assoc(c, e->assoc[i]);
    acct_update(&l->acct, e);
    l->serial++;
    index_all(c);
    index_defaults(l);
    limits_index(l);
    limits_stale(c);
    limits_recount(c);
    return 0;
}

static void set_charged(Pb__Charged **where, const Pb__Charged *what)
{
    if (*where)
        pb__charged__free_unpacked(*where, NULL);
    *where = what ? PB_DUP(Pb__Charged, what) : NULL;
}

int apply_usage(struct cluster *c, const Pb__EvUsage *e, struct err *err)
{
    (void)err;
    c->charged_s = e->until_s;
    if (e->reset_s)
        c->charge_reset_s = e->reset_s;
    for (size_t i = 0; c->limits && i < e->n_qos; i++) {
        struct qos *q = smap_get(&c->limits->qos, e->qos[i]->name);
        if (q)
            set_charged(&q->pb->charged, e->qos[i]->charged);
    }
    for (size_t i = 0; c->limits && i < e->n_assoc; i++) {
        struct assoc *a = map_get(&c->limits->assoc, e->assoc[i]->id);
        if (!a)
            continue;
        set_charged(&a->pb->charged, e->assoc[i]->charged);
        snap_stale(c->snap, SNAP_ASSOC, a->pb->id, &a->snap_queued);
    }
    return 0;
}

int apply_accrue(struct cluster *c, const Pb__EvAccrue *e, int64_t at_s, struct err *err)
{
    struct job *j = cluster_job(c, e->job_id);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", e->job_id);
    j->accrue_s = e->stop ? ACCRUE_NEVER : at_s;
    limits_count(c, j);
    job_changed(c, j);
    return 0;
}

/* ---- in the snapshot, in the order of their numbers ---- */

static int by_qos(const void *a, const void *b)
{
    const struct qos *x = *(struct qos *const *)a, *y = *(struct qos *const *)b;
    return x->pb->id != y->pb->id ? (x->pb->id > y->pb->id) - (x->pb->id < y->pb->id)
                                  : strcmp(x->pb->name, y->pb->name);
}

void limits_encode_qos(const struct cluster *c, struct buf *out, uint32_t field)
{
    const struct limits *l = c->limits;
    size_t pos = 0;
    if (!l)
        return;
    auto_free struct qos **qos = mem_array(l->qos.n + 1, sizeof(*qos));
    for (size_t i = 0; i < l->qos.n; i++)
        qos[i] = smap_next(&l->qos, &pos, NULL);
    qsort(qos, l->qos.n, sizeof(struct qos *), by_qos);
    for (size_t i = 0; i < l->qos.n; i++)
        pb_pack_field(out, field, &qos[i]->pb->base);
}
