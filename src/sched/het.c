/*
 * het - heterogeneous jobs: all components start together, or none.
 *
 * The first component stands in the queue for all of them, in a class of its own.  The components are tried as a set:
 * each gets nodes beside the ones before it, and only when the last has nodes they all start.  Planned starts are found
 * in the same way, at one time for all.  As in Slurm, no two components share a node.
 */
#include "core/het.h"
#include "base/str.h"
#include "sched/fit.h"
#include "sched/het.h"
#include "sched/license.h"
#include "sched/limit.h"
#include "sched/need.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"

#define POINTS_MAX 64 /* times tried for one set, in one cycle */

struct component_trial { /* one component and its nodes */
    const struct job *job;
    struct need need;
    struct pick pick;
    bool own; /* the need is owned; the first component borrows that of its class */
};

struct het_trial {
    struct component_trial at[HET_MAX];
    uint32_t n; /* components with nodes */
    int64_t at_s;
    struct bitmap used;       /* nodes of the components so far */
    const struct job *failed; /* the first component without nodes */
};

/* ---- the queue ---- */

int64_t het_eligible_s(const struct cluster *c, const struct job *j)
{
    int64_t last = j->eligible_s;
    for (uint32_t i = 1; het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        last = p ? MAX(last, p->eligible_s) : last;
    }
    return last;
}

enum why_code het_why(const struct cluster *c, const struct job *j, int64_t now_s,
                      enum why_code (*waits)(const struct job *j, int64_t now_s))
{
    enum why_code code = waits(j, now_s);
    for (uint32_t i = 1; code == WHY_NONE && het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        code = p ? waits(p, now_s) : WHY_CLEANING;
    }
    return code;
}

uint32_t het_priority(const struct sched *s, const struct cluster *c, const struct job *j)
{
    uint64_t sum = 0;
    uint32_t least = UINT32_MAX, most = 0, n = 0;
    for (uint32_t i = 0; het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        uint32_t prio = p ? job_priority(p) : 0;
        if (!p)
            continue;
        sum += prio, n++;
        least = MIN(least, prio);
        most = MAX(most, prio);
    }
    if (!n)
        return job_priority(j);
    return s->conf.het_prio == HET_PRIO_MIN ? least : s->conf.het_prio == HET_PRIO_MAX ? most : (uint32_t)(sum / n);
}

/* ---- trials ---- */

static void component_clear(struct component_trial *p)
{
    if (p->own)
        need_clear(&p->need);
    vec_clear(&p->pick.at);
    *p = (struct component_trial){ 0 };
}

static bool component_fits(struct sched *s, const struct cluster *c, struct component_trial *p, int64_t at_s)
{
    if (need_unschedulable(s, c, &p->need) != WHY_NONE)
        return false;
    return at_s <= s->now_s ? fits_now(s, c, &p->need, &p->pick) : fits_at(s, c, &p->need, at_s, &p->pick);
}

/* In the first of its partitions that has nodes for it. */
static bool component_pick(struct sched *s, const struct cluster *c, struct component_trial *p,
                           const struct bitmap *used, int64_t at_s)
{
    const char *pos = p->job->partition;
    bool found = false;
    for (char *name; !found && (name = str_next(&pos, ",")); free(name)) {
        const struct part *part = cluster_part(c, name);
        if (!part)
            continue;
        need_init(&p->need, s, c, &p->job->spec->req, p->job, part);
        p->own = true;
        bitmap_minus(&p->need.allowed, used);
        if (p->need.prefer)
            bitmap_minus(&p->need.prefer->allowed, used);
        found = (!p->need.resv || resv_usable_by(s, p->need.resv, p->job, part)) && component_fits(s, c, p, at_s);
        if (!found)
            need_clear(&p->need), p->own = false;
    }
    return found;
}

/* A trial for a start now begins one second later, so that avail_over() sees it: what is free now ignores trials. */
static int64_t trial_from_s(const struct sched *s, int64_t at_s)
{
    return MAX(at_s, s->now_s + 1);
}

static void het_trial_undo(struct sched *s, struct het_trial *t)
{
    while (t->n) {
        struct component_trial *p = &t->at[--t->n];
        trial_remove(s, &p->need, &p->pick, trial_from_s(s, t->at_s), p->job->id);
        component_clear(p);
    }
    bitmap_clear(&t->used);
}

/* Nodes for each component, beside the ones before it; the trials stay when all have nodes. */
static bool het_trial_run(struct sched *s, const struct cluster *c, const struct job_class *cls, int64_t at_s,
                          struct het_trial *t)
{
    const struct job *leader = cluster_job(c, cls->het);
    *t = (struct het_trial){ .at_s = at_s };
    for (uint32_t i = 0; leader && i < leader->het_size && i < HET_MAX; i++) {
        struct component_trial *p = &t->at[i];
        p->job = i ? het_part(c, leader, i) : leader;
        if (!i)
            p->need = cls->need;
        if (!p->job || !(i ? component_pick(s, c, p, &t->used, at_s) : component_fits(s, c, p, at_s))) {
            t->failed = p->job;
            component_clear(p);
            het_trial_undo(s, t);
            return false;
        }
        trial_add(s, c, &p->need, &p->pick, trial_from_s(s, at_s), p->job->id);
        for (size_t k = 0; k < p->pick.at.n; k++)
            bitmap_set(&t->used, p->pick.at.at[k].node);
        t->n++;
    }
    return t->n > 0;
}

