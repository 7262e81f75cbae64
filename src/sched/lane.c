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
static int64_t end_of(const struct job *j, int64_t now_s)
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

static void read_units(const struct sched *s, struct lane *l, const struct node *n)
{
    uint32_t cores = n->boards * n->sockets * n->cores;
    l->cpc = MAX(n->cpus / MAX(cores, 1u), 1u);
    l->tpc = s->conf.by_socket ? l->cpc * MAX(n->cores, 1u) : l->cpc;
    l->named = cores > 0;
    l->per_socket = MAX(n->cores, 1u);
    l->ncores = cores;
    l->spec = n->def && n->def->core_spec;
    if (l->spec) {
        bitmap_zero(&l->off);
        spec_of_node(n, &l->off);
    }
}

static void read_capacity(struct sched *s, struct lane *l, const struct node *n)
{
    read_units(s, l, n);
    l->ngres = MIN(n->ngres, (uint32_t)GRES_MAX);
    l->usable = node_usable(n);
    uint32_t spec = n->def ? n->def->core_spec * l->cpc : 0;
    uint64_t mem_spec = n->def ? n->def->mem_spec_mb : 0;
    l->all = (struct room){ .cpus = n->cpus - MIN(spec, n->cpus), .mem_mb = n->mem_mb - MIN(mem_spec, n->mem_mb) };
    for (uint32_t g = 0; g < l->ngres; g++)
        l->all.gres[g] = n->gres[g].count;
}

static void read_use(struct sched *s, struct lane *l, const struct node *n)
{
    l->now = l->all;
    l->blended = n->more > 0;
    uint32_t used = node_busy_cpus(n);
    if (!n->more)
        used = MAX(used, (uint32_t)bitmap_count(&n->cores_used) * l->cpc);
    if (!s->shares) /* else it depends on who asks */
        l->now.cpus -= MIN(used, l->now.cpus);
    l->now.mem_mb -= MIN(n->mem_used_mb, l->now.mem_mb);
    l->now.jobs = n->jobs - n->lent_jobs;
    l->now.exclusive = n->exclusive_jobs;
    if (s->shaded)
        topo_shade_now(l);
    for (uint32_t g = 0; g < l->ngres; g++)
        l->now.gres[g] -= MIN(n->gres[g].used, l->now.gres[g]);
}

/* ---- in brief ---- */

static uint32_t clip(uint64_t v)
{
    return (uint32_t)MIN(v, (uint64_t)UINT32_MAX / 4);
}

static struct brief brief_of(uint32_t cpus, uint64_t mem_mb, const uint64_t gres[static GRES_MAX])
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < GRES_MAX; g++)
        sum += MIN(gres[g], (uint64_t)UINT32_MAX);
    return (struct brief){ clip(cpus), clip(sum), clip(mem_mb) };
}

void brief_add(struct brief *b, const struct brief *more)
{
    b->cpus = clip((uint64_t)b->cpus + more->cpus);
    b->gres = clip((uint64_t)b->gres + more->gres);
    b->mem_mb = clip((uint64_t)b->mem_mb + more->mem_mb);
}

struct brief use_brief(const struct use *u)
{
    return brief_of(u->cpus, u->mem_mb, u->gres);
}

struct brief need_least(const struct sched *s, const struct need *n)
{
    struct brief b = { .cpus = n->least_cpus, .mem_mb = s->conf.by_memory ? clip(n->least_mem_mb) : 0 };
    for (uint32_t i = 0; i < n->req->ngres; i++) {
        const struct req_gres *g = &n->req->gres[i];
        uint64_t least = g->scope == REQ_PER_JOB ? MIN(g->count, 1u) : g->count;
        b.gres = MAX(b.gres, clip(least));
    }
    return b;
}

/* What is free now, or would be by what is known of those who hold it, whichever is more. */
static void read_brief(struct sched *s, uint32_t i)
{
    const struct lane *l = &s->lane[i];
    struct room left = l->all;
    for (size_t k = 0; k < l->runs.n; k++)
        room_subtract(&left, &l->runs.at[k]);
    for (size_t k = 0; k < l->resv.n; k++)
        if (l->resv.at[k].from_s <= s->now_s)
            room_subtract(&left, &l->resv.at[k]);
    struct brief now = brief_of(l->now.cpus, l->now.mem_mb, l->now.gres),
                 known = brief_of(left.cpus, left.mem_mb, left.gres);
    s->brief[i] = (struct brief){ MAX(now.cpus, known.cpus), MAX(now.gres, known.gres), MAX(now.mem_mb, known.mem_mb) };
}

static void mark_open(struct sched *s, uint32_t i)
{
    read_brief(s, i);
    const struct lane *l = &s->lane[i];
    if (l->usable && l->now.cpus && (!l->now.exclusive || s->shares))
        bitmap_set(&s->open, i);
    else
        bitmap_unset(&s->open, i);
}

