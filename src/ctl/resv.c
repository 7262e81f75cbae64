/*
 * resv - scontrol create, update and delete of reservations: what is said, what follows, which nodes.
 *
 * A draft is changed pair by pair; nothing happens unless all of it makes sense.  The nodes are chosen here, once, and
 * are part of the event.
 */
#include "ctl/access.h"
#include "ctl/resv.h"

#include "ctl/hook.h"

#include "core/license.h"
#include "sched/resv.h"
#include "text/hostlist.h"

#define LATE_S 60 /* "now" of a client may be that old when it gets here */

int resv_emit(struct ctl *t, Pb__Resv *r, bool remove, struct err *err)
{
    EVENT(ev);
    Pb__EvResv e = PB__EV_RESV__INIT;
    e.resv = r;
    e.remove = remove;
    BODY(ev, RESV, resv, &e);
    const struct resv *old = cluster_resv(t->c, r->id);
    bool was = old && old->pb->active, is = r->active && !remove;
    bool turned = was && is && old->pb->start_s != r->start_s; /* one turn follows the other */
    auto_free char *name = mem_str(r->name); /* it may be the old one's, which is gone then */
    int rc = ctl_emit(t, &ev, err);
    if (!rc && was && !remove && (!is || turned))
        hook_resv(t, name, true);
    if (!rc && is && (!was || turned))
        hook_resv(t, name, false);
    return rc;
}

/* ---- times ---- */

static int check_times(struct resv_draft *d, bool was_active, int64_t length_s)
{
    Pb__Resv *r = d->r;
    int64_t now = NOW_S(d->t);
    bool forced = r->flags & RESV_FORCE_START && r->flags & RESV_REPEATS;
    if (d->start && was_active)
        return resv_code(d, ESLURM_RSV_ALREADY_STARTED);
    if (d->start && r->start_s < now - LATE_S && !forced)
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    if (d->duration_min)
        r->end_s = r->start_s + (int64_t)d->duration_min * 60;
    else if (d->start && !d->end && length_s > 0) /* it moves as a whole */
        r->end_s = r->start_s + length_s;
    if (r->end_s <= r->start_s || (r->end_s <= now && !forced))
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    if (r->flags & RESV_TIME_FLOAT) {
        if (d->start)
            r->float_s = MAX(r->start_s - now, 0);
    } else {
        r->active = r->start_s <= now && now < r->end_s;
    }
    return 0;
}

/* ---- flags ---- */

static int check_flags(struct resv_draft *d, uint64_t before)
{
    uint64_t f = d->r->flags, turns = f & RESV_REPEATS;
    if (turns & (turns - 1) || (turns && f & RESV_TIME_FLOAT) || (f & RESV_FORCE_START && !turns))
        return resv_code(d, ESLURM_NOT_SUPPORTED);
    if (f & (RESV_REPLACE | RESV_REPLACE_DOWN) && f & (RESV_STATIC | RESV_MAINT))
        return resv_code(d, ESLURM_NOT_SUPPORTED);
    if (!d->create && ((f ^ before) & RESV_TIME_FLOAT || (d->nodes && f & (RESV_REPLACE | RESV_REPLACE_DOWN))))
        return resv_code(d, ESLURM_NOT_SUPPORTED);
    if (d->nodes && f & (RESV_REPLACE | RESV_REPLACE_DOWN))
        return resv_code(d, ESLURM_INVALID_NODE_NAME);
    return 0;
}

/* ---- nodes ---- */

static int add_names(struct resv_draft *d, const char *text, struct bitmap *out)
{
    auto_strs struct strs names = STRS_INIT;
    if (hostlist_expand(text, &names, NULL))
        return resv_code(d, ESLURM_INVALID_NODE_NAME);
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(d->t->c, names.at[i]);
        if (!n)
            return resv_code(d, d->create ? ESLURM_INVALID_NODE_NAME : ESLURM_RESERVATION_INVALID);
        bitmap_set(out, n->index);
    }
    return 0;
}

