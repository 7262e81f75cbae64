/*
 * feature - --constraint and --prefer: the nodes with these features, and picks where nodes need different features.
 *
 * Features that every node needs narrow the allowed nodes.  For [a|b] each node set is tried alone; for [a*2&b*1] nodes
 * are chosen from one set after the other, and then they are required.
 */
#include <ctype.h>

#include "base/errnum.h"
#include "base/str.h"
#include "sched/feature.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "text/constraint.h"

/* ---- from text to nodes ---- */

static const char *node_features(const struct node *n)
{
    return n->features_active ? n->features_active : n->features;
}

/* Adjacent nodes often have the same features, which are then matched once.  `set` SIZE_MAX: the features that every
 * node needs. */
static void feature_mark_nodes(const struct cluster *c, const struct constraint *k, size_t set,
                               const struct bitmap *among, struct bitmap *out)
{
    const char *last = NULL;
    bool yes = false, any = false;
    bitmap_each (among, i) {
        const char *has = node_features(&c->node[i]);
        if (!any || (has != last && !str_eq(has, last)))
            yes = set == SIZE_MAX ? constraint_match(k, has) : constraint_match_set(k, set, has);
        any = true;
        last = has;
        if (yes)
            bitmap_set(out, i);
    }
}

static void feature_find_sets(const struct cluster *c, const struct constraint *k, struct constraint_nodes *cn)
{
    cn->how = constraint_how(k);
    cn->n = constraint_sets(k);
    cn->set = mem_array(cn->n, sizeof(*cn->set));
    cn->count = mem_array(cn->n, sizeof(*cn->count));
    auto_bitmap struct bitmap any = BITMAP_INIT;
    for (size_t i = 0; i < cn->n; i++) {
        cn->count[i] = constraint_count(k, i);
        cn->nodes += cn->count[i];
        feature_mark_nodes(c, k, i, &cn->allowed, &cn->set[i]);
        bitmap_or(&any, &cn->set[i]);
    }
    if (cn->how == CONSTRAINT_MATCHING)
        bitmap_and(&cn->allowed, &any);
}

struct constraint_nodes *feature_nodes(const struct cluster *c, const char *text, const struct bitmap *among)
{
    struct constraint_nodes *cn = NEW(struct constraint_nodes);
    struct constraint *k = NULL;
    if (constraint_parse(text, &k, NULL))
        return cn; /* a constraint that cannot be parsed selects no node */
    feature_mark_nodes(c, k, SIZE_MAX, among, &cn->allowed);
    if (constraint_sets(k))
        feature_find_sets(c, k, cn);
    constraint_free(k);
    return cn;
}

void feature_nodes_free(struct constraint_nodes *cn)
{
    if (!cn)
        return;
    bitmap_clear(&cn->allowed);
    for (size_t i = 0; i < cn->n; i++)
        bitmap_clear(&cn->set[i]);
    free(cn->set);
    free(cn->count);
    free(cn);
}

/* ---- validation ---- */

static bool feature_known(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE &&
            (str_in_list(c->node[i].features, name) || str_in_list(c->node[i].features_active, name)))
            return true;
    return false;
}

#define SIMILAR_LEN 63

/* Letters to change, insert or delete; `most` + 1 when it is more than `most`. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb, size_t most)
{
    size_t row[SIMILAR_LEN + 1];
    if (na > SIMILAR_LEN || nb > SIMILAR_LEN)
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

static char *feature_similar(const struct cluster *c, const char *name)
{
    size_t len = strlen(name), most = MAX(len / 3, 1u), best = most + 1, best_len = 0;
    const char *at = NULL;
    if (!isalnum((unsigned char)*name))
        return NULL; /* not a feature name */
    for (size_t i = 0; i < c->nnodes && best > 1; i++)
        for (const char *p = c->node[i].features; p && *p;) {
            size_t n = strcspn(p, ",");
            size_t far = edit_distance(name, len, p, n, most);
            if (far < best)
                best = far, at = p, best_len = n;
            p += n + (p[n] == ',');
        }
    return at ? mem_strn(at, best_len) : NULL;
}

int feature_check(const struct cluster *c, const char *expr, struct err *err)
{
    auto_constraint struct constraint *k = NULL;
    int rc = constraint_parse(expr, &k, err);
    const char *name;
    for (size_t i = 0; c && !rc && (name = constraint_name(k, i)); i++)
        if (!feature_known(c, name)) {
            auto_free char *similar = feature_similar(c, name);
            rc = err_set(err, ESLURM_INVALID_FEATURE, "no node has the feature %s%s%s%s", name,
                         similar ? "; did you mean " : "", similar ? similar : "", similar ? "?" : "");
        }
    return rc;
}

/* ---- picks from node sets ---- */

static size_t fits_in_set(const struct node_fit *nf, size_t nh, const struct bitmap *set, const struct bitmap *taken,
                          struct node_fit *out)
{
    size_t n = 0;
    for (size_t i = 0; i < nh; i++)
        if (bitmap_has(set, nf[i].node) && !(taken && bitmap_has(taken, nf[i].node)))
            out[n++] = nf[i];
    return n;
}

/* All nodes from one set: the first set that is sufficient. */
static bool pick_matching(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                          const struct node_fit *nf, size_t nh, struct pick *out)
{
    auto_free struct node_fit *some = mem_array(nh, sizeof(*some));
    struct need m = *n;
    m.constraint = NULL;
    for (size_t i = 0; i < n->constraint->n; i++) {
        size_t k = fits_in_set(nf, nh, &n->constraint->set[i], NULL, some);
        if (pick_nodes(s, c, &m, at_s, some, k, out))
            return true;
    }
    return false;
}

