/*
 * lane - what each node has left, kept beside the cluster so that a plan can take from it.
 *
 * A lane is read again from the cluster when a job that is or was on its node was noted,
 * when a plan wrote to it, or when anything may have changed.  It says nothing that the
 * cluster does not.
 */
#include "core/spec.h"
#include "sched/sched_priv.h"

#define OVERRUN_S 60

/*
 * A job that is being cleaned up may be gone any moment.  One that overran its limit may go on for as long as it did
 * so far: were it expected to end at once, whoever waits for its nodes would be passed by others for ever.
 */
static int64_t running_end_s(const struct job *j, int64_t now_s)
{
    if (j->state & JOB_COMPLETING)
        return 0;
    int64_t end = job_base(j) == JOB_SUSPENDED && !j->turn ? 0 : job_limit_s(j);
    if (end && j->turn)
        end += now_s - j->suspend_s; /* what it had left, had it its turn now */
    if (j->yield_s && (!end || j->yield_s < end))
        end = j->yield_s; /* then it is put back */
    if (end && end <= now_s)
        end = now_s + MAX(now_s - end, OVERRUN_S);
    return end ? end : FOREVER;
}

static void profile_read_units(const struct sched *s, struct node_profile *prof, const struct node *n)
{
    uint32_t cores = n->boards * n->sockets * n->cores;
    prof->cpus_per_core = MAX(n->cpus / MAX(cores, 1u), 1u);
    prof->alloc_unit_cpus = s->conf.by_socket ? prof->cpus_per_core * MAX(n->cores, 1u) : prof->cpus_per_core;
    prof->has_cores = cores > 0;
    prof->cores_per_socket = MAX(n->cores, 1u);
    prof->ncores = cores;
    prof->has_core_spec = n->def && n->def->core_spec;
    if (prof->has_core_spec) {
        bitmap_zero(&prof->core_spec_cores);
        spec_of_node(n, &prof->core_spec_cores);
    }
}

static void profile_read_capacity(struct sched *s, struct node_profile *prof, const struct node *n)
{
    profile_read_units(s, prof, n);
    prof->ngres = MIN(n->ngres, (uint32_t)GRES_MAX);
    prof->usable = node_usable(n);
    uint32_t spec = n->def ? n->def->core_spec * prof->cpus_per_core : 0;
    uint64_t mem_spec = n->def ? n->def->mem_spec_mb : 0;
    prof->total = (struct avail){ .cpus = n->cpus - MIN(spec, n->cpus),
                                  .mem_mb = n->mem_mb - MIN(mem_spec, n->mem_mb) };
    for (uint32_t g = 0; g < prof->ngres; g++)
        prof->total.gres[g] = n->gres[g].count;
}

static void profile_read_use(struct sched *s, struct node_profile *prof, const struct node *n)
{
    prof->now = prof->total;
    prof->oversubscribed = n->more > 0;
    uint32_t used = node_busy_cpus(n);
    if (!n->more)
        used = MAX(used, (uint32_t)bitmap_count(&n->cores_used) * prof->cpus_per_core);
    if (!s->oversub) /* else it depends on who asks */
        prof->now.cpus -= MIN(used, prof->now.cpus);
    prof->now.mem_mb -= MIN(n->mem_used_mb, prof->now.mem_mb);
    prof->now.jobs = n->jobs - n->lent_jobs;
    prof->now.exclusive = n->exclusive_jobs;
    if (s->ntopo_exclusive)
        topo_exclude_now(prof);
    for (uint32_t g = 0; g < prof->ngres; g++)
        prof->now.gres[g] -= MIN(n->gres[g].used, prof->now.gres[g]);
}

/* ---- in brief ---- */

static uint32_t headroom_clip(uint64_t v)
{
    return (uint32_t)MIN(v, (uint64_t)UINT32_MAX / 4);
}

static struct headroom headroom_of(uint32_t cpus, uint64_t mem_mb, const uint64_t gres[static GRES_MAX])
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum += MIN(gres[g], (uint64_t)UINT32_MAX);
    return (struct headroom){ headroom_clip(cpus), headroom_clip(sum), headroom_clip(mem_mb) };
}

void headroom_add(struct headroom *b, const struct headroom *more)
{
    b->cpus = headroom_clip((uint64_t)b->cpus + more->cpus);
    b->gres = headroom_clip((uint64_t)b->gres + more->gres);
    b->mem_mb = headroom_clip((uint64_t)b->mem_mb + more->mem_mb);
}

