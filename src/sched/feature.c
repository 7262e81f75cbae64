/*
 * feature - --constraint and --prefer: which nodes have what they name, and picks where not all nodes need the same.
 *
 * What every node must have narrows the nodes that are allowed.  For [a|b] each set in turn is all there is; for
 * [a*2&b*1] the nodes of each set are chosen one set after the other, and then they are required.
 */
#include <ctype.h>

#include "base/errnum.h"
#include "base/str.h"
#include "sched/sched_priv.h"
#include "text/constraint.h"

/* ---- from text to nodes ---- */

static const char *active(const struct node *n)
{
    return n->features_active ? n->features_active : n->features;
}

/* Neighbours often have the same features: they are looked at once.  `set` SIZE_MAX: what every node must have. */
static void mark(const struct cluster *c, const struct constraint *k, size_t set, const struct bitmap *among,
                 struct bitmap *out)
{
    const char *last = NULL;
    bool yes = false, any = false;
    bitmap_each (among, i) {
        const char *has = active(&c->node[i]);
        if (!any || (has != last && !str_eq(has, last)))
            yes = set == SIZE_MAX ? constraint_match(k, has) : constraint_match_set(k, set, has);
        any = true;
        last = has;
        if (yes)
            bitmap_set(out, i);
    }
}

static void find_sets(const struct cluster *c, const struct constraint *k, struct wish *w)
{
    w->how = constraint_how(k);
    w->n = constraint_sets(k);
    w->set = mem_array(w->n, sizeof(*w->set));
    w->count = mem_array(w->n, sizeof(*w->count));
    auto_bitmap struct bitmap any = BITMAP_INIT;
    for (size_t i = 0; i < w->n; i++) {
        w->count[i] = constraint_count(k, i);
        w->nodes += w->count[i];
        mark(c, k, i, &w->allowed, &w->set[i]);
        bitmap_or(&any, &w->set[i]);
    }
    if (w->how == CONSTRAINT_MATCHING)
        bitmap_and(&w->allowed, &any);
}

struct wish *feature_wish(const struct cluster *c, const char *text, const struct bitmap *among)
{
    struct wish *w = NEW(struct wish);
    struct constraint *k = NULL;
    if (constraint_parse(text, &k, NULL))
        return w; /* nothing can be said of what cannot be read: no node */
    mark(c, k, SIZE_MAX, among, &w->allowed);
    if (constraint_sets(k))
        find_sets(c, k, w);
    constraint_free(k);
    return w;
}

void feature_wish_free(struct wish *w)
{
    if (!w)
        return;
    bitmap_clear(&w->allowed);
    for (size_t i = 0; i < w->n; i++)
        bitmap_clear(&w->set[i]);
    free(w->set);
    free(w->count);
    free(w);
}

/* ---- is there such a thing ---- */

static bool known(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE &&
            (str_in_list(c->node[i].features, name) || str_in_list(c->node[i].features_active, name)))
            return true;
    return false;
}

int feature_check(const struct cluster *c, const char *expr, struct err *err)
{
    auto_constraint struct constraint *k = NULL;
    int rc = constraint_parse(expr, &k, err);
    const char *name;
    for (size_t i = 0; c && !rc && (name = constraint_name(k, i)); i++)
        if (!known(c, name)) {
            auto_free char *near = feature_near(c, name);
            rc = err_set(err, ESLURM_INVALID_FEATURE, "no node has the feature %s%s%s%s", name,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        }
    return rc;
}

/* ---- names that are nearly the same ---- */

#define NEAR_LEN 63

/* How many letters have to change, be added or left out; `most` + 1 when it is more than `most`. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb, size_t most)
{
    size_t row[NEAR_LEN + 1];
    if (na > NEAR_LEN || nb > NEAR_LEN)
        return most + 1;
    for (size_t k = 0; k <= nb; k++)
        row[k] = k;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= nb; k++) {
            size_t same = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            row[k] = MIN(same, MIN(row[k], row[k - 1]) + 1);
        }
    }
    return MIN(row[nb], most + 1);
}

char *feature_near(const struct cluster *c, const char *name)
{
    size_t len = strlen(name), most = MAX(len / 3, 1u), best = most + 1, best_len = 0;
    const char *at = NULL;
    if (!isalnum((unsigned char)*name))
        return NULL; /* something else was meant */
    for (size_t i = 0; i < c->nnodes && best > 1; i++)
        for (const char *p = c->node[i].features; p && *p;) {
            size_t n = strcspn(p, ",");
            size_t far = distance(name, len, p, n, most);
            if (far < best)
                best = far, at = p, best_len = n;
            p += n + (p[n] == ',');
        }
    return at ? mem_strn(at, best_len) : NULL;
}

/* ---- picks among sets ---- */

static size_t hold_of(const struct hold *h, size_t nh, const struct bitmap *set, const struct bitmap *taken,
                      struct hold *out)
{
    size_t n = 0;
    for (size_t i = 0; i < nh; i++)
        if (bitmap_has(set, h[i].node) && !(taken && bitmap_has(taken, h[i].node)))
            out[n++] = h[i];
    return n;
}

/* All nodes of one set: the first that does. */
static bool pick_matching(const struct sched *s, const struct cluster *c, const struct need *n, const struct hold *h,
                          size_t nh, struct pick *out)
{
    auto_free struct hold *some = mem_array(nh, sizeof(*some));
    struct need m = *n;
    m.wish = NULL;
    for (size_t i = 0; i < n->wish->n; i++) {
        size_t k = hold_of(h, nh, &n->wish->set[i], NULL, some);
        if (pick_nodes(s, c, &m, some, k, out))
            return true;
    }
    return false;
}