static void add_all(const struct cluster *c, struct bitmap *out)
{
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE)
            bitmap_set(out, i);
}

/* "n1,n2", "+n1,-n[2-4]", or with += and -= before it: worked into the nodes it has. */
static int change_nodes(struct resv_draft *d, struct bitmap *nodes)
{
    const char *text = d->node_text;
    bool signs = *text == '+' || *text == '-' || d->node_op != RESV_SET;
    if (!signs) {
        bitmap_zero(nodes);
        return add_names(d, text, nodes);
    }
    auto_bitmap struct bitmap in = BITMAP_INIT, out = BITMAP_INIT;
    int rc = 0;
    while (*text && !rc) {
        size_t len = 0;
        for (int depth = 0; text[len] && (depth || text[len] != ','); len++)
            depth += (text[len] == '[') - (text[len] == ']');
        bool sign = *text == '+' || *text == '-', minus = sign ? *text == '-' : d->node_op == RESV_REMOVE;
        auto_free char *piece = mem_strn(text + sign, len - sign);
        rc = add_names(d, piece, minus ? &out : &in);
        text += len + (text[len] == ',');
    }
    bitmap_or(nodes, &in);
    bitmap_minus(nodes, &out);
    return rc;
}

/* Which nodes are named, by list, by ALL or by a partition; false: they are to be chosen. */
static int find_named(struct resv_draft *d, struct bitmap *nodes, bool *named)
{
    Pb__Resv *r = d->r;
    const struct part *p = str_empty(r->partition) ? NULL : cluster_part(d->t->c, r->partition);
    bool all = d->nodes && str_ieq(d->node_text, "ALL");
    bool chosen = r->node_cnt || r->core_cnt || !str_empty(r->gres) || !str_empty(r->tres_per_node);
    int rc = 0;
    *named = true;
    if (d->nodes && !*d->node_text) {
        r->flags &= ~(uint64_t)(RESV_SPEC_NODES | RESV_ALL_NODES);
        *named = false;
    } else if (p && (all || !d->nodes) && (!chosen || r->flags & RESV_PART_NODES) && d->create) {
        bitmap_copy(nodes, &p->nodes);
        r->flags |= RESV_SPEC_NODES | RESV_PART_NODES;
    } else if (all) {
        bitmap_zero(nodes);
        add_all(d->t->c, nodes);
        r->flags |= RESV_SPEC_NODES | RESV_ALL_NODES;
    } else if (d->nodes) {
        rc = change_nodes(d, nodes);
        r->flags |= RESV_SPEC_NODES;
    } else {
        *named = !d->counts && r->flags & RESV_SPEC_NODES;
    }
    return rc;
}

/* One that is chosen by count has its partition's name, which may be the default one. */
static void name_partition(struct resv_draft *d)
{
    const struct part *p = cluster_default_part(d->t->c);
    const char *pos = d->r->partitions;
    auto_free char *first = str_next(&pos, ",");
    if (!str_empty(d->r->partition))
        return;
    if (first && *first != '-')
        pb_set_text(&d->r->partition, first);
    else if (p)
        pb_set_text(&d->r->partition, p->pb->name);
}

/* Fewer than it has: the last of them stay; more: others come with them. */
static int resv_resize(struct resv_draft *d, struct bitmap *nodes)
{
    uint32_t have = (uint32_t)bitmap_count(nodes), want = d->r->node_cnt;
    for (uint32_t n = have; n > want; n--)
        bitmap_unset(nodes, bitmap_next(nodes, 0));
    if (have < want)
        name_partition(d);
    resv_nodes_free(d->r);
    return resv_pick(d->t->c, d->r, have >= want ? nodes : NULL, nodes, NOW_S(d->t), d->err);
}

