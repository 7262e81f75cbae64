/* fits - can a job start on these nodes at this time, and on which of them? */
#include "sched/feature.h"
#include "sched/fit.h"
#include "sched/fit_cache.h"
#include "sched/gres_bind.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"

#define FITS_PLENTY 256 /* nodes that are enough to choose from */

struct node_fits {
    struct node_fit *at;
    size_t n, cap;
    uint64_t tasks, gpus;
};

/* With four times the nodes, tasks and GPUs that are needed, a good pick is certain: a large cluster need not be
 * scanned. */
static bool fits_plenty(const struct sched *s, const struct need *n, const struct node_fits *fits)
{
    return fits->n >= FITS_PLENTY && s->same_weight && !n->all_nodes && fits->n / 4 >= n->min_nodes &&
           fits->tasks / 4 >= n->tasks && fits->gpus / 4 >= n->gpus;
}

/* Collect the nodes of `among` that can hold a part of the job from `at_s` on.  False when the scan stopped early. */
static bool fits_gather(const struct sched_view *v, const struct cluster *c, const struct need *n,
                        const struct bitmap *among, int64_t at_s, bool whole, struct node_fits *out)
{
    const struct sched *s = v->s;
    const struct bitmap *a = &n->allowed;
    const struct headroom least = need_headroom(s, n);
    bool now = at_s <= s->now_s;
    for (size_t w = 0; w < a->words && w < among->words; w++) {
        if (!whole && fits_plenty(s, n, out))
            return false;
        for (uint64_t bits = a->word[w] & among->word[w]; bits; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            struct avail av;
            struct node_fit nf;
            if (i >= s->nprofiles || (now && !headroom_enough(&s->headroom[i], &least)))
                continue;
            if (!avail_over(v, n, i, at_s, at_s + need_run_s(n), &av) || !fit_node(s, c, n, i, &av, &nf))
                continue;
            if (now && n->req->cores_per_socket && !assign_sockets_idle(s, c, n, i))
                continue;
            if (!gres_bind_fits_at(v, c, n, i, at_s, &av, &nf))
                continue;
            out->tasks += nf.tasks;
            out->gpus += nf.gpus;
            vec_push(out, nf);
        }
    }
    if (n->topo_exclusive)
        out->n = topo_drop_shared(v, c, n, at_s, out->at, out->n);
    return true;
}

/* Pick from these nodes at `at_s`; when that fails, `fits` holds every node that could hold a part. */
static bool fits_test(const struct sched_view *v, const struct cluster *c, const struct need *n,
                      const struct bitmap *among, int64_t at_s, struct node_fits *fits, struct pick *out)
{
    bool all = fits_gather(v, c, n, among, at_s, false, fits);
    bool found = pick_nodes(v->s, c, n, at_s, fits->at, fits->n, out);
    if (!found && !all) {
        fits->n = 0;
        fits_gather(v, c, n, among, at_s, true, fits);
        found = pick_nodes(v->s, c, n, at_s, fits->at, fits->n, out);
    }
    return found;
}

static bool fits_level(const struct sched_view *v, const struct cluster *c, const struct need *n,
                       const struct bitmap *among, int64_t at_s, struct pick *out)
{
    struct node_fits fits = { 0 };
    bool found = !license_lacks(v->s, c, n, at_s) && fits_test(v, c, n, among, at_s, &fits, out);
    vec_clear(&fits);
    return found;
}

/* A job that oversubscribes CPUs is tried with idle cores first. */
bool fits_among(const struct sched_view *v, const struct cluster *c, const struct need *n, const struct bitmap *among,
                int64_t at_s, struct pick *out)
{
    out->level = OVERSUB_LEVEL_ALL;
    if (!v->s->oversub || n->oversub_levels < 2)
        return fits_level(v, c, n, among, at_s, out);
    bool found = false;
    struct sched_view attempt = *v;
    for (uint32_t level = 0; level < n->oversub_levels && !found; level++) {
        attempt.oversub_level = out->level = level;
        found = fits_level(&attempt, c, n, among, at_s, out);
    }
    return found;
}

bool fits_free(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out)
{
    out->preferred = false;
    return (n->prefer && feature_fits_preferred(v, c, n, out)) || (n->resv && resv_fits_preferred(v, c, n, out)) ||
           fits_among(v, c, n, &v->s->open, v->s->now_s, out);
}

bool fits_class(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out)
{
    const struct need *n = &cls->need;
    const struct sched_view v = view_now(s);
    struct node_fits fits = { 0 };
    if (!fit_cache_usable(s, cls))
        return fits_free(&v, c, n, out);
    out->level = OVERSUB_LEVEL_ALL;
    bool found = (n->prefer && feature_fits_preferred(&v, c, n, out)) ||
                 fits_test(&v, c, n, &s->open, s->now_s, &fits, out);
    if (!found)
        fit_cache_store(cls, fits.at, fits.n);
    vec_clear(&fits);
    return found;
}

bool fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out)
{
    const struct sched_view v = view_now(s);
    return fits_among(&v, c, n, &n->allowed, at_s, out);
}

bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out)
{
    const struct sched_view v = view_now(s);
    struct avail av;
    struct node_fit nf;
    out->preferred = false;
    if (license_lacks(s, c, n, s->now_s))
        return false;
    return avail_over(&v, n, node, s->now_s, s->now_s + need_run_s(n), &av) && fit_node(s, c, n, node, &av, &nf) &&
           (!n->req->cores_per_socket || assign_sockets_idle(s, c, n, node)) &&
           gres_bind_fits_at(&v, c, n, node, s->now_s, &av, &nf) && pick_alone(s, c, n, &nf, out);
}