void lane_refresh(struct sched *s, const struct cluster *c, uint32_t i)
{
    struct lane *l = &s->lane[i];
    read_capacity(s, l, &c->node[i]);
    read_use(s, l, &c->node[i]);
    bitmap_zero(&l->cores);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_zero(&l->gres_busy[g]);
    l->resv.n = 0;
    mark_open(s, i);
}

static void lane_free(struct lane *l)
{
    bitmap_clear(&l->cores);
    bitmap_clear(&l->off);
    for (uint32_t g = 0; g < GRES_MAX; g++)
        bitmap_clear(&l->gres_busy[g]);
    resv_blocks_clear(l);
    vec_clear(&l->runs);
    vec_clear(&l->resv);
    vec_clear(&l->kept);
}

static void runs_clear(struct sched *s)
{
    size_t pos = 0;
    for (struct run *r; (r = map_next(&s->runs, &pos, NULL));) {
        free(r->node);
        free(r);
    }
    map_clear(&s->runs);
    ends_clear(&s->ends);
}

void lanes_clear(struct sched *s)
{
    for (size_t i = 0; i < s->nlanes; i++)
        lane_free(&s->lane[i]);
    free(s->lane);
    free(s->brief);
    s->lane = NULL;
    s->brief = NULL;
    s->nlanes = 0;
    runs_clear(s);
    licenses_clear(s);
    bitmap_clear(&s->open);
    vec_clear(&s->touched);
    vec_clear(&s->moments);
    vec_clear(&s->gained);
    bitmap_clear(&s->gained_set);
}

void lanes_sync(struct sched *s, const struct cluster *c)
{
    if (s->nlanes < c->nnodes) {
        s->lane = mem_grow(s->lane, c->nnodes, sizeof(*s->lane));
        memset(s->lane + s->nlanes, 0, (c->nnodes - s->nlanes) * sizeof(*s->lane));
        s->brief = mem_grow(s->brief, c->nnodes, sizeof(*s->brief));
        s->nlanes = c->nnodes;
    }
    licenses_sync(s, c);
    s->one_weight = true;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        lane_refresh(s, c, i);
        s->one_weight &= c->node[i].weight == c->node[0].weight;
    }
    if (s->nresv || c->resv.n)
        resv_sync(s, c);
}

/* ---- who holds what, until when ---- */

static void drop_uses(struct lane *l, uint32_t id)
{
    for (size_t i = l->runs.n; i-- > 0;)
        if (l->runs.at[i].id == id)
            l->runs.at[i] = l->runs.at[--l->runs.n];
}

static void drop_run(struct sched *s, const struct cluster *c, struct run *r, bool given_back)
{
    s->shaded -= r->shaded;
    s->gives += given_back;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->node[i] < s->nlanes) {
            ends_drop(&s->ends, &(struct end){ .at_s = r->end_s, .id = r->id, .node = r->node[i] });
            drop_uses(&s->lane[r->node[i]], r->id);
            lane_refresh(s, c, r->node[i]);
            if (given_back)
                lane_gained(s, r->node[i]);
        }
    if (r->licensed)
        license_run_drop(s, r->id);
    map_del(&s->runs, r->id);
    free(r->node);
    free(r);
}

/* CPUs of a node that nobody else can have: where single CPUs are given, all of the cores they are on. */
static uint32_t cpus_taken(const struct sched *s, const struct lane *l, const struct node_alloc *na)
{
    return s->conf.by_core ? na->cpus : MAX(na->cpus, (uint32_t)bitmap_count(&na->cores) * l->cpc);
}

static void add_use(struct sched *s, const struct cluster *c, struct lane *l, const struct job *j,
                    const struct node_alloc *na, int64_t end_s)
{
    bool lent = job_lends(j);
    struct use u = { .to_s = end_s,
                     .since_s = j->start_s,
                     .id = j->id,
                     .resv = j->resv,
                     .cpus = lent ? 0 : cpus_taken(s, l, na),
                     .mem_mb = na->mem_mb,
                     .exclusive = !lent && job_alone(j),
                     .lent = lent,
                     .cores = lent ? NULL : &na->cores };
    if (s->shares) {
        const struct part *p = cluster_part(c, j->partition);
        u.held = u.cpus, u.cpus = 0, u.part = p ? p->index : 0, u.uid = j->uid, u.owner = j->owner;
        u.qos = share_qos(s, c, j);
        u.shares = j->share == SHARE_CPUS;
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        if (na->gres[g].slot < GRES_MAX)
            u.gres[na->gres[g].slot] += na->gres[g].count;
    vec_push(&l->runs, u);
    if (end_s < FOREVER)
        ends_add(&s->ends, &(struct end){ .at_s = end_s, .id = j->id, .node = na->node, .gives = use_brief(&u) });
}

static void add_run(struct sched *s, const struct cluster *c, const struct job *j)
{
    struct run *r = NEW(struct run);
    r->id = j->id;
    r->end_s = end_of(j, s->now_s);
    r->node = mem_array(MAX(j->alloc.n, 1u), sizeof(*r->node));
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        if (na->done || na->node >= s->nlanes)
            continue;
        r->node[r->n++] = na->node;
        add_use(s, c, &s->lane[na->node], j, na, r->end_s);
        lane_refresh(s, c, na->node);
        places_check(s, na->node, 0);
    }
    r->licensed = license_held(j);
    if (r->licensed)
        license_run(s, c, j, r->end_s);
    if (c->topo.n)
        topo_shade_run(s, c, j, r);
    map_put(&s->runs, r->id, r);
}