/* Assign one more node to `set`, if necessary by moving nodes of other sets; owner[i] is 1 + the set of node i. */
static bool sets_augment(const struct constraint_nodes *cn, const struct node_fit *nf, size_t nh, size_t set,
                         uint32_t *owner, struct bitmap *seen)
{
    for (size_t i = 0; i < nh; i++) {
        if (bitmap_has(seen, i) || !bitmap_has(&cn->set[set], nf[i].node) || owner[i] == set + 1)
            continue;
        bitmap_set(seen, i);
        if (!owner[i] || sets_augment(cn, nf, nh, owner[i] - 1, owner, seen)) {
            owner[i] = (uint32_t)set + 1;
            return true;
        }
    }
    return false;
}

/* A quick test: a set has fewer nodes than it needs, or there are fewer nodes than all sets need together. */
static bool sets_too_few(const struct constraint_nodes *cn, const struct node_fit *nf, size_t nh)
{
    if (nh < cn->nodes)
        return true;
    for (size_t set = 0; set < cn->n; set++) {
        uint32_t have = 0;
        for (size_t i = 0; i < nh && have < cn->count[set]; i++)
            have += bitmap_has(&cn->set[set], nf[i].node);
        if (have < cn->count[set])
            return true;
    }
    return false;
}

/* A bipartite matching of nodes to sets, where choosing one set after the other leaves too little for the last. */
static bool sets_match(const struct constraint_nodes *cn, const struct node_fit *nf, size_t nh, struct bitmap *taken)
{
    auto_free uint32_t *owner = mem_array(nh, sizeof(*owner));
    if (sets_too_few(cn, nf, nh))
        return false;
    for (size_t set = 0; set < cn->n; set++)
        for (uint32_t k = 0; k < cn->count[set]; k++) {
            auto_bitmap struct bitmap seen = BITMAP_INIT;
            if (!sets_augment(cn, nf, nh, set, owner, &seen))
                return false;
        }
    bitmap_zero(taken);
    for (size_t i = 0; i < nh; i++)
        if (owner[i])
            bitmap_set(taken, nf[i].node);
    return true;
}

static bool sets_pick(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                      const struct node_fit *nf, size_t nh, struct pick *out, struct bitmap *taken)
{
    auto_free struct node_fit *some = mem_array(nh, sizeof(*some));
    struct need m = *n;
    m.constraint = NULL;
    m.required = (struct bitmap)BITMAP_INIT;
    m.tasks = 0;
    m.gpus = 0;
    for (size_t i = 0; i < n->constraint->n; i++) {
        size_t k = fits_in_set(nf, nh, &n->constraint->set[i], taken, some);
        m.min_nodes = m.max_nodes = m.target = n->constraint->count[i];
        if (!pick_nodes(s, c, &m, at_s, some, k, out))
            return sets_match(n->constraint, nf, nh, taken);
        for (size_t at = 0; at < out->at.n; at++)
            bitmap_set(taken, out->at.at[at].node);
    }
    return true;
}

/* The chosen nodes, and as many more as the job needs. */
static bool pick_with_required(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                               struct node_fit *nf, size_t nh, struct bitmap *taken, struct pick *out)
{
    struct need m = *n;
    m.constraint = NULL;
    bitmap_or(taken, &n->required);
    m.required = *taken;
    return bitmap_count(taken) <= m.max_nodes && pick_nodes(s, c, &m, at_s, nf, nh, out);
}

static int cmp_larger(const void *a, const void *b)
{
    const struct node_fit *x = a, *y = b;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->gpus != y->gpus ? (x->gpus > y->gpus ? -1 : 1) : x->node < y->node ? -1 : 1;
}

/* First the nodes that a pick would choose anyway; if they hold too little, the largest of each set. */
static bool pick_counted(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                         struct node_fit *nf, size_t nh, struct pick *out)
{
    auto_bitmap struct bitmap taken = BITMAP_INIT;
    if (!sets_pick(s, c, n, at_s, nf, nh, out, &taken))
        return false;
    auto_free struct node_fit *by_size = mem_copy(nf, nh * sizeof(*nf));
    if (pick_with_required(s, c, n, at_s, nf, nh, &taken, out))
        return true;
    memcpy(nf, by_size, nh * sizeof(*nf)); /* pick_nodes() may have reordered them */
    qsort(by_size, nh, sizeof(*by_size), cmp_larger);
    return sets_match(n->constraint, by_size, nh, &taken) && pick_with_required(s, c, n, at_s, nf, nh, &taken, out);
}

bool feature_pick(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                  struct node_fit *nf, size_t nh, struct pick *out)
{
    return n->constraint->how == CONSTRAINT_MATCHING ? pick_matching(s, c, n, at_s, nf, nh, out)
                                                     : pick_counted(s, c, n, at_s, nf, nh, out);
}

/* ---- --prefer ---- */

void feature_prefer_need(const struct cluster *c, const struct need *n, struct need *out)
{
    *out = *n;
    out->prefer = NULL;
    out->allowed = (struct bitmap)BITMAP_INIT;
    bitmap_copy(&out->allowed, &n->prefer->allowed);
    out->constraint = n->prefer->n ? n->prefer : NULL;
    need_counts(out, c->part.at[n->part]);
    if (c->topo.n)
        need_topo(out, c);
    if (n->resv)
        need_resv_narrow(out);
}

bool feature_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out)
{
    struct need m;
    feature_prefer_need(c, n, &m);
    out->preferred = fits_free(v, c, &m, out);
    bitmap_clear(&m.allowed);
    return out->preferred;
}
