/*
 * assoc_load - sacctmgr load and dump: accounts, users and QOS with their limits and shares.
 *
 * A load is one event: all of the file, or nothing.  A known association keeps its number and what was charged to it.
 */
#include <stdlib.h>

#include "core/limits.h"
#include "ctl/directory.h"
#include "ctl/priority_fairshare.h"
#include "ctl/privacy.h"
#include "ctl/priority_update.h"
#include "ctl/request.h"
#include "text/assoc_file.h"

struct load {
    struct ctl *t;
    struct assoc_file r;
    Pb__EvAssocUpdate ev;
    uint32_t next_qos, next_assoc;
    struct smap accounts; /* by name: the number of the account's own association */
    struct map known;     /* associations there are, by a hash of account, user and partition */
    struct map named;     /* numbers of the associations in the file */
};

static uint64_t assoc_hash(const char *account, const char *user, const char *partition)
{
    auto_free char *key = mem_printf("%s/%s/%s", account, str_or(user, ""), str_or(partition, ""));
    return map_hash_bytes(key, strlen(key));
}

static void learn_known(struct load *l)
{
    size_t pos = 0;
    for (const struct assoc *a; l->t->c->limits && (a = map_next(&l->t->c->limits->assoc, &pos, NULL));)
        map_put(&l->known, assoc_hash(a->pb->account, a->pb->user, a->pb->partition), (void *)(uintptr_t)a->pb->id);
}

static Pb__Limit **limits_to_pb(const struct limit_list *l, size_t *n)
{
    Pb__Limit **out = mem_array(l->n + 1, sizeof(Pb__Limit *));
    for (size_t i = 0; i < l->n; i++) {
        out[i] = NEW(Pb__Limit);
        pb__limit__init(out[i]);
        out[i]->what = l->at[i].what, out[i]->scope = l->at[i].scope, out[i]->max = l->at[i].max;
        out[i]->tres = mem_str(str_or(l->at[i].tres, ""));
    }
    *n = l->n;
    return out;
}

static char *assoc_load_text(const char *s)
{
    return mem_str(str_or(s, ""));
}

static void add_qos(struct load *l, const struct assoc_file_qos *q)
{
    Pb__Qos *pb = NEW(Pb__Qos);
    const struct qos *old = limits_qos(l->t->c, q->name);
    pb__qos__init(pb);
    pb->id = old ? old->pb->id : l->next_qos++;
    pb->name = assoc_load_text(q->name), pb->description = assoc_load_text(q->description);
    pb->preempt = assoc_load_text(q->preempt), pb->preempt_mode = assoc_load_text(q->preempt_mode);
    pb->priority = q->priority, pb->flags = q->flags, pb->grace_s = q->grace_s;
    pb->has_exempt = q->exempt_s != EXEMPT_UNSET;
    pb->exempt_s = pb->has_exempt ? q->exempt_s : 0;
    pb->usage_factor = q->usage_factor, pb->limit_factor = q->limit_factor;
    pb->has_threshold = q->usage_threshold >= 0;
    pb->usage_threshold = pb->has_threshold ? q->usage_threshold : 0;
    pb->limits = limits_to_pb(&q->limits, &pb->n_limits);
    l->ev.qos[l->ev.n_qos++] = pb;
}