struct headroom span_headroom(const struct span *sp)
{
    return headroom_of(sp->cpus, sp->mem_mb, sp->gres);
}

struct headroom need_headroom(const struct sched *s, const struct need *n)
{
    struct headroom b = { .cpus = n->least_cpus, .mem_mb = s->conf.by_memory ? headroom_clip(n->least_mem_mb) : 0 };
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t least = g->scope == REQ_PER_JOB ? MIN(g->count, 1u) : g->count;
        b.gres = MAX(b.gres, headroom_clip(least));
    }
    return b;
}

/* What is free now, or would be by what is known of those who hold it, whichever is more. */
static void profile_read_headroom(struct sched *s, uint32_t i)
{
    const struct node_profile *prof = &s->profile[i];
    struct avail left = prof->total;
    for (size_t k = 0; k < prof->running.n; k++)
        avail_subtract(&left, &prof->running.at[k]);
    for (size_t k = 0; k < prof->trials.n; k++)
        if (prof->trials.at[k].from_s <= s->now_s)
            avail_subtract(&left, &prof->trials.at[k]);
    struct headroom now = headroom_of(prof->now.cpus, prof->now.mem_mb, prof->now.gres),
                    known = headroom_of(left.cpus, left.mem_mb, left.gres);
    s->headroom[i] = (struct headroom){ MAX(now.cpus, known.cpus), MAX(now.gres, known.gres),
                                        MAX(now.mem_mb, known.mem_mb) };
}

static void profile_mark_open(struct sched *s, uint32_t i)
{
    profile_read_headroom(s, i);
    const struct node_profile *prof = &s->profile[i];
    if (prof->usable && prof->now.cpus && (!prof->now.exclusive || s->oversub))
        bitmap_set(&s->open, i);
    else
        bitmap_unset(&s->open, i);
}

