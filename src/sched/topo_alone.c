/*
 * topo_alone - blocks for one job alone: --exclusive=topo, Exclusive=TOPO of a partition.
 *
 * Such a job holds its own nodes as any other does, and a shade lies on all the nodes of its blocks (leaf switches in a
 * tree): as long as it is there nobody else begins on them.  It begins itself where nobody is.
 */
#include "base/str.h"
#include "core/het.h"
#include "sched/sched_priv.h"

/* All the nodes of the blocks that these are of. */
static void blocks_of(const struct topo *t, const struct bitmap *own, struct bitmap *out)
{
    bitmap_each (own, i) {
        uint32_t u = topo_leaf(t, (uint32_t)i);
        if (u != TOPO_NONE && !bitmap_has(out, i))
            bitmap_or(out, &t->unit[u].nodes);
    }
}

static const struct topo *alone_in(const struct cluster *c, const struct job *j)
{
    const struct part *p = cluster_part(c, j->partition);
    if (!p || !(j->spec->req.exclusive_topo || p->pb->exclusive_topo))
        return NULL;
    return topo_of_part(c, p);
}

static bool wants_alone(const struct cluster *c, const struct job *j)
{
    const char *pos = j->partition;
    bool found = j->spec->req.exclusive_topo;
    for (char *name; !found && (name = str_next(&pos, ",")); free(name)) {
        const struct part *p = cluster_part(c, name);
        found = p && p->pb->exclusive_topo;
    }
    return found;
}

/* A shape knows what the first component wants; the others may want their blocks for themselves, too. */
static bool set_alone(const struct cluster *c, const struct shape *sh)
{
    const struct job *leader = sh->het ? cluster_job(c, sh->het) : NULL;
    for (uint32_t i = 1; leader && i < leader->het_size; i++) {
        const struct job *p = het_part(c, leader, i);
        if (p && wants_alone(c, p))
            return true;
    }
    return false;
}

bool topo_any_alone(const struct sched *s, const struct cluster *c)
{
    if (s->shaded)
        return true;
    for (size_t i = 0; c->topo.n && i < s->shapes.n; i++) {
        const struct shape *sh = s->shapes.at[i];
        if (shape_count(sh) && (sh->need.topo_alone || set_alone(c, sh)))
            return true;
    }
    return false;
}

/* ---- shades ---- */

void topo_shade_run(struct sched *s, const struct cluster *c, const struct job *j, struct run *r)
{
    const struct topo *t = alone_in(c, j);
    auto_bitmap struct bitmap own = BITMAP_INIT;
    auto_bitmap struct bitmap all = BITMAP_INIT;
    if (!t)
        return;
    for (uint32_t i = 0; i < r->n; i++)
        bitmap_set(&own, r->node[i]);
    blocks_of(t, &own, &all);
    r->node = mem_grow(r->node, r->n + bitmap_count(&all) + 1, sizeof(*r->node));
    r->shaded = true;
    s->shaded++;
    bitmap_each (&all, i) {
        if (i >= s->nlanes)
            break;
        vec_push(&s->lane[i].runs, ((struct use){ .to_s = r->end_s, .id = j->id, .exclusive = true, .shade = true }));
        r->node[r->n++] = (uint32_t)i;
        if (r->end_s < FOREVER) /* the others of its blocks are free then, too */
            ends_add(&s->ends, &(struct end){ .at_s = r->end_s, .id = j->id, .node = (uint32_t)i });
        lane_refresh(s, c, (uint32_t)i);
    }
}

void topo_shade_now(struct lane *l)
{
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].shade) {
            l->now.jobs++;
            l->now.exclusive++;
        }
}

void topo_shade_plan(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *own,
                     int64_t from_s, uint32_t id)
{
    const struct topo *t = topo_of_part(c, c->part.at[n->part]);
    auto_bitmap struct bitmap all = BITMAP_INIT;
    if (!t)
        return;
    blocks_of(t, own, &all);
    struct use u = { .from_s = from_s, .to_s = from_s + need_run_s(n), .id = id, .exclusive = true, .shade = true };
    bitmap_each (&all, i) {
        if (i >= s->nlanes)
            break;
        vec_push(&s->lane[i].resv, u);
        vec_push(&s->touched, (uint32_t)i);
        backfill_ends(s, (uint32_t)i, u.to_s);
        if (from_s > s->now_s)
            continue;
        s->lane[i].now.jobs++;
        s->lane[i].now.exclusive++;
        bitmap_unset(&s->open, i);
    }
}

/* ---- where nobody is ---- */

/* Runs, or begins there within its time. */
static bool overlaps(const struct use *u, int64_t from_s, int64_t to_s)
{
    return u->from_s < to_s && u->to_s > from_s;
}

bool topo_somebody(const struct sched *s, const struct need *n, uint32_t node, int64_t at_s)
{
    const struct lane *l = &s->lane[node];
    int64_t to_s = at_s + need_run_s(n);
    if (at_s <= s->now_s && l->runs.n)
        return true;
    for (size_t i = 0; i < l->runs.n; i++)
        if (overlaps(&l->runs.at[i], at_s, to_s))
            return true;
    const struct use *u;
    for (size_t i = 0; (u = plan_use(s, l, &i));)
        if (overlaps(u, at_s, to_s))
            return true;
    return false;
}

size_t topo_leave_shared(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                         struct hold *h, size_t nh)
{
    const struct topo *t = topo_of_part(c, c->part.at[n->part]);
    auto_bitmap struct bitmap seen = BITMAP_INIT;
    auto_bitmap struct bitmap busy = BITMAP_INIT;
    size_t kept = 0;
    for (size_t i = 0; i < nh; i++) {
        uint32_t u = t ? topo_leaf(t, h[i].node) : TOPO_NONE;
        if (u != TOPO_NONE && !bitmap_has(&seen, u)) {
            bitmap_set(&seen, u);
            bitmap_each (&t->unit[u].nodes, k)
                if (k < s->nlanes && topo_somebody(s, n, (uint32_t)k, at_s)) {
                    bitmap_set(&busy, u);
                    break;
                }
        }
        if (u == TOPO_NONE || !bitmap_has(&busy, u))
            h[kept++] = h[i];
    }
    return kept;
}