static void add_assoc(struct load *l, const struct assoc_file_assoc *a)
{
    Pb__Assoc *pb = NEW(Pb__Assoc);
    uint32_t old = (uint32_t)(uintptr_t)map_get(&l->known, assoc_hash(a->account, a->user, a->partition));
    pb__assoc__init(pb);
    pb->id = old ? old : l->next_assoc++;
    map_put(&l->named, pb->id, l);
    pb->account = assoc_load_text(a->account), pb->user = assoc_load_text(a->user),
    pb->partition = assoc_load_text(a->partition);
    pb->qos = assoc_load_text(a->qos), pb->def_qos = assoc_load_text(a->def_qos);
    pb->description = assoc_load_text(a->description), pb->organization = assoc_load_text(a->organization);
    pb->shares = a->shares, pb->priority = a->priority, pb->is_default = a->is_default;
    pb->limits = limits_to_pb(&a->limits, &pb->n_limits);
    const char *above = a->user ? a->account : a->parent;
    pb->parent = above ? (uint32_t)(uintptr_t)smap_get(&l->accounts, above) : 0;
    pb->has_uid = a->user && directory_uid(l->t, a->user, &pb->uid);
    if (a->user && !pb->has_uid)
        strs_take(&l->r.warnings,
                  mem_printf("user %s is not known to this machine: limits of that name apply to no job", a->user));
    if (!a->user)
        smap_put(&l->accounts, pb->account, (void *)(uintptr_t)pb->id);
    l->ev.assoc[l->ev.n_assoc++] = pb;
}

static void drop_others(struct load *l)
{
    const struct limits *old = l->t->c->limits;
    size_t pos = 0;
    l->ev.drop_assoc = mem_array(old->assoc.n + 1, sizeof(*l->ev.drop_assoc));
    for (const struct assoc *a; (a = map_next(&old->assoc, &pos, NULL));)
        if (!map_get(&l->named, a->pb->id))
            l->ev.drop_assoc[l->ev.n_drop_assoc++] = a->pb->id;
    pos = 0;
    l->ev.drop_qos = mem_array(old->qos.n + 1, sizeof(*l->ev.drop_qos));
    for (const struct qos *q; (q = smap_next(&old->qos, &pos, NULL));) {
        bool kept = false;
        for (size_t i = 0; i < l->r.qos.n; i++)
            kept |= str_eq(l->r.qos.at[i].name, q->pb->name);
        if (!kept)
            l->ev.drop_qos[l->ev.n_drop_qos++] = mem_str(q->pb->name);
    }
}

static void assoc_load_build(struct load *l, bool clean)
{
    const struct limits *old = l->t->c->limits;
    l->next_qos = old ? old->next_qos : 1;
    l->next_assoc = old ? old->next_assoc : 1;
    l->ev.qos = mem_array(l->r.qos.n + 1, sizeof(Pb__Qos *));
    l->ev.assoc = mem_array(l->r.assoc.n + 1, sizeof(Pb__Assoc *));
    learn_known(l);
    for (size_t i = 0; i < l->r.qos.n; i++)
        add_qos(l, &l->r.qos.at[i]);
    for (size_t i = 0; i < l->r.assoc.n; i++)
        add_assoc(l, &l->r.assoc.at[i]);
    if (clean && old)
        drop_others(l);
}

static void load_clear(struct load *l)
{
    for (size_t i = 0; i < l->ev.n_qos; i++)
        pb__qos__free_unpacked(l->ev.qos[i], NULL);
    for (size_t i = 0; i < l->ev.n_assoc; i++)
        pb__assoc__free_unpacked(l->ev.assoc[i], NULL);
    for (size_t i = 0; i < l->ev.n_drop_qos; i++)
        free(l->ev.drop_qos[i]);
    free(l->ev.qos);
    free(l->ev.assoc);
    free(l->ev.drop_qos);
    free(l->ev.drop_assoc);
    smap_clear(&l->accounts);
    map_clear(&l->known);
    map_clear(&l->named);
    assoc_file_clear(&l->r);
}

void ctl_assoc_load(const struct ctl_call *call)
{
    const Pb__AssocLoad *m = (Pb__AssocLoad *)call->m;
    struct load l = { .t = call->t };
    struct err err = ERR_INIT;
    Pb__AssocLoaded r = PB__ASSOC_LOADED__INIT;
    pb__ev_assoc_update__init(&l.ev);
    int rc = assoc_file_parse((const char *)m->text.data, m->text.len, &l.r, &err);
    if (!rc) {
        EVENT(ev);
        assoc_load_build(&l, m->remove_unlisted);
        BODY(ev, ASSOC_UPDATE, assoc_update, &l.ev);
        rc = m->only_check ? 0 : ctl_emit(call->t, &ev, &err);
    }
    r.warnings = l.r.warnings.at, r.n_warnings = l.r.warnings.n;
    r.qos = (uint32_t)l.ev.n_qos, r.assocs = (uint32_t)l.ev.n_assoc;
    r.dropped = (uint32_t)(l.ev.n_drop_qos + l.ev.n_drop_assoc);
    if (rc)
        ctl_fail(call, rc, "%s", err.text);
    else
        ctl_reply(call, MSG_ASSOC_LOADED, &r.base);
    load_clear(&l);
}

