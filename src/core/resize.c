/*
 * resize - a running job gives nodes away: back to all, or to another job of its user.
 *
 * Positions in the allocation change, so the steps that run are told the new ones; what they had on a
 * node that is gone, is gone.  A job that gave everything to another has no nodes until it ends.
 */
#include "base/errnum.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/step.h"

/* ---- steps ---- */

/* Ranks that just count up would count otherwise once a node is missing: they are written down first. */
static void write_ranks(Pb__Step *s)
{
    if (s->n_ranks || !s->n_node)
        return;
    uint32_t rank = 0;
    s->ranks = mem_array(s->n_node, sizeof(*s->ranks));
    s->n_ranks = s->n_node;
    for (size_t i = 0; i < s->n_node; i++) {
        Pb__Ranks *r = s->ranks[i] = mem_alloc(sizeof(*r));
        pb__ranks__init(r);
        r->n_rank = i < s->n_tasks ? s->tasks[i] : 0;
        r->rank = r->n_rank ? mem_array(r->n_rank, sizeof(*r->rank)) : NULL;
        for (size_t k = 0; k < r->n_rank; k++)
            r->rank[k] = rank++;
    }
}

static size_t move_list(uint32_t *list, size_t n, const uint32_t *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (to[list[i]] != UINT32_MAX)
            list[kept++] = to[list[i]];
    return kept;
}

/* `to` has the new position of each old one, UINT32_MAX where there is none. */
static void move_step(Pb__Step *s, const uint32_t *to)
{
    size_t kept = 0;
    write_ranks(s);
    for (size_t i = 0; i < s->n_node; i++) {
        bool gone = to[s->node[i]] == UINT32_MAX;
        if (gone && i < s->n_alloc)
            pb__node_alloc__free_unpacked(s->alloc[i], NULL);
        if (gone && i < s->n_ranks)
            pb__ranks__free_unpacked(s->ranks[i], NULL);
        if (gone)
            continue;
        s->node[kept] = to[s->node[i]];
        if (i < s->n_tasks)
            s->tasks[kept] = s->tasks[i];
        if (i < s->n_alloc)
            s->alloc[kept] = s->alloc[i];
        if (i < s->n_ranks)
            s->ranks[kept] = s->ranks[i];
        kept++;
    }
    s->n_tasks = MIN(s->n_tasks, kept);
    s->n_alloc = MIN(s->n_alloc, kept);
    s->n_ranks = MIN(s->n_ranks, kept);
    s->n_node = kept;
    s->n_done = move_list(s->done, s->n_done, to);
}

static void move_steps(struct job *j, const uint32_t *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        Pb__Step *s = j->steps.at[i].pb;
        move_step(s, to);
        if (s->n_node > s->n_done)
            j->steps.at[kept++].pb = s;
        else
            pb__step__free_unpacked(s, NULL);
    }
    j->steps.n = kept;
}

/* ---- nodes ---- */

static void share_clear(struct node_alloc *na)
{
    struct alloc one = { 1, mem_copy(na, sizeof(*na)) };
    alloc_clear(&one);
}

static void drop_nodes(struct cluster *c, struct job *j, const uint32_t *drop, size_t n)
{
    auto_free uint32_t *to = mem_array(j->alloc.n, sizeof(*to));
    uint32_t kept = 0;
    step_holds_clear(j);
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        bool gone = false;
        for (size_t k = 0; k < n; k++)
            gone |= drop[k] == i;
        to[i] = gone ? UINT32_MAX : kept;
        if (gone) {
            use_release(c, j, i);
            share_clear(&j->alloc.at[i]);
        } else {
            j->alloc.at[kept++] = j->alloc.at[i];
        }
    }
    j->alloc.n = kept;
    j->batch_pos = j->batch_pos < kept + n && to[j->batch_pos] != UINT32_MAX ? to[j->batch_pos] : 0;
    move_steps(j, to);
    step_holds_rebuild(j);
}

/* ---- to another job ---- */

static void merge_gres(struct node_alloc *to, struct gres_alloc *g)
{
    for (uint32_t i = 0; i < to->ngres; i++)
        if (to->gres[i].slot == g->slot) {
            to->gres[i].count += g->count;
            bitmap_or(&to->gres[i].index, &g->index);
            return;
        }
    to->gres = mem_grow(to->gres, to->ngres + 1, sizeof(*to->gres));
    struct gres_alloc *own = &to->gres[to->ngres++];
    *own = (struct gres_alloc){ .slot = g->slot, .count = g->count };
    bitmap_copy(&own->index, &g->index);
}

static void merge_share(struct alloc *a, const struct node_alloc *from)
{
    struct node_alloc *to = NULL;
    for (uint32_t i = 0; i < a->n && !to; i++)
        to = a->at[i].node == from->node ? &a->at[i] : NULL;
    if (!to) {
        a->at = mem_grow(a->at, a->n + 1, sizeof(*a->at));
        to = &a->at[a->n++];
        *to = (struct node_alloc){ .node = from->node };
    }
    to->cpus += from->cpus;
    to->tasks += from->tasks;
    to->mem_mb += from->mem_mb;
    bitmap_or(&to->cores, &from->cores);
    for (uint32_t g = 0; g < from->ngres; g++)
        merge_gres(to, &from->gres[g]);
}

static void hand_over(struct cluster *c, struct job *j, struct job *into, int64_t at_s)
{
    step_holds_clear(into);
    for (uint32_t i = 0; i < into->alloc.n; i++)
        use_release(c, into, i);
    for (uint32_t i = 0; i < into->alloc.n; i++)
        into->alloc.at[i].done = false;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        if (!j->alloc.at[i].done)
            merge_share(&into->alloc, &j->alloc.at[i]);
        use_release(c, j, i);
    }
    use_take(c, into);
    step_holds_rebuild(into);
    into->resize_s = at_s;
    alloc_clear(&j->alloc);
    j->batch_pos = 0;
    job_changed(c, into);
}

/* ---- the event ---- */

static int check_resize(const struct job *j, const struct job *into, const Pb__EvResize *e, struct err *err)
{
    if (!j || (e->into && !into))
        return err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", j ? e->into : e->job_id);
    if (into && j->steps.n)
        return err_set(err, ESLURMD_STEP_EXISTS, "job %u has steps that run", e->job_id);
    if (j->state != JOB_RUNNING || (into && (into->state != JOB_RUNNING || into == j)))
        return err_set(err, ESLURM_JOB_NOT_RUNNING, "job %u is not running", e->job_id);
    for (size_t i = 0; i < e->n_drop; i++)
        if (e->drop[i] >= j->alloc.n || (i && e->drop[i] <= e->drop[i - 1]))
            return err_set(err, EINVAL, "job %u has no node %u", e->job_id, e->drop[i]);
    if (!into && e->n_drop >= j->alloc.n)
        return err_set(err, ESLURM_INVALID_NODE_COUNT, "job %u would have no node", e->job_id);
    return 0;
}

int apply_resize(struct cluster *c, const Pb__EvResize *e, int64_t at_s, struct err *err)
{
    struct job *j = cluster_job(c, e->job_id), *into = e->into ? cluster_job(c, e->into) : NULL;
    int rc = check_resize(j, into, e, err);
    if (rc)
        return rc;
    if (into)
        hand_over(c, j, into, at_s);
    else
        drop_nodes(c, j, e->drop, e->n_drop);
    j->resize_s = at_s;
    job_changed(c, j);
    limits_count(c, j);
    if (into)
        limits_count(c, into);
    return 0;
}
