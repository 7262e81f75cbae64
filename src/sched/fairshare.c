/* fairshare - level values, then the ranks of users; see fairshare.h. */
#include "sched/fairshare.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"

struct tree_pass {
    struct fair_member *at;
    size_t n, users;
    size_t next;  /* rank of the next user without a tie */
    size_t shown; /* rank being assigned: that of the first of several equal users */
    uint32_t *first,
        *next_of; /* children as linked lists that end in FAIR_TOP; first[n] lists the members without a parent */
};

struct siblings {
    VEC(struct fair_member *) v;
};

static void usage_add_up(struct fair_member *at, size_t n)
{
    for (size_t i = n; i-- > 0;)
        if (at[i].parent < i)
            at[at[i].parent].usage += at[i].usage;
}

/* Sum shares and usage of all children of each parent; index n stands for the members without a parent. */
static void compute_levels(struct fair_member *at, size_t n)
{
    auto_free double *shares = mem_array(n + 1, sizeof(*shares));
    auto_free double *usage = mem_array(n + 1, sizeof(*usage));
    for (size_t i = 0; i < n; i++) {
        size_t p = at[i].parent < i ? at[i].parent : n;
        shares[p] += at[i].shares;
        usage[p] += at[i].usage;
    }
    for (size_t i = 0; i < n; i++) {
        size_t p = at[i].parent < i ? at[i].parent : n;
        at[i].norm_shares = shares[p] > 0 ? at[i].shares / shares[p] : 0;
        at[i].used = usage[p] > 0 ? at[i].usage / usage[p] : 0;
        at[i].level = at[i].norm_shares <= 0 ? 0 : at[i].used > 0 ? at[i].norm_shares / at[i].used : INFINITY;
    }
}

/* The highest level first; of equal levels users before accounts, so that the best user of an account ties with them.
 */
static int cmp_level(const void *a, const void *b)
{
    const struct fair_member *x = *(struct fair_member *const *)a, *y = *(struct fair_member *const *)b;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    return (int)y->user - (int)x->user;
}

/* Parents precede their children in the array; a member without a parent is at the top. */
static void tree_link(struct tree_pass *w)
{
    for (size_t i = 0; i <= w->n; i++)
        w->first[i] = FAIR_TOP;
    for (size_t i = w->n; i-- > 0;) {
        size_t p = w->at[i].parent < i ? w->at[i].parent : w->n;
        w->next_of[i] = w->first[p];
        w->first[p] = (uint32_t)i;
    }
}

static void tree_children(const struct tree_pass *w, size_t parent, struct siblings *out)
{
    for (uint32_t i = w->first[parent]; i != FAIR_TOP; i = w->next_of[i])
        vec_push(&out->v, &w->at[i]);
}

static void tree_rank_users(struct tree_pass *w, struct siblings *s, bool tied);

/* Accounts with equal levels are walked as one. */
static size_t tree_rank_accounts(struct tree_pass *w, const struct siblings *s, size_t i)
{
    struct siblings below = { 0 };
    double level = s->v.at[i]->level;
    for (; i < s->v.n && s->v.at[i]->level == level; i++)
        tree_children(w, (size_t)(s->v.at[i] - w->at), &below);
    tree_rank_users(w, &below, true);
    vec_clear(&below.v);
    return i;
}

static void tree_rank_users(struct tree_pass *w, struct siblings *s, bool tied)
{
    if (s->v.n)
        qsort(s->v.at, s->v.n, sizeof(*s->v.at), cmp_level);
    for (size_t i = 0; i < s->v.n;) {
        struct fair_member *m = s->v.at[i];
        if (i ? m->level != s->v.at[i - 1]->level : !tied)
            w->shown = w->next;
        if (m->user) {
            m->factor = (double)w->shown / (double)w->users;
            w->next--;
            i++;
        } else {
            i = tree_rank_accounts(w, s, i);
        }
    }
}

void fairshare_tree(struct fair_member *at, size_t n)
{
    auto_free uint32_t *first = mem_array(n + 1, sizeof(*first)), *next_of = mem_array(n + 1, sizeof(*next_of));
    struct tree_pass w = { .at = at, .n = n, .first = first, .next_of = next_of };
    struct siblings top = { 0 };
    for (size_t i = 0; i < n; i++)
        w.users += at[i].user;
    w.next = w.shown = w.users;
    usage_add_up(at, n);
    compute_levels(at, n);
    tree_link(&w);
    tree_children(&w, n, &top);
    tree_rank_users(&w, &top, false);
    vec_clear(&top.v);
}