/* ---- and out again ---- */

struct tree { /* associations, each account followed by its users and then by the accounts in it */
    VEC(const struct assoc *) at;
};

static uint32_t above_of(const struct assoc *a)
{
    return a->parent ? a->parent->pb->id : 0;
}

/* The children of an account stand together: its users, then its accounts. */
static int by_rank(const void *a, const void *b)
{
    const struct assoc *x = *(const struct assoc *const *)a, *y = *(const struct assoc *const *)b;
    bool ux = !str_empty(x->pb->user), uy = !str_empty(y->pb->user);
    if (above_of(x) != above_of(y))
        return above_of(x) < above_of(y) ? -1 : 1;
    int order = ux != uy ? (ux ? -1 : 1) : strcmp(ux ? x->pb->user : x->pb->account, uy ? y->pb->user : y->pb->account);
    return order ? order : (x->pb->id > y->pb->id) - (x->pb->id < y->pb->id);
}

/* The first child of `above`, or the place where it would stand. */
static size_t first_below(const struct assoc *const *all, size_t n, uint32_t above)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (above_of(all[mid]) < above)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void add_below(struct tree *out, const struct assoc *const *all, size_t n, uint32_t above)
{
    for (size_t i = first_below(all, n, above); i < n && above_of(all[i]) == above; i++) {
        vec_push(&out->at, all[i]);
        if (str_empty(all[i]->pb->user))
            add_below(out, all, n, all[i]->pb->id);
    }
}

static void tree_of(const struct limits *l, struct tree *out)
{
    size_t pos = 0;
    auto_free const struct assoc **all = mem_array(l->assoc.n + 1, sizeof(struct assoc *));
    for (size_t i = 0; i < l->assoc.n; i++)
        all[i] = map_next(&l->assoc, &pos, NULL);
    qsort(all, l->assoc.n, sizeof(struct assoc *), by_rank);
    add_below(out, all, l->assoc.n, 0);
}

/* What running jobs may still use, in TRES-minutes, by association: one walk over them for all. */
static void run_mins_fill(const struct ctl *t, struct map *out)
{
    for (const struct job *j = t->c->active.head; j && t->c->limits; j = j->next) {
        const struct part *p = cluster_part(t->c, j->partition);
        struct holders h;
        auto_tres struct tres_list tres = TRES_INIT;
        limits_holders(t->c, j, p, &h);
        if (job_ended(j) || !h.nassoc)
            continue;
        /* Without a limit: as if it were a year. */
        uint64_t year = 365 * 24 * 60, left = (uint64_t)MAX(job_limit_s(j) - NOW_S(t), 0) / 60;
        left = j->time_limit_min == INFINITE_MIN ? year : MIN(left, year);
        limits_tres(t->c, p, &j->alloc, &tres);
        for (uint32_t k = 0; k < h.nassoc; k++) {
            struct tres_list *sum = map_get(out, h.assoc[k]->pb->id);
            if (!sum)
                map_put(out, h.assoc[k]->pb->id, sum = NEW(struct tres_list));
            for (size_t i = 0; i < tres.n; i++)
                tres_add(sum, tres.at[i].name, tres.at[i].count * left);
        }
    }
}

static void run_mins_clear(struct map *m)
{
    size_t pos = 0;
    for (struct tres_list *l; (l = map_next(m, &pos, NULL));) {
        tres_clear(l);
        free(l);
    }
    map_clear(m);
}