static int choose_nodes(struct resv_draft *d)
{
    Pb__Resv *r = d->r;
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    bool named;
    for (size_t i = 0; i < r->n_node; i++)
        bitmap_set(&nodes, r->node[i]->node);
    bool partial = r->n_node && (r->node[0]->cpus || r->node[0]->n_gres);
    if (r->flags & RESV_ANY_NODES && !d->nodes && !d->counts)
        return 0;
    if (!d->create && partial && (d->nodes || d->counts))
        return resv_code(d, ESLURM_CORE_RESERVATION_UPDATE);
    int rc = find_named(d, &nodes, &named);
    if (rc)
        return rc;
    bool counted = r->node_cnt || r->core_cnt || !str_empty(r->gres) || !str_empty(r->tres_per_node);
    if (named ? bitmap_none(&nodes) : !counted) /* licences alone want ANY_NODES */
        return resv_code(d, ESLURM_INVALID_NODE_NAME);
    if (d->create && (!named || r->core_cnt))
        name_partition(d);
    if (!d->create && d->counts && !d->nodes && !partial)
        return resv_resize(d, &nodes);
    if (!d->create && partial)
        return 0; /* cores stay where they are */
    resv_nodes_free(r);
    rc = resv_pick(d->t->c, r, named ? &nodes : NULL, d->create ? NULL : &nodes, NOW_S(d->t), d->err);
    if (!rc && !r->core_cnt && str_empty(r->gres) && str_empty(r->tres_per_node))
        r->node_cnt = (uint32_t)r->n_node;
    return rc;
}

/* ---- licences ---- */

static uint64_t count_of(const char *text, const char *name)
{
    auto_license struct license_list l = LICENSE_INIT;
    uint64_t n = 0;
    if (str_empty(text) || license_parse(text, &l, NULL))
        return 0;
    for (size_t i = 0; i < l.n; i++)
        n += str_eq(l.at[i].name, name) ? l.at[i].count : 0;
    return n;
}

/* All reservations of one time together have no more of a licence than there is. */
static int check_licenses(struct resv_draft *d)
{
    const struct cluster *c = d->t->c;
    for (size_t i = 0; !str_empty(d->r->licenses) && i < c->licenses.n; i++) {
        uint64_t sum = count_of(d->r->licenses, c->licenses.at[i].name);
        for (size_t k = 0; sum && k < c->resv.n; k++) {
            const Pb__Resv *o = c->resv.at[k]->pb;
            if (o->id != d->r->id && resv_meet(o, d->r, NOW_S(d->t)))
                sum += count_of(o->licenses, c->licenses.at[i].name);
        }
        if (sum > c->licenses.at[i].total)
            return resv_code(d, ESLURM_INVALID_LICENSES);
    }
    return 0;
}

/* ---- users, accounts, groups ---- */

static int check_who(struct resv_draft *d)
{
    Pb__Resv *r = d->r;
    if (!str_empty(r->users) && !str_empty(r->groups))
        return resv_code(d, ESLURM_RESERVATION_USER_GROUP);
    if (str_empty(r->users) && str_empty(r->groups) && str_empty(r->accounts) && str_empty(r->qos) &&
        str_empty(r->partitions))
        return resv_code(d, ESLURM_RESERVATION_EMPTY);
    return d->access ? resv_uids(d->t, r, d->create ? -1 : ESLURM_USER_ID_MISSING, d->err) : 0;
}

/* After the first account, user or group that it names, and its number. */
static void make_name(struct resv_draft *d)
{
    const char *lists[] = { d->r->accounts, d->r->users, d->r->groups };
    const char *list = "resv";
    for (size_t i = ARRAY_LEN(lists); i-- > 0;)
        if (!str_empty(lists[i]))
            list = lists[i];
    const char *pos = list;
    auto_free char *first = str_next(&pos, ",");
    auto_free char *name = mem_printf("%s_%u", first + (*first == '-'), d->r->id);
    pb_set_text(&d->r->name, name);
}