void profile_refresh(struct sched *s, const struct cluster *c, uint32_t i)
{
    struct node_profile *prof = &s->profile[i];
    profile_read_capacity(s, prof, &c->node[i]);
    profile_read_use(s, prof, &c->node[i]);
    bitmap_zero(&prof->taken_cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_zero(&prof->taken_gres[g]);
    prof->trials.n = 0;
    profile_mark_open(s, i);
}

static void profile_free(struct node_profile *prof)
{
    bitmap_clear(&prof->taken_cores);
    bitmap_clear(&prof->core_spec_cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_clear(&prof->taken_gres[g]);
    resv_claims_clear(prof);
    vec_clear(&prof->running);
    vec_clear(&prof->trials);
    vec_clear(&prof->planned);
}

static void running_clear(struct sched *s)
{
    size_t pos = 0;
    for (struct running_job *rj; (rj = map_next(&s->running, &pos, NULL));) {
        free(rj->node);
        free(rj);
    }
    map_clear(&s->running);
    release_list_clear(&s->releases);
}

void profiles_clear(struct sched *s)
{
    for (size_t i = 0; i < s->nprofiles; i++)
        profile_free(&s->profile[i]);
    free(s->profile);
    free(s->headroom);
    s->profile = NULL;
    s->headroom = NULL;
    s->nprofiles = 0;
    running_clear(s);
    licenses_clear(s);
    bitmap_clear(&s->open);
    vec_clear(&s->touched);
    vec_clear(&s->points);
    vec_clear(&s->freed_nodes);
    bitmap_clear(&s->freed_node_set);
}

void profiles_sync(struct sched *s, const struct cluster *c)
{
    if (s->nprofiles < c->nnodes) {
        s->profile = mem_grow(s->profile, c->nnodes, sizeof(*s->profile));
        memset(s->profile + s->nprofiles, 0, (c->nnodes - s->nprofiles) * sizeof(*s->profile));
        s->headroom = mem_grow(s->headroom, c->nnodes, sizeof(*s->headroom));
        s->nprofiles = c->nnodes;
    }
    licenses_sync(s, c);
    s->same_weight = true;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        profile_refresh(s, c, i);
        s->same_weight &= c->node[i].weight == c->node[0].weight;
    }
    if (s->nresv || c->resv.n)
        resv_sync(s, c);
}

/* ---- who holds what, until when ---- */

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

/* CPUs of a node that nobody else can have: where single CPUs are given, all of the cores they are on. */
static uint32_t cpus_taken(const struct sched *s, const struct node_profile *prof, const struct node_alloc *na)
{
    return s->conf.by_core ? na->cpus : MAX(na->cpus, (uint32_t)bitmap_count(&na->cores) * prof->cpus_per_core);
}

static void running_add_span(struct sched *s, const struct cluster *c, struct node_profile *prof, const struct job *j,
                             const struct node_alloc *na, int64_t end_s)
{
    bool suspended = job_lends(j);
    struct span sp = { .to_s = end_s,
                       .since_s = j->start_s,
                       .id = j->id,
                       .resv = j->resv,
                       .cpus = suspended ? 0 : cpus_taken(s, prof, na),
                       .mem_mb = na->mem_mb,
                       .exclusive = !suspended && job_alone(j),
                       .suspended = suspended,
                       .cores = suspended ? NULL : &na->cores };
    if (s->oversub) {
        const struct part *p = cluster_part(c, j->partition);
        sp.held = sp.cpus, sp.cpus = 0, sp.part = p ? p->index : 0, sp.uid = j->uid, sp.owner = j->owner;
        sp.qos = oversub_qos(s, c, j);
        sp.oversub = j->share == SHARE_CPUS;
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

/* Those that should have ended by now and have not. */
void running_overdue(struct sched *s, const struct cluster *c)
{
    struct release_pos pos = release_list_from(&s->releases, 1);
    VEC(uint32_t) late = { 0 };
    for (const struct release *e; (e = release_list_get(&s->releases, &pos)) && e->at_s <= s->now_s; pos.i++)
        if (!late.n || late.at[late.n - 1] != e->id)
            vec_push(&late, e->id);
    for (size_t i = 0; i < late.n; i++) {
        const struct job *j = cluster_job(c, late.at[i]);
        running_drop(s, c, map_get(&s->running, late.at[i]), false); /* it takes more than was thought, not less */
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

/* ---- a plan takes ---- */

struct span profile_span(const struct sched *s, const struct node_alloc *na, const struct need *n, int64_t from_s,
                         uint32_t id)
{
    struct span sp = { .from_s = from_s,
                       .to_s = from_s + need_run_s(n),
                       .id = id,
                       .resv = need_resv_id(n),
                       .cpus = cpus_taken(s, &s->profile[na->node], na),
                       .mem_mb = na->mem_mb,
                       .exclusive = n->exclusive };
    sp.cores = &na->cores;
    if (s->oversub) {
        sp.held = sp.cpus, sp.cpus = 0, sp.part = n->part, sp.uid = n->uid, sp.oversub = n->oversub,
        sp.owner = n->owner;
        sp.qos = n->qos;
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        sp.gres[na->gres[g].slot] += na->gres[g].count;
    return sp;
}

void profile_start(struct sched *s, const struct alloc *a, const struct need *n, int64_t from_s, uint32_t id)
{
    if (n->req->lic.n)
        license_trial_add(s, s->cluster, n, from_s, id);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct node_alloc *na = &a->at[i];
        struct node_profile *prof = &s->profile[na->node];
        struct span sp = profile_span(s, na, n, from_s, id);
        prof->now.cpus -= MIN(sp.cpus, prof->now.cpus);
        prof->now.mem_mb -= MIN(na->mem_mb, prof->now.mem_mb);
        prof->now.jobs++;
        prof->now.exclusive += n->exclusive;
        bitmap_or(&prof->taken_cores, &na->cores);
        for (uint32_t g = 0; g < na->ngres; g++) {
            uint32_t slot = na->gres[g].slot;
            prof->now.gres[slot] -= MIN(na->gres[g].count, prof->now.gres[slot]);
            bitmap_or(&prof->taken_gres[slot], &na->gres[g].index);
        }
        vec_push(&prof->trials, sp);
        vec_push(&s->touched, na->node);
        point_add_release(s, na->node, &sp);
        profile_mark_open(s, na->node);
        planned_check_node(s, na->node, s->planned_ahead);
    }
    if (n->topo_exclusive) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (uint32_t i = 0; i < a->n; i++)
            bitmap_set(&own, a->at[i].node);
        topo_exclude_trial(s, s->cluster, n, &own, from_s, id);
    }
}
