/* check - the guarantees, checked as the log grows; see sim.h. */
#include "core/het.h"
#include "sim/world.h"

struct track *check_track(struct sim *s, uint32_t job)
{
    struct track *t = map_get(&s->tracks, job);
    if (!t) {
        t = NEW(struct track);
        map_put(&s->tracks, job, t);
    }
    return t;
}

/* ---- by the log ---- */

static void check_submitted(struct sim *s, const Pb__EvSubmit *e)
{
    uint64_t head = 0;
    if (e->key.len == 16)
        memcpy(&head, e->key.data, 8);
    if (head && map_put(&s->keys, head, s))
        sim_break(s, "job %u was submitted before, under the same key", e->job_id);
    struct track *t = check_track(s, e->job_id);
    if (t->attempt || t->ended)
        *t = (struct track){ 0 }; /* the job id is used again */
    t->array = e->is_array;
    t->uid = e->uid;
    t->het = e->n_het ? (uint32_t)e->n_het + 1 : 0;
    for (size_t i = 0; i < e->n_het; i++)
        check_submitted(s, e->het[i]);
}

static void check_started(struct sim *s, const Pb__EvStart *e)
{
    uint32_t id = e->split ? e->new_id : e->job_id;
    struct track *t = check_track(s, id);
    if (e->attempt <= t->attempt && !e->split)
        sim_break(s, "job %u starts with attempt %u after attempt %u", id, e->attempt, t->attempt);
    if (t->ended)
        sim_break(s, "job %u has ended and starts again", id);
    t->attempt = e->attempt;
    t->started_ms = s->now_ms;
    t->updated = false;
    t->starts++;
    for (size_t i = 0; i < e->n_het; i++)
        check_started(s, e->het[i]);
}

static void check_purged(struct sim *s, const Pb__EvPurge *e)
{
    for (size_t i = 0; i < e->n_job_id; i++)
        check_track(s, e->job_id[i])->purged = true;
}

static void ended(struct sim *s, const Pb__EvEnd *e)
{
    check_track(s, e->job_id)->ended = true;
    if (e->state == JOB_TIMEOUT)
        check_timeout(s, e->job_id);
}

static void check_event(struct sim *s, const Pb__Event *ev)
{
    s->stats.events++;
    if (s->conf.rules)
        rules_event(s, ev);
    if (ev->body_case == PB__EVENT__BODY_SUBMIT)
        check_submitted(s, ev->submit);
    else if (ev->body_case == PB__EVENT__BODY_START)
        check_started(s, ev->start);
    else if (ev->body_case == PB__EVENT__BODY_END)
        ended(s, ev->end);
    else if (ev->body_case == PB__EVENT__BODY_UPDATE)
        check_track(s, ev->update->job_id)->updated = true;
    else if (ev->body_case == PB__EVENT__BODY_REQUEUE)
        check_track(s, ev->requeue->job_id)->ended = false;
    else if (ev->body_case == PB__EVENT__BODY_STEP_START)
        check_step_start(s, ev->step_start);
    else if (ev->body_case == PB__EVENT__BODY_NODE_STATE)
        check_node_down(s, ev->node_state);
    else if (ev->body_case == PB__EVENT__BODY_PURGE)
        check_purged(s, ev->purge);
}

void check_entry(struct sim *s, const struct buf *entry)
{
    Pb__Entry *e = pb__entry__unpack(NULL, entry->len, (uint8_t *)entry->s);
    if (!e) {
        sim_break(s, "an entry does not parse");
        return;
    }
    story_entry(s, e);
    for (size_t i = 0; i < e->n_events; i++)
        check_event(s, e->events[i]);
    pb__entry__free_unpacked(e, NULL);
}

/* ---- by the state ---- */

struct sum { /* what jobs hold of one node */
    uint32_t cpus, jobs;
    uint64_t mem_mb, gres[16];
    struct bitmap cores, dev[16];
    bool twice, cores_twice;
    bool lent; /* a job was suspended, and jobs that started meanwhile still run when it resumes; or CPUs are
                  oversubscribed */
};

static void add_bits(struct bitmap *to, const struct bitmap *bits, bool *twice)
{
    bitmap_each (bits, i) {
        *twice |= bitmap_has(to, i);
        bitmap_set(to, i);
    }
}