static int resv_settle(struct resv_draft *d, const Pb__Resv *old)
{
    int rc = check_who(d);
    if (!rc)
        rc = check_flags(d, old ? old->flags : 0);
    if (!rc)
        rc = check_times(d, old && old->active, old ? old->end_s - old->start_s : 0);
    if (!rc && (d->create || d->nodes || d->counts || d->start || d->end || d->duration_min))
        rc = choose_nodes(d);
    if (!rc)
        rc = check_licenses(d);
    if (!rc && d->create && str_empty(d->r->name))
        make_name(d);
    if (!rc && strchr(d->r->name, ','))
        rc = resv_code(d, ESLURM_RESERVATION_INVALID);
    return rc;
}

/* ---- what is asked ---- */

static int skip_turn(struct resv_draft *d)
{
    Pb__Resv *r = d->r;
    int64_t next = resv_next(r->flags, r->start_s);
    if (!next)
        return resv_code(d, ESLURM_RESERVATION_NO_SKIP);
    r->end_s = next + (r->end_s - r->start_s);
    r->start_s = next;
    r->active = next <= NOW_S(d->t);
    return resv_emit(d->t, r, false, d->err);
}

static int resv_change(struct resv_draft *d, const Pb__UpdateRequest *q, const Pb__Resv *old)
{
    int rc = 0;
    for (size_t i = 0; i < q->n_pairs && !rc; i++)
        rc = resv_key(d, q->pairs[i]);
    if (rc)
        return rc;
    if (d->skip && !d->create)
        return skip_turn(d);
    rc = resv_settle(d, old);
    if (!rc && !d->create && d->access && resv_locks_out(d->t, d->r))
        rc = resv_code(d, ESLURM_RESERVATION_BUSY);
    return rc ? rc : resv_emit(d->t, d->r, false, d->err);
}

static bool may_delete(const struct ctl_call *call, const struct resv *r)
{
    return access_has(call->t, call->peer, RIGHT_UPDATE_CLUSTER, NULL) ||
           (access_may(call->t, call->peer, RIGHT_DELETE_RESV, NULL) && resv_has(r, RESV_USER_DELETE) &&
            resv_admits_user(r, call->peer->uid, NULL));
}

static int remove_resv(const struct ctl_call *call, const struct resv *r, struct err *err)
{
    if (!may_delete(call, r))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    if (resv_used(call->t, r, true))
        return err_set(err, ESLURM_RESERVATION_BUSY, "%s", err_text(ESLURM_RESERVATION_BUSY));
    Pb__Resv gone = PB__RESV__INIT;
    gone.id = r->pb->id;
    gone.name = r->pb->name;
    return resv_emit(call->t, &gone, true, err);
}

int update_resv(const struct ctl_call *call, const Pb__UpdateRequest *q, char **name, struct err *err)
{
    struct ctl *t = call->t;
    const char *said = update_value(q, "ReservationName");
    const struct resv *old = said ? cluster_resv_named(t->c, said) : NULL;
    bool skips = update_value(q, "Skip") != NULL && !q->create;
    if (!old && (q->remove || !q->create))
        return err_set(err, ESLURM_RESERVATION_INVALID, "%s", err_text(ESLURM_RESERVATION_INVALID));
    if (q->remove)
        return remove_resv(call, old, err);
    if (skips ? !may_delete(call, old) : !access_may(t, call->peer, RIGHT_UPDATE_CLUSTER, NULL))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    struct resv_draft d = { .t = t, .create = q->create, .err = err };
    if (q->create) {
        d.r = NEW(Pb__Resv);
        pb__resv__init(d.r);
        d.r->id = t->c->next_resv;
        d.r->creator_uid = call->peer->uid;
    } else {
        d.r = PB_DUP(Pb__Resv, old->pb);
    }
    int rc = resv_change(&d, q, q->create ? NULL : old->pb);
    if (!rc && q->create)
        *name = mem_str(d.r->name);
    pb__resv__free_unpacked(d.r, NULL);
    free(d.node_text);
    return rc;
}
