/*
 * running - jobs that hold nodes: what each holds, and when it is expected to end.
 */
#include "sched/fit_cache.h"
#include "sched/license.h"
#include "sched/oversub.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/topo.h"

#define OVERRUN_S 60

/* A completing job may be gone at any time.  A job that overran its limit is expected to run on for as long as it has
 * overrun: if it were expected to end at once, the job that waits for its nodes would be passed by others for ever. */
static int64_t running_end_s(const struct job *j, int64_t now_s)
{
    if (j->state & JOB_COMPLETING)
        return 0;
    int64_t end = job_base(j) == JOB_SUSPENDED && !j->gang ? 0 : job_limit_s(j);
    if (end && j->gang)
        end += now_s - j->suspend_s; /* what it has left, if its time slice began now */
    if (j->yield_s && (!end || j->yield_s < end))
        end = j->yield_s; /* it is requeued then */
    if (end && end <= now_s)
        end = now_s + MAX(now_s - end, OVERRUN_S);
    return end ? end : FOREVER;
}

void running_clear(struct sched *s)
{
    size_t pos = 0;
    for (struct running_job *rj; (rj = map_next(&s->running, &pos, NULL));) {
        free(rj->node);
        free(rj);
    }
    map_clear(&s->running);
    release_list_clear(&s->releases);
}

static void running_drop_spans(struct node_profile *prof, uint32_t id)
{
    for (size_t i = prof->running.n; i-- > 0;)
        if (prof->running.at[i].id == id)
            prof->running.at[i] = prof->running.at[--prof->running.n];
}

static void running_drop(struct sched *s, const struct cluster *c, struct running_job *rj, bool frees)
{
    s->ntopo_exclusive -= rj->topo_exclusive;
    s->free_count += frees;
    for (uint32_t i = 0; i < rj->n; i++)
        if (rj->node[i] < s->nprofiles) {
            release_list_drop(&s->releases, &(struct release){ .at_s = rj->end_s, .id = rj->id, .node = rj->node[i] });
            running_drop_spans(&s->profile[rj->node[i]], rj->id);
            profile_refresh(s, c, rj->node[i]);
            if (frees)
                fit_cache_note_freed(s, rj->node[i]);
        }
    if (rj->licensed)
        license_running_drop(s, rj->id);
    map_del(&s->running, rj->id);
    free(rj->node);
    free(rj);
}

static void running_add_span(struct sched *s, const struct cluster *c, struct node_profile *prof, const struct job *j,
                             const struct node_alloc *na, int64_t end_s)
{
    bool suspended = job_lends(j);
    struct span sp = { .to_s = end_s,
                       .since_s = j->start_s,
                       .id = j->id,
                       .resv = j->resv,
                       .cpus = suspended ? 0 : profile_cpus_taken(s, prof, na),
                       .mem_mb = na->mem_mb,
                       .exclusive = !suspended && job_alone(j),
                       .suspended = suspended,
                       .cores = suspended ? NULL : &na->cores };
    if (s->oversub) {
        const struct part *p = cluster_part(c, j->partition);
        sp.held = sp.cpus, sp.cpus = 0, sp.part = p ? p->index : 0, sp.uid = j->uid, sp.owner = j->user_exclusive;
        sp.qos = oversub_qos(s, c, j);
        sp.oversub = j->oversub == OVERSUB_CPUS;
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        if (na->gres[g].slot < GRES_MAX)
            sp.gres[na->gres[g].slot] += na->gres[g].count;
    vec_push(&prof->running, sp);
    if (end_s < FOREVER)
        release_list_add(&s->releases, &(struct release){
                                           .at_s = end_s, .id = j->id, .node = na->node, .frees = span_headroom(&sp) });
}

static void running_add(struct sched *s, const struct cluster *c, const struct job *j)
{
    struct running_job *rj = NEW(struct running_job);
    rj->id = j->id;
    rj->end_s = running_end_s(j, s->now_s);
    rj->node = mem_array(MAX(j->alloc.n, 1u), sizeof(*rj->node));
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        if (na->done || na->node >= s->nprofiles)
            continue;
        rj->node[rj->n++] = na->node;
        running_add_span(s, c, &s->profile[na->node], j, na, rj->end_s);
        profile_refresh(s, c, na->node);
        planned_check_node(s, na->node, 0);
    }
    rj->licensed = license_held(j);
    if (rj->licensed)
        license_running_add(s, c, j, rj->end_s);
    if (c->topo.n)
        topo_exclude_running(s, c, j, rj);
    map_put(&s->running, rj->id, rj);
}

void running_note(struct sched *s, const struct cluster *c, uint32_t id)
{
    struct running_job *rj = map_get(&s->running, id);
    const struct job *j = cluster_job(c, id);
    if (rj) {
        running_drop(s, c, rj, true);
        s->any_freed = true;
    }
    s->any_freed |= j && job_lends(j);
    if (j && job_holds_nodes(j) && j->alloc.n)
        running_add(s, c, j);
}

void running_overdue(struct sched *s, const struct cluster *c)
{
    struct release_pos pos = release_list_from(&s->releases, 1);
    VEC(uint32_t) late = { 0 };
    for (const struct release *e; (e = release_list_get(&s->releases, &pos)) && e->at_s <= s->now_s; pos.i++)
        if (!late.n || late.at[late.n - 1] != e->id)
            vec_push(&late, e->id);
    for (size_t i = 0; i < late.n; i++) {
        const struct job *j = cluster_job(c, late.at[i]);
        running_drop(s, c, map_get(&s->running, late.at[i]), false); /* nothing becomes free: the end moves back */
        if (j && job_holds_nodes(j) && j->alloc.n)
            running_add(s, c, j);
    }
    vec_clear(&late);
}

void running_sync(struct sched *s, const struct cluster *c)
{
    running_clear(s);
    bool shaded = s->ntopo_exclusive;
    s->ntopo_exclusive = 0;
    for (size_t i = 0; i < s->nprofiles; i++) {
        s->profile[i].running.n = 0;
        if (shaded)
            profile_refresh(s, c, (uint32_t)i);
    }
    for (const struct job *j = c->active.head; j; j = j->next)
        if (j->alloc.n)
            running_add(s, c, j);
}
