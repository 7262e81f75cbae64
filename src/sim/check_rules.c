/*
 * check_rules - no start breaks a limit, a licence or a reservation; see sim.h.
 *
 * Reservations and licences are followed by the log, not by the state.  What is held under a limit is summed over the
 * jobs; a lowered limit may be exceeded by running jobs, but then no further job may start.
 */
#include "sim/world.h"

static const char *const license_name[LICENSES] = { "matlab", "ansys" };
static const uint64_t license_total[LICENSES] = { SIM_MATLAB, SIM_ANSYS };

struct grant { /* what a job has, from its start to its end */
    uint32_t resv;
    uint64_t licenses[LICENSES];
};

/* ---- reservations, by the log ---- */

static void resv_event(struct sim *s, const Pb__EvResv *e)
{
    Pb__Resv *old = e->remove ? map_del(&s->resvs, e->resv->id)
                              : map_put(&s->resvs, e->resv->id, PB_DUP(Pb__Resv, e->resv));
    if (old)
        pb__resv__free_unpacked(old, NULL);
}

static const Pb__ResvNode *share_of(const Pb__Resv *v, uint32_t node)
{
    for (size_t i = 0; i < v->n_node; i++)
        if (v->node[i]->node == node)
            return v->node[i];
    return NULL;
}

/* Does one of its periods overlap that time? */
static bool resv_overlaps(const Pb__Resv *v, int64_t from_s, int64_t to_s)
{
    int64_t length = v->end_s - v->start_s, at = v->flags & RESV_TIME_FLOAT ? from_s + v->float_s : v->start_s;
    for (; at && at < to_s; at = resv_next(v->flags, at))
        if (at + length > from_s)
            return true;
    return false;
}

static void resv_overlap(const Pb__NodeAlloc *na, const Pb__ResvNode *rn, bool *meet, bool *within)
{
    auto_bitmap struct bitmap theirs = BITMAP_INIT, mine = BITMAP_INIT;
    *meet = false, *within = true;
    pb_to_bitmap(&theirs, &rn->cores);
    pb_to_bitmap(&mine, &na->cores);
    bitmap_each (&mine, i) {
        *meet |= bitmap_has(&theirs, i);
        *within &= bitmap_has(&theirs, i);
    }
}

struct started_job { /* a start, and the reservation and job it belongs to */
    const Pb__EvStart *e;
    uint32_t id, uid;
    int64_t at_s, to_s;
    const Pb__Resv *in;
};

static void check_share(struct sim *s, const struct started_job *b, const Pb__Resv *v, const Pb__NodeAlloc *na)
{
    const Pb__ResvNode *rn = share_of(v, na->node);
    bool meet = false, within = true;
    if (rn)
        resv_overlap(na, rn, &meet, &within);
    if (v == b->in) {
        if (!(v->flags & RESV_FLEX) && (!rn || (rn->cpus && !within)))
            sim_break(s, "job %u starts in reservation %s, on n%u, which is not all of it", b->id, v->name,
                      na->node + 1);
        return;
    }
    bool on_top = b->in && ((b->in->flags & RESV_MAINT) ||
                            ((b->in->flags & RESV_OVERLAP) && !(v->flags & RESV_MAINT) && share_of(b->in, na->node)));
    if (rn && !on_top && (rn->cpus ? meet : !rn->n_gres) && resv_overlaps(v, b->at_s, b->to_s))
        sim_break(s,
                  "job %u starts on n%u at %lld for %lld s, which reservation %s (flags 0x%llx, %u cores there) keeps "
                  "%lld-%lld",
                  b->id, na->node + 1, (long long)(b->at_s - SIM_EPOCH_S), (long long)(b->to_s - b->at_s), v->name,
                  (unsigned long long)v->flags, rn->cpus, (long long)(v->start_s - SIM_EPOCH_S),
                  (long long)(v->end_s - SIM_EPOCH_S));
}

static bool may_be_in(const struct started_job *b)
{
    for (size_t i = 0; i < b->in->n_uid; i++)
        if (b->in->uid[i] == b->uid)
            return true;
    return !b->in->n_uid;
}

static void check_resvs(struct sim *s, const struct started_job *b)
{
    size_t pos = 0;
    if (b->e->resv && !b->in)
        sim_break(s, "job %u starts in reservation %u, which is not there", b->id, b->e->resv);
    if (b->in && !may_be_in(b))
        sim_break(s, "job %u of user %u starts in reservation %s of others", b->id, b->uid, b->in->name);
    if (b->in && !(b->in->flags & RESV_FLEX) && (b->at_s < b->in->start_s || b->at_s >= b->in->end_s))
        sim_break(s, "job %u starts in reservation %s outside of its time", b->id, b->in->name);
    for (const Pb__Resv *v; (v = map_next(&s->resvs, &pos, NULL));)
        for (size_t i = 0; i < b->e->n_alloc; i++)
            check_share(s, b, v, b->e->alloc[i]);
}

/* ---- licences, by the log ---- */

static void add_licenses(Pb__License *const *pb, size_t n, uint64_t out[static LICENSES])
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < LICENSES; k++)
            out[k] += str_eq(pb[i]->name, license_name[k]) ? pb[i]->count : 0;
}

static uint64_t reserved_licenses(const Pb__Resv *v, size_t k)
{
    auto_license struct license_list l = LICENSE_INIT;
    uint64_t n = 0;
    license_parse(v->licenses, &l, NULL);
    for (size_t i = 0; i < l.n; i++)
        n += str_eq(l.at[i].name, license_name[k]) ? l.at[i].count : 0;
    return n;
}