/* One node more for `set`, perhaps by moving those that others have: `owner` says whose each hold is. */
static bool augment(const struct wish *w, const struct hold *h, size_t nh, size_t set, uint32_t *owner,
                    struct bitmap *seen)
{
    for (size_t i = 0; i < nh; i++) {
        if (bitmap_has(seen, i) || !bitmap_has(&w->set[set], h[i].node) || owner[i] == set + 1)
            continue;
        bitmap_set(seen, i);
        if (!owner[i] || augment(w, h, nh, owner[i] - 1, owner, seen)) {
            owner[i] = (uint32_t)set + 1;
            return true;
        }
    }
    return false;
}

/* A quick no: a set has fewer nodes than it needs, or all together have. */
static bool too_few(const struct wish *w, const struct hold *h, size_t nh)
{
    if (nh < w->nodes)
        return true;
    for (size_t set = 0; set < w->n; set++) {
        uint32_t have = 0;
        for (size_t i = 0; i < nh && have < w->count[set]; i++)
            have += bitmap_has(&w->set[set], h[i].node);
        if (have < w->count[set])
            return true;
    }
    return false;
}

/* Where one set after the other leaves too little for the last, nodes change hands. */
static bool deal_sets(const struct wish *w, const struct hold *h, size_t nh, struct bitmap *taken)
{
    auto_free uint32_t *owner = mem_array(nh, sizeof(*owner));
    if (too_few(w, h, nh))
        return false;
    for (size_t set = 0; set < w->n; set++)
        for (uint32_t k = 0; k < w->count[set]; k++) {
            auto_bitmap struct bitmap seen = BITMAP_INIT;
            if (!augment(w, h, nh, set, owner, &seen))
                return false;
        }
    bitmap_zero(taken);
    for (size_t i = 0; i < nh; i++)
        if (owner[i])
            bitmap_set(taken, h[i].node);
    return true;
}

static bool choose_sets(const struct sched *s, const struct cluster *c, const struct need *n, const struct hold *h,
                        size_t nh, struct pick *out, struct bitmap *taken)
{
    auto_free struct hold *some = mem_array(nh, sizeof(*some));
    struct need m = *n;
    m.wish = NULL;
    m.required = (struct bitmap)BITMAP_INIT;
    m.tasks = 0;
    m.gpus = 0;
    for (size_t i = 0; i < n->wish->n; i++) {
        size_t k = hold_of(h, nh, &n->wish->set[i], taken, some);
        m.min_nodes = m.max_nodes = m.target = n->wish->count[i];
        if (!pick_nodes(s, c, &m, some, k, out))
            return deal_sets(n->wish, h, nh, taken);
        for (size_t at = 0; at < out->at.n; at++)
            bitmap_set(taken, out->at.at[at].node);
    }
    return true;
}

/* With these nodes and as many more as it takes. */
static bool pick_beside(const struct sched *s, const struct cluster *c, const struct need *n, struct hold *h, size_t nh,
                        struct bitmap *taken, struct pick *out)
{
    struct need m = *n;
    m.wish = NULL;
    bitmap_or(taken, &n->required);
    m.required = *taken;
    return bitmap_count(taken) <= m.max_nodes && pick_nodes(s, c, &m, h, nh, out);
}

static int larger(const void *a, const void *b)
{
    const struct hold *x = a, *y = b;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->gpus != y->gpus ? (x->gpus > y->gpus ? -1 : 1) : x->node < y->node ? -1 : 1;
}

/* The nodes that would be taken anyway; where they hold too little, the largest of each set. */
static bool pick_counted(const struct sched *s, const struct cluster *c, const struct need *n, struct hold *h,
                         size_t nh, struct pick *out)
{
    auto_bitmap struct bitmap taken = BITMAP_INIT;
    if (!choose_sets(s, c, n, h, nh, out, &taken))
        return false;
    auto_free struct hold *by_size = mem_copy(h, nh * sizeof(*h));
    if (pick_beside(s, c, n, h, nh, &taken, out))
        return true;
    memcpy(h, by_size, nh * sizeof(*h)); /* a pick may have moved them */
    qsort(by_size, nh, sizeof(*by_size), larger);
    return deal_sets(n->wish, by_size, nh, &taken) && pick_beside(s, c, n, h, nh, &taken, out);
}

bool feature_pick(const struct sched *s, const struct cluster *c, const struct need *n, struct hold *h, size_t nh,
                  struct pick *out)
{
    return n->wish->how == CONSTRAINT_MATCHING ? pick_matching(s, c, n, h, nh, out) : pick_counted(s, c, n, h, nh, out);
}

/* ---- what is preferred ---- */

void feature_prefer(const struct cluster *c, const struct need *n, struct need *out)
{
    *out = *n;
    out->prefer = NULL;
    out->allowed = (struct bitmap)BITMAP_INIT;
    bitmap_copy(&out->allowed, &n->prefer->allowed);
    out->wish = n->prefer->n ? n->prefer : NULL;
    need_counts(out, c->part.at[n->part]);
    if (c->topo.n)
        topo_need(out, c);
    if (n->resv)
        resv_narrow(out);
}

bool feature_preferred(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct need m;
    feature_prefer(c, n, &m);
    out->preferred = fits_free(s, c, &m, out);
    bitmap_clear(&m.allowed);
    return out->preferred;
}