static void add_share(struct sum *sum, const struct job *j, const struct node_alloc *na)
{
    sum->jobs++;
    sum->mem_mb += na->mem_mb;
    sum->lent |= j->suspend_s != 0 || j->oversub == OVERSUB_CPUS;
    if (!job_lends(j)) {
        sum->cpus += na->cpus;
        add_bits(&sum->cores, &na->cores, &sum->cores_twice);
    }
    for (uint32_t g = 0; g < na->ngres && na->gres[g].slot < 16; g++) {
        sum->gres[na->gres[g].slot] += na->gres[g].count;
        add_bits(&sum->dev[na->gres[g].slot], &na->gres[g].index, &sum->twice);
    }
}

/* "3(0,1) 7(1)": which jobs hold which cores of a node. */
static char *core_holders(const struct cluster *c, const struct node *n)
{
    struct buf b = BUF_INIT;
    for (const struct job *j = c->active.head; j; j = j->next)
        for (uint32_t i = 0; i < j->alloc.n; i++) {
            const struct node_alloc *na = &j->alloc.at[i];
            if (na->node != n->index || na->done)
                continue;
            buf_addf(&b, " %u(", j->id);
            bitmap_each (&na->cores, k)
                buf_addf(&b, "%zu,", k);
            buf_addf(&b, " %u CPUs)", na->cpus);
        }
    return buf_take(&b);
}

static void check_node(struct sim *s, const struct cluster *c, const struct node *n, const struct sum *sum)
{
    if ((sum->cpus > n->cpus && !sum->lent) || sum->mem_mb > n->mem_mb)
        sim_break(s, "%s is given away twice: %u of %u CPUs, %llu of %llu MB", n->name, sum->cpus, n->cpus,
                  (unsigned long long)sum->mem_mb, (unsigned long long)n->mem_mb);
    if (sum->twice || (sum->cores_twice && !sum->lent)) {
        auto_free char *target = core_holders(c, n);
        sim_break(s, "%s: a core or a device is given away twice:%s", n->name, target);
    }
    if (sum->cpus != n->cpus_used || sum->mem_mb != n->mem_used_mb || sum->jobs != n->jobs)
        sim_break(s, "%s counts %u CPUs and %u jobs in use, its jobs have %u and %u", n->name, n->cpus_used, n->jobs,
                  sum->cpus, sum->jobs);
    bool cores = bitmap_count(&sum->cores) == bitmap_count(&n->cores_used);
    bitmap_each (&sum->cores, i)
        cores &= bitmap_has(&n->cores_used, i);
    if (!cores) {
        auto_free char *target = core_holders(c, n);
        sim_break(s, "%s takes other cores for busy than its jobs have:%s", n->name, target);
    }
    for (uint32_t g = 0; g < n->ngres && g < 16; g++)
        if (sum->gres[g] > n->gres[g].count || sum->gres[g] != n->gres[g].used)
            sim_break(s, "%s: %s is counted wrong: %llu of %llu in use, its jobs have %llu", n->name, n->gres[g].name,
                      (unsigned long long)n->gres[g].used, (unsigned long long)n->gres[g].count,
                      (unsigned long long)sum->gres[g]);
}

/* All components of a heterogeneous job exist, and none runs while the first does not. */
static void check_set(struct sim *s, const struct cluster *c, const struct job *first)
{
    for (uint32_t i = 1; i < first->het_size; i++) {
        const struct job *j = het_part(c, first, i);
        if (!j && !job_ended(first))
            sim_break(s, "component %u of job %u is not there", i, first->id);
        else if (j && job_pending(first) != job_pending(j) && !job_ended(j))
            sim_break(s, "job %u is %s and its component %u is %s", first->id, job_state_name(first->state), i,
                      job_state_name(j->state));
        else if (j && job_ended(first) && !job_ended(j))
            sim_break(s, "job %u has ended and its component %u is %s", first->id, i, job_state_name(j->state));
    }
}

static void check_sets(struct sim *s, const struct cluster *c)
{
    const struct joblist *lists[] = { &c->pending, &c->active, &c->done };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        for (const struct job *j = lists[i]->head; j; j = j->next)
            if (het_leads(j))
                check_set(s, c, j);
}

static bool allocs_overlap(const struct job *a, const struct job *b)
{
    for (uint32_t i = 0; i < a->alloc.n; i++)
        for (uint32_t k = 0; k < b->alloc.n; k++) {
            const struct node_alloc *x = &a->alloc.at[i], *y = &b->alloc.at[k];
            if (x->node != y->node || x->done || y->done)
                continue;
            bitmap_each (&x->cores, core)
                if (bitmap_has(&y->cores, core))
                    return true;
        }
    return false;
}

