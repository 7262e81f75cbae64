/*
 * assoc_list - accounts, users and QOS as a reply: for sacctmgr, sshare and the like.
 *
 * Associations are in the order of their tree; PrivateData hides those of other users.
 */
#include <stdlib.h>

#include "core/limits.h"
#include "ctl/priority_fairshare.h"
#include "ctl/privacy.h"
#include "ctl/priority_update.h"
#include "ctl/request.h"

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

/* ---- users and changes ---- */

static int by_user_name(const void *a, const void *b)
{
    return strcmp((*(Pb__AcctUser *const *)a)->name, (*(Pb__AcctUser *const *)b)->name);
}

static Pb__AcctUser **users_seen(const struct ctl_call *call, const struct limits *l, size_t *n)
{
    bool hidden = privacy_hidden(call->t, call->peer) & PRIVATE_USERS;
    Pb__AcctUser **out = mem_array(l->acct.user.n + 1, sizeof(Pb__AcctUser *));
    size_t pos = 0;
    for (Pb__AcctUser *u; (u = smap_next(&l->acct.user, &pos, NULL));)
        if (!hidden || (u->has_uid && u->uid == call->peer->uid))
            out[(*n)++] = u;
    qsort(out, *n, sizeof(Pb__AcctUser *), by_user_name);
    return out;
}

/* Changes name accounts and users, so PrivateData of either hides them. */
static bool txns_hidden(const struct ctl_call *call)
{
    return privacy_hidden(call->t, call->peer) & (PRIVATE_USERS | PRIVATE_ACCOUNTS);
}

/* ---- the reply ---- */

struct shares {
    Pb__ShareRow *row, **at;
    size_t n;
};

static void shares_fill(struct ctl *t, const struct tree *tree, struct shares *out)
{
    struct map mins = MAP_INIT;
    priority_fairshare_refresh(t);
    out->row = mem_array(tree->at.n + 1, sizeof(*out->row));
    out->at = mem_array(tree->at.n + 1, sizeof(Pb__ShareRow *));
    out->n = tree->at.n;
    run_mins_fill(t, &mins);
    for (size_t i = 0; i < out->n; i++)
        fill_share(t, tree->at.at[i], &mins, out->at[i] = &out->row[i]);
    run_mins_clear(&mins);
}

static void shares_clear(struct shares *s)
{
    for (size_t i = 0; i < s->n; i++)
        free_share(&s->row[i]);
    free(s->row);
    free(s->at);
}

static Pb__Qos **qos_by_number(const struct limits *l, size_t *n)
{
    Pb__Qos **out = mem_array(l->qos.n + 1, sizeof(Pb__Qos *));
    size_t pos = 0;
    for (const struct qos *q; (q = smap_next(&l->qos, &pos, NULL));)
        out[(*n)++] = q->pb;
    qsort(out, *n, sizeof(Pb__Qos *), by_number);
    return out;
}

static void assoc_list_reply(const struct ctl_call *call, const struct limits *l, Pb__AssocReply *r)
{
    const Pb__AssocQuery *q = (Pb__AssocQuery *)call->m;
    struct tree tree = { 0 };
    struct shares shares = { 0 };
    tree_of(l, &tree);
    tree_hide(call, &tree);
    auto_free Pb__Assoc **assocs = mem_array(tree.at.n + 1, sizeof(Pb__Assoc *));
    for (size_t i = 0; i < tree.at.n; i++)
        assocs[i] = tree.at.at[i]->pb;
    if (q->shares)
        shares_fill(call->t, &tree, &shares);
    auto_free Pb__Qos **qos = qos_by_number(l, &r->n_qos);
    auto_free Pb__AcctUser **users = users_seen(call, l, &r->n_users);
    r->qos = qos;
    r->users = users;
    r->assocs = assocs, r->n_assocs = tree.at.n;
    r->shares = shares.at, r->n_shares = shares.n;
    if (q->txns && !txns_hidden(call))
        r->txns = l->acct.txn.at, r->n_txns = l->acct.txn.n;
    ctl_reply(call, MSG_ASSOC_REPLY, &r->base);
    shares_clear(&shares);
    vec_clear(&tree.at);
}

void ctl_assoc_list(const struct ctl_call *call)
{
    static const struct limits none;
    const struct limits *l = call->t->c->limits;
    Pb__AssocReply r = PB__ASSOC_REPLY__INIT;
    r.cluster = call->t->c->name;
    r.classic = priority_update_conf(call->t)->flags & PRIO_NO_FAIR_TREE;
    assoc_list_reply(call, l ? l : &none, &r);
}