bool het_fits(struct sched *s, const struct cluster *c, const struct job_class *cls)
{
    struct het_trial t;
    bool fits = het_trial_run(s, c, cls, s->now_s, &t);
    het_trial_undo(s, &t);
    return fits;
}

/* ---- starts ---- */

static struct sched_start component_start_init(const struct sched *s, const struct cluster *c,
                                               const struct component_trial *p)
{
    return (struct sched_start){ .job = (struct job *)(uintptr_t)p->job,
                                 .task = TASK_NONE,
                                 .part = c->part.at[p->need.part],
                                 .resv = p->need.resv,
                                 .oversub = need_job_oversub(&p->need),
                                 .owner = p->need.owner,
                                 .preferred = p->need.prefer && p->pick.preferred,
                                 .backfilled = s->planned_ahead > 0 };
}

/* The class of a component for the limit checks; components are in no class of the queue. */
static struct job_class component_class(const struct component_trial *p)
{
    return (struct job_class){ .need = p->need };
}

/* Cores and devices of a component.  No two components share a node, so they can be chosen before any is taken. Limits
 * count a component beside the ones before it. */
static enum why_code component_assign(struct sched *s, const struct cluster *c, const struct component_trial *p,
                                      struct sched_start *st)
{
    struct job_class cls = component_class(p);
    *st = component_start_init(s, c, p);
    assign_alloc(s, c, &p->need, &p->pick, &st->alloc);
    if (p->need.req->licenses.n)
        license_fits(s, c, &p->need, s->now_s, &st->license);
    if (!s->limits || limit_check_request(s, c, &cls, p->job) ||
        limit_check_alloc(s, c, &cls, &p->need, p->job, &st->alloc))
        return cls.limited;
    limit_add_start(s, c, &cls, &p->need, p->job, &st->alloc);
    return WHY_NONE;
}

static void component_unassign(struct sched *s, const struct cluster *c, const struct component_trial *p,
                               struct sched_start *st)
{
    struct job_class cls = component_class(p);
    if (s->limits)
        limit_remove_start(s, c, &cls, &p->need, p->job, &st->alloc);
}

static void component_start(struct sched *s, const struct component_trial *p, const struct sched_start *st,
                            struct plan *out)
{
    profile_start(s, &st->alloc, &p->need, s->now_s, p->job->id);
    vec_push(&out->starts, *st);
}

bool het_start(struct sched *s, const struct cluster *c, struct job_class *cls, struct plan *out)
{
    struct het_trial t;
    struct sched_start st[HET_MAX];
    struct trial_start all[HET_MAX];
    if (!het_trial_run(s, c, cls, s->now_s, &t))
        return false;
    uint32_t n = t.n, nassigned = 0;
    enum why_code limited = WHY_NONE;
    for (uint32_t i = n; i-- > 0;)
        trial_remove(s, &t.at[i].need, &t.at[i].pick, trial_from_s(s, t.at_s), t.at[i].job->id);
    for (; nassigned < n && limited == WHY_NONE; nassigned++) {
        limited = component_assign(s, c, &t.at[nassigned], &st[nassigned]);
        st[nassigned].het = n - 1 - nassigned;
        all[nassigned] = (struct trial_start){ &t.at[nassigned].need, &st[nassigned].alloc, t.at[nassigned].job->id };
    }
    uint32_t counted = limited == WHY_NONE ? n : nassigned - 1;
    bool free = limited == WHY_NONE && planned_check_start(s, all, n);
    s->last_start = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (free)
            component_start(s, &t.at[i], &st[i], out);
        else if (i < counted)
            component_unassign(s, c, &t.at[i], &st[i]);
        if (!free && i < nassigned)
            alloc_clear(&st[i].alloc);
        component_clear(&t.at[i]);
    }
    bitmap_clear(&t.used);
    limit_set_class(s, cls, limited);
    return free;
}

/* ---- planned starts ---- */

/* The earliest start of this component alone; 0: cannot be told. */
static int64_t component_start_s(struct sched *s, const struct cluster *c, const struct job *j)
{
    int64_t soonest = 0;
    const char *pos = j->partition;
    struct pick pick = { 0 };
    for (char *name; (name = str_next(&pos, ",")); free(name)) {
        const struct part *part = cluster_part(c, name);
        struct need need;
        if (!part)
            continue;
        need_init(&need, s, c, &j->spec->req, j, part);
        int64_t at = need_unschedulable(s, c, &need) == WHY_NONE ? backfill_start_s(s, c, &need, &pick) : 0;
        soonest = at && (!soonest || at < soonest) ? at : soonest;
        need_clear(&need);
    }
    vec_clear(&pick.at);
    return soonest;
}