/* In one partition no two running jobs hold the same core. */
static void check_turns(struct sim *s, const struct cluster *c)
{
    for (const struct job *j = c->active.head; j; j = j->next)
        for (const struct job *o = j->next; o; o = o->next)
            if (j->state == JOB_RUNNING && o->state == JOB_RUNNING && !het_is(j) && !het_is(o) &&
                str_eq(j->partition, o->partition) && allocs_overlap(j, o))
                sim_break(s, "jobs %u and %u have the same cores, and both run", j->id, o->id);
}

void check_state(struct sim *s, struct cluster *c)
{
    struct sum *sums = mem_array(c->nnodes + 1, sizeof(*sums));
    for (const struct job *j = c->active.head; j; j = j->next)
        for (uint32_t i = 0; i < j->alloc.n; i++)
            if (!j->alloc.at[i].done)
                add_share(&sums[j->alloc.at[i].node], j, &j->alloc.at[i]);
    for (size_t i = 0; i < c->nnodes; i++) {
        check_node(s, c, &c->node[i], &sums[i]);
        bitmap_clear(&sums[i].cores);
        for (size_t g = 0; g < ARRAY_LEN(sums[i].dev); g++)
            bitmap_clear(&sums[i].dev[g]);
    }
    free(sums);
    check_steps(s, c);
    if (s->conf.turns)
        check_turns(s, c);
    if (s->conf.sets)
        check_sets(s, c);
    if (s->conf.rules)
        check_limits(s, c);
}

/* Every controller that applied the same log has the same bytes. */
void check_same(struct sim *s, uint32_t target)
{
    const struct controller *leader = s->leader == NO_LEADER ? NULL : &s->ctl[s->leader], *c = &s->ctl[target];
    if (!leader || leader == c || !c->t || c->deposed || leader->in_flight || leader->applied != s->log.entries.n)
        return;
    ctl_catch_up(s, target);
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    ctl_encode(s->ctl[s->leader].t, &a);
    ctl_encode(s->ctl[target].t, &b);
    if (a.len != b.len || memcmp(a.s, b.s, a.len))
        sim_break(s, "controllers %u and %u followed the same log and differ", s->leader + 1, target + 1);
    check_state(s, ctl_cluster(s->ctl[target].t));
}

/* The kept bytes of each record equal freshly encoded ones: no change went unnoticed. */
void check_kept_bytes(struct sim *s, struct cluster *c, const struct buf *fresh)
{
    auto_buf struct buf kept = BUF_INIT;
    struct snapshot *snap = cluster_snapshot(c);
    snapshot_write(snap, &kept);
    snapshot_free(snap);
    if (kept.len != fresh->len || memcmp(kept.s, fresh->s, kept.len))
        sim_break(s, "the snapshot from kept bytes differs from one made anew");
}

/* Only the log counts: a reply is sent after the commit. */
void check_acked(struct sim *s, uint32_t job)
{
    const struct track *t = check_track(s, job);
    if (t->purged || s->leader == NO_LEADER)
        return;
    struct cluster *c = ctl_cluster(s->ctl[s->leader].t);
    if (!cluster_job(c, job) && !cluster_array(c, job))
        sim_break(s, "job %u was acknowledged and is gone", job);
}

void check_reported(struct sim *s, uint32_t job, uint32_t attempt)
{
    const struct job *j = s->leader == NO_LEADER ? NULL : cluster_job(ctl_cluster(s->ctl[s->leader].t), job);
    if (j && j->attempt == attempt && job_base(j) == JOB_RUNNING && j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        sim_break(s, "job %u attempt %u: its end was reported and acknowledged, and it runs", job, attempt);
}

bool check_empty(struct sim *s)
{
    if (s->leader == NO_LEADER || s->ctl[s->leader].in_flight)
        return false;
    struct cluster *c = ctl_cluster(s->ctl[s->leader].t);
    if (c->pending.n || c->active.n)
        return false;
    check_state(s, c);
    for (uint32_t i = 0; i < s->conf.controllers; i++)
        check_same(s, i);
    for (size_t i = 0; i < s->acked.n; i++)
        check_acked(s, s->acked.at[i]);
    return true;
}