void runs_note(struct sched *s, const struct cluster *c, uint32_t id)
{
    struct run *r = map_get(&s->runs, id);
    const struct job *j = cluster_job(c, id);
    if (r) {
        drop_run(s, c, r, true);
        s->freed = true;
    }
    s->freed |= j && job_lends(j);
    if (j && job_holds_nodes(j) && j->alloc.n)
        add_run(s, c, j);
}

/* Those that should have ended by now and have not. */
void runs_overdue(struct sched *s, const struct cluster *c)
{
    struct ends_pos pos = ends_from(&s->ends, 1);
    VEC(uint32_t) late = { 0 };
    for (const struct end *e; (e = ends_get(&s->ends, &pos)) && e->at_s <= s->now_s; pos.i++)
        if (!late.n || late.at[late.n - 1] != e->id)
            vec_push(&late, e->id);
    for (size_t i = 0; i < late.n; i++) {
        const struct job *j = cluster_job(c, late.at[i]);
        drop_run(s, c, map_get(&s->runs, late.at[i]), false); /* it takes more than was thought, not less */
        if (j && job_holds_nodes(j) && j->alloc.n)
            add_run(s, c, j);
    }
    vec_clear(&late);
}

void runs_sync(struct sched *s, const struct cluster *c)
{
    runs_clear(s);
    bool shaded = s->shaded;
    s->shaded = 0;
    for (size_t i = 0; i < s->nlanes; i++) {
        s->lane[i].runs.n = 0;
        if (shaded)
            lane_refresh(s, c, (uint32_t)i);
    }
    for (const struct job *j = c->active.head; j; j = j->next)
        if (j->alloc.n)
            add_run(s, c, j);
}

/* ---- a plan takes ---- */

struct use lane_use(const struct sched *s, const struct node_alloc *na, const struct need *n, int64_t from_s,
                    uint32_t id)
{
    struct use u = { .from_s = from_s,
                     .to_s = from_s + need_run_s(n),
                     .id = id,
                     .resv = need_resv(n),
                     .cpus = cpus_taken(s, &s->lane[na->node], na),
                     .mem_mb = na->mem_mb,
                     .exclusive = n->exclusive };
    u.cores = &na->cores;
    if (s->shares) {
        u.held = u.cpus, u.cpus = 0, u.part = n->part, u.uid = n->uid, u.shares = n->shares, u.owner = n->owner;
        u.qos = n->qos;
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        u.gres[na->gres[g].slot] += na->gres[g].count;
    return u;
}

void lane_take(struct sched *s, const struct alloc *a, const struct need *n, int64_t from_s, uint32_t id)
{
    if (n->req->lic.n)
        license_keep(s, s->seen, n, from_s, id);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct node_alloc *na = &a->at[i];
        struct lane *l = &s->lane[na->node];
        struct use u = lane_use(s, na, n, from_s, id);
        l->now.cpus -= MIN(u.cpus, l->now.cpus);
        l->now.mem_mb -= MIN(na->mem_mb, l->now.mem_mb);
        l->now.jobs++;
        l->now.exclusive += n->exclusive;
        bitmap_or(&l->cores, &na->cores);
        for (uint32_t g = 0; g < na->ngres; g++) {
            uint32_t slot = na->gres[g].slot;
            l->now.gres[slot] -= MIN(na->gres[g].count, l->now.gres[slot]);
            bitmap_or(&l->gres_busy[slot], &na->gres[g].index);
        }
        vec_push(&l->resv, u);
        vec_push(&s->touched, na->node);
        backfill_gives(s, na->node, &u);
        mark_open(s, na->node);
        places_check(s, na->node, s->planned);
    }
    if (n->topo_alone) {
        auto_bitmap struct bitmap own = BITMAP_INIT;
        for (uint32_t i = 0; i < a->n; i++)
            bitmap_set(&own, a->at[i].node);
        topo_shade_plan(s, s->seen, n, &own, from_s, id);
    }
}