/* Are there enough nodes for all components together?  Without them every time would be tried in vain. */
static bool het_enough_nodes(struct sched *s, const struct cluster *c, const struct job *leader)
{
    auto_bitmap struct bitmap any = BITMAP_INIT;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < leader->het_size; i++) {
        const struct job *j = i ? het_part(c, leader, i) : leader;
        const char *pos = j ? j->partition : NULL;
        uint32_t fewest = UINT32_MAX;
        for (char *name; pos && (name = str_next(&pos, ",")); free(name)) {
            const struct part *part = cluster_part(c, name);
            struct need need;
            if (!part)
                continue;
            need_init(&need, s, c, &j->spec->req, j, part);
            fewest = MIN(fewest, need.min_nodes);
            bitmap_or(&any, &need.allowed);
            need_clear(&need);
        }
        nodes += fewest;
    }
    return nodes <= bitmap_count(&any);
}

/* A lower bound: no component could start earlier, even alone. */
static int64_t het_earliest_s(struct sched *s, const struct cluster *c, const struct job_class *cls)
{
    const struct job *leader = cluster_job(c, cls->het);
    struct pick pick = { 0 };
    int64_t from = leader && het_enough_nodes(s, c, leader) ? backfill_start_s(s, c, &cls->need, &pick) : 0;
    vec_clear(&pick.at);
    for (uint32_t i = 1; from && i < leader->het_size; i++) {
        const struct job *p = het_part(c, leader, i);
        int64_t at = p ? component_start_s(s, c, p) : 0;
        from = at ? MAX(from, at) : 0;
    }
    return from;
}

/* The first sched point after `at_s`; 0: none. */
static int64_t next_point_s(const struct sched *s, int64_t at_s)
{
    struct release_pos pos = release_list_from(&s->releases, at_s + 1);
    const struct release *e = release_list_get(&s->releases, &pos);
    int64_t next = e ? e->at_s : 0;
    for (size_t i = 0; i < s->points.n; i++)
        if (s->points.at[i].at_s > at_s && (!next || s->points.at[i].at_s < next))
            next = s->points.at[i].at_s;
    for (size_t i = 0; i < s->planned_ahead && i < s->planned_starts.n; i++)
        for (size_t k = 0; k < s->planned_starts.at[i]->spans.n; k++) {
            int64_t to_s = s->planned_starts.at[i]->spans.at[k].span.to_s;
            if (to_s > at_s && (!next || to_s < next))
                next = to_s;
        }
    for (size_t i = 0; i < s->resv_boundaries.n; i++)
        if (s->resv_boundaries.at[i].at_s > at_s && (!next || s->resv_boundaries.at[i].at_s < next))
            next = s->resv_boundaries.at[i].at_s;
    return next;
}

int64_t het_start_s(struct sched *s, const struct cluster *c, const struct job_class *cls, bool keep)
{
    struct het_trial t;
    int64_t at = het_earliest_s(s, c, cls), last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    for (uint32_t tries = 0; at && at <= last && tries < POINTS_MAX; tries++, at = next_point_s(s, at)) {
        if (!het_trial_run(s, c, cls, at, &t))
            continue;
        if (!keep)
            het_trial_undo(s, &t);
        for (uint32_t i = 0; i < t.n; i++)
            component_clear(&t.at[i]);
        bitmap_clear(&t.used);
        return at;
    }
    return 0;
}

/* ---- reasons ---- */

const struct job *het_blocker(struct sched *s, const struct cluster *c, const struct job *j, struct buf *b)
{
    const struct job *leader = cluster_job(c, j->het_job);
    const struct queue_entry *entry = queue_find(s, j->het_job);
    struct het_trial t;
    if (!leader || !entry || !entry->nclasses)
        return j; /* the entry is held or waits for something: its own reason says so */
    buf_addf(b, "starts with all %u components of job %u", j->het_size, j->het_job);
    if (!het_enough_nodes(s, c, leader)) {
        buf_adds(b, ", which need more nodes than there are: no two of them share one");
        return NULL;
    }
    bool fits = het_trial_run(s, c, entry->classes[0], s->now_s, &t);
    const struct job *failed = fits ? leader : t.failed;
    het_trial_undo(s, &t);
    buf_adds(b, fits || !failed ? "; other jobs come first: " : "; ");
    if (failed && !fits)
        buf_addf(b, "component %u ", failed->het_offset);
    return failed ? failed : leader;
}

enum why_code het_unschedulable(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code)
{
    const char *pos = j->partition;
    auto_free char *name = str_next(&pos, ",");
    const struct part *part = name ? cluster_part(c, name) : NULL;
    struct need need;
    if (!part)
        return code;
    need_init(&need, s, c, &j->spec->req, j, part);
    enum why_code unschedulable = need_unschedulable(s, c, &need);
    need_clear(&need);
    return unschedulable != WHY_NONE ? unschedulable : code;
}