/* All holders together have no more than exist; jobs outside a reservation leave it what it keeps. */
static void check_license(struct sim *s, const struct started_job *b, size_t k)
{
    uint64_t all = 0, free = license_total[k];
    size_t pos = 0;
    for (const struct grant *g; (g = map_next(&s->grants, &pos, NULL));)
        all += g->licenses[k];
    if (all > license_total[k])
        sim_break(s, "job %u starts, and %llu of %llu %s are held", b->id, (unsigned long long)all,
                  (unsigned long long)free, license_name[k]);
    pos = 0;
    for (const Pb__Resv *v; (v = map_next(&s->resvs, &pos, NULL));) {
        uint64_t kept = reserved_licenses(v, k), outside = 0;
        size_t at = 0;
        for (const struct grant *g; kept && (g = map_next(&s->grants, &at, NULL));)
            outside += g->resv == v->id ? 0 : g->licenses[k];
        if (kept && v != b->in && resv_overlaps(v, b->at_s, b->at_s + 1) && outside + kept > license_total[k])
            sim_break(s, "job %u starts with %s, of which reservation %s keeps %llu", b->id, license_name[k], v->name,
                      (unsigned long long)kept);
    }
}

static void rules_started(struct sim *s, const Pb__EvStart *e, int64_t at_s)
{
    uint32_t id = e->split ? e->new_id : e->job_id;
    struct track *t = check_track(s, id);
    t->uid = check_track(s, e->job_id)->uid;
    t->began_ms = s->now_ms;
    struct started_job b = { .e = e, .id = id, .uid = t->uid, .at_s = at_s, .in = map_get(&s->resvs, e->resv) };
    b.to_s = e->time_limit_min == INFINITE_MIN ? INT64_MAX / 4 : at_s + e->time_limit_min * 60LL;
    check_resvs(s, &b);
    struct grant *g = NEW(struct grant);
    g->resv = e->resv;
    add_licenses(e->licenses, e->n_licenses, g->licenses);
    free(map_put(&s->grants, id, g));
    for (size_t k = 0; k < LICENSES; k++)
        if (g->licenses[k])
            check_license(s, &b, k);
    s->stats.reserved += e->resv != 0;
    s->stats.licensed += e->n_licenses > 0;
    for (size_t i = 0; i < e->n_het; i++)
        rules_started(s, e->het[i], at_s);
}

/* ---- yields ---- */

static const struct job *job_now(struct sim *s, uint32_t id)
{
    return s->leader == NO_LEADER ? NULL : cluster_job(ctl_cluster(s->ctl[s->leader].t), id);
}

static void rules_warned(struct sim *s, const Pb__EvWarned *e)
{
    const struct job *j = job_now(s, e->job_id);
    struct track *t = check_track(s, e->job_id);
    if (!e->yield_s)
        return;
    s->stats.yields++;
    if (j && (!j->spec->says_requeue || !j->spec->signal))
        sim_break(s, "job %u is asked to make room, and cannot checkpoint", j->id);
    if (t->asked == t->attempt)
        sim_break(s, "job %u is asked twice to make room", e->job_id);
    t->asked = t->attempt;
}

/* A job that was asked to yield has saved its state. */
static void check_requeued(struct sim *s, uint32_t id)
{
    struct track *t = check_track(s, id);
    free(map_del(&s->grants, id));
    if (t->asked && t->asked == t->attempt)
        t->saved_ms += s->now_ms - t->began_ms;
}

static void rules_ended(struct sim *s, const Pb__EvEnd *e)
{
    const struct job *j = e->state == JOB_PREEMPTED ? job_now(s, e->job_id) : NULL;
    free(map_del(&s->grants, e->job_id));
    s->stats.preempted += e->state == JOB_PREEMPTED;
    if (j && !str_eq(j->spec->qos, "low"))
        sim_break(s, "job %u is preempted, and its QOS is %s", j->id, j->spec->qos);
}

void rules_free(struct sim *s)
{
    size_t pos = 0;
    for (Pb__Resv *v; (v = map_next(&s->resvs, &pos, NULL));)
        pb__resv__free_unpacked(v, NULL);
    pos = 0;
    for (struct grant *g; (g = map_next(&s->grants, &pos, NULL));)
        free(g);
    map_clear(&s->resvs);
    map_clear(&s->grants);
    map_clear(&s->held);
}

void rules_event(struct sim *s, const Pb__Event *ev)
{
    switch (ev->body_case) {
    case PB__EVENT__BODY_RESV: resv_event(s, ev->resv); break;
    case PB__EVENT__BODY_START: rules_started(s, ev->start, ev->at_ms / 1000); break;
    case PB__EVENT__BODY_END: rules_ended(s, ev->end); break;
    case PB__EVENT__BODY_REQUEUE:
        check_requeued(s, ev->requeue->job_id);
        s->moved = true;
        break;
    case PB__EVENT__BODY_UPDATE: s->moved = true; break;
    case PB__EVENT__BODY_ASSOC_UPDATE: s->loaded = true; break;
    case PB__EVENT__BODY_SPLIT: check_track(s, ev->split->new_id)->uid = check_track(s, ev->split->job_id)->uid; break;
    case PB__EVENT__BODY_WARNED: rules_warned(s, ev->warned); break;
    default: break;
    }
}
