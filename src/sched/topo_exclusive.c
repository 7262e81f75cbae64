/*
 * topo_exclusive - topology blocks for one job: --exclusive=topo, Exclusive=TOPO of a partition.
 *
 * Such a job holds its nodes like any other job; in addition a span marked `topo_exclusion` lies on every node of its
 * blocks (of its leaf switches, in a tree) and keeps other jobs from starting there.  The job itself starts only in
 * blocks without another job.
 */
#include "base/str.h"
#include "core/het.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/topo.h"

/* All nodes of the blocks that `own` is in. */
static void topo_blocks_of(const struct topo *t, const struct bitmap *own, struct bitmap *out)
{
    bitmap_each (own, i) {
        uint32_t u = topo_leaf(t, (uint32_t)i);
        if (u != TOPO_NONE && !bitmap_has(out, i))
            bitmap_or(out, &t->unit[u].nodes);
    }
}

static const struct topo *topo_of_exclusive_job(const struct cluster *c, const struct job *j)
{
    const struct part *p = cluster_part(c, j->partition);
    if (!p || !(j->spec->req.exclusive_topo || p->pb->exclusive_topo))
        return NULL;
    return topo_of_part(c, p);
}

static bool job_wants_topo_exclusive(const struct cluster *c, const struct job *j)
{
    const char *pos = j->partition;
    bool found = j->spec->req.exclusive_topo;
    for (char *name; !found && (name = str_next(&pos, ",")); free(name)) {
        const struct part *p = cluster_part(c, name);
        found = p && p->pb->exclusive_topo;
    }
    return found;
}

/* The class has the need of the first component; other components may want exclusive blocks, too. */
static bool het_wants_topo_exclusive(const struct cluster *c, const struct job_class *cls)
{
    const struct job *leader = cls->het ? cluster_job(c, cls->het) : NULL;
    for (uint32_t i = 1; leader && i < leader->het_size; i++) {
        const struct job *p = het_part(c, leader, i);
        if (p && job_wants_topo_exclusive(c, p))
            return true;
    }
    return false;
}

bool topo_any_exclusive(const struct sched *s, const struct cluster *c)
{
    if (s->ntopo_exclusive)
        return true;
    for (size_t i = 0; c->topo.n && i < s->classes.n; i++) {
        const struct job_class *cls = s->classes.at[i];
        if (class_count(cls) && (cls->need.topo_exclusive || het_wants_topo_exclusive(c, cls)))
            return true;
    }
    return false;
}

/* ---- exclusions ---- */

void topo_exclude_running(struct sched *s, const struct cluster *c, const struct job *j, struct running_job *rj)
{
    const struct topo *t = topo_of_exclusive_job(c, j);
    auto_bitmap struct bitmap own = BITMAP_INIT;
    auto_bitmap struct bitmap all = BITMAP_INIT;
    if (!t)
        return;
    for (uint32_t i = 0; i < rj->n; i++)
        bitmap_set(&own, rj->node[i]);
    topo_blocks_of(t, &own, &all);
    rj->node = mem_grow(rj->node, rj->n + bitmap_count(&all) + 1, sizeof(*rj->node));
    rj->topo_exclusive = true;
    s->ntopo_exclusive++;
    bitmap_each (&all, i) {
        if (i >= s->nprofiles)
            break;
        vec_push(&s->profile[i].running,
                 ((struct span){ .to_s = rj->end_s, .id = j->id, .exclusive = true, .topo_exclusion = true }));
        rj->node[rj->n++] = (uint32_t)i;
        if (rj->end_s < FOREVER) /* the other nodes of its blocks become usable then, too */
            release_list_add(&s->releases, &(struct release){ .at_s = rj->end_s, .id = j->id, .node = (uint32_t)i });
        profile_refresh(s, c, (uint32_t)i);
    }
}

void topo_exclude_now(struct node_profile *prof)
{
    for (size_t i = 0; i < prof->running.n; i++)
        if (prof->running.at[i].topo_exclusion) {
            prof->now.jobs++;
            prof->now.exclusive++;
        }
}

void topo_exclude_trial(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *own,
                        int64_t from_s, uint32_t id)
{
    const struct topo *t = topo_of_part(c, c->part.at[n->part]);
    auto_bitmap struct bitmap all = BITMAP_INIT;
    if (!t)
        return;
    topo_blocks_of(t, own, &all);
    struct span sp = {
        .from_s = from_s, .to_s = from_s + need_run_s(n), .id = id, .exclusive = true, .topo_exclusion = true
    };
    bitmap_each (&all, i) {
        if (i >= s->nprofiles)
            break;
        vec_push(&s->profile[i].trials, sp);
        vec_push(&s->touched, (uint32_t)i);
        point_add_end(s, (uint32_t)i, sp.to_s);
        if (from_s > s->now_s)
            continue;
        s->profile[i].now.jobs++;
        s->profile[i].now.exclusive++;
        bitmap_unset(&s->open, i);
    }
}

/* ---- blocks without jobs ---- */

static bool span_overlaps(const struct span *sp, int64_t from_s, int64_t to_s)
{
    return sp->from_s < to_s && sp->to_s > from_s;
}

bool topo_node_in_use(const struct sched_view *v, const struct need *n, uint32_t node, int64_t at_s)
{
    const struct node_profile *prof = &v->s->profile[node];
    int64_t to_s = at_s + need_run_s(n);
    if (at_s <= v->s->now_s && prof->running.n)
        return true;
    for (size_t i = 0; i < prof->running.n; i++)
        if (span_overlaps(&prof->running.at[i], at_s, to_s))
            return true;
    const struct span *sp;
    for (size_t i = 0; (sp = profile_next_span(v, prof, &i));)
        if (span_overlaps(sp, at_s, to_s))
            return true;
    return false;
}

size_t topo_drop_shared(const struct sched_view *v, const struct cluster *c, const struct need *n, int64_t at_s,
                        struct node_fit *nf, size_t nh)
{
    const struct topo *t = topo_of_part(c, c->part.at[n->part]);
    auto_bitmap struct bitmap seen = BITMAP_INIT;
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    size_t kept = 0;
    for (size_t i = 0; i < nh; i++) {
        uint32_t u = t ? topo_leaf(t, nf[i].node) : TOPO_NONE;
        if (u != TOPO_NONE && !bitmap_has(&seen, u)) {
            bitmap_set(&seen, u);
            bitmap_each (&t->unit[u].nodes, k)
                if (k < v->s->nprofiles && topo_node_in_use(v, n, (uint32_t)k, at_s)) {
                    bitmap_set(&busy, u);
                    break;
                }
        }
        if (u == TOPO_NONE || !bitmap_has(&busy, u))
            nf[kept++] = nf[i];
    }
    return kept;
}