/* "cpu=20,mem=2000": minutes have no unit.  Yours. */
static char *plain_text(const struct tres_list *l)
{
    struct buf out = BUF_INIT;
    for (size_t i = 0; i < l->n; i++)
        buf_addf(&out, "%s%s=%llu", i ? "," : "", l->at[i].name, (unsigned long long)l->at[i].count);
    return out.s ? buf_take(&out) : mem_str("");
}

static void fill_share(const struct ctl *t, const struct assoc *a, const struct map *mins, Pb__ShareRow *row)
{
    const struct tres_list *left = map_get(mins, a->pb->id);
    const struct fair_member *m = priority_fairshare_of(t, a->pb->id);
    const struct limit_use *u = limits_held(t->c, a);
    pb__share_row__init(row);
    row->assoc = a->pb->id;
    for (const struct assoc *up = a->parent; up; up = up->parent)
        row->depth++;
    if (u)
        row->running = u->jobs, row->submitted = u->submitted;
    if (left)
        row->run_mins = plain_text(left);
    row->raw = a->pb->charged ? a->pb->charged->raw : 0;
    if (m)
        row->norm_shares = m->norm_shares, row->used = m->used, row->level = m->level, row->factor = m->factor;
}

static void free_share(Pb__ShareRow *row)
{
    if (row->run_mins != (char *)protobuf_c_empty_string)
        free(row->run_mins);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = (*(Pb__Qos *const *)a)->id, y = (*(Pb__Qos *const *)b)->id;
    return (x > y) - (x < y);
}

/* PrivateData: drop the associations that this user does not see. */
static void tree_hide(const struct ctl_call *call, struct tree *tree)
{
    unsigned hidden = privacy_hidden(call->t, call->peer);
    struct map own = MAP_INIT;
    size_t kept = 0;
    if (!hidden)
        return;
    privacy_own_assocs(call->t, call->peer->uid, &own);
    for (size_t i = 0; i < tree->at.n; i++)
        if (privacy_shows_assoc(hidden, &own, tree->at.at[i]))
            tree->at.at[kept++] = tree->at.at[i];
    tree->at.n = kept;
    map_clear(&own);
}

void ctl_assoc_list(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const struct limits *l = t->c->limits;
    Pb__AssocReply r = PB__ASSOC_REPLY__INIT;
    struct tree tree = { 0 };
    size_t pos = 0;
    r.cluster = t->c->name;
    if (l)
        tree_of(l, &tree);
    tree_hide(call, &tree);
    priority_fairshare_refresh(t);
    size_t nq = l ? l->qos.n : 0;
    auto_free Pb__Qos **qos = mem_array(nq + 1, sizeof(Pb__Qos *));
    auto_free Pb__Assoc **assocs = mem_array(tree.at.n + 1, sizeof(Pb__Assoc *));
    auto_free Pb__ShareRow *rows = mem_array(tree.at.n + 1, sizeof(*rows));
    auto_free Pb__ShareRow **shares = mem_array(tree.at.n + 1, sizeof(Pb__ShareRow *));
    for (const struct qos *q; nq && (q = smap_next(&l->qos, &pos, NULL));)
        qos[r.n_qos++] = q->pb;
    qsort(qos, r.n_qos, sizeof(Pb__Qos *), by_number);
    struct map mins = MAP_INIT;
    run_mins_fill(t, &mins);
    for (size_t i = 0; i < tree.at.n; i++) {
        assocs[i] = tree.at.at[i]->pb;
        fill_share(t, tree.at.at[i], &mins, shares[i] = &rows[i]);
    }
    run_mins_clear(&mins);
    r.classic = priority_update_conf(t)->flags & PRIO_NO_FAIR_TREE;
    r.qos = qos, r.assocs = assocs, r.n_assocs = tree.at.n, r.shares = shares, r.n_shares = tree.at.n;
    ctl_reply(call, MSG_ASSOC_REPLY, &r.base);
    for (size_t i = 0; i < tree.at.n; i++)
        free_share(&rows[i]);
    vec_clear(&tree.at);
}
