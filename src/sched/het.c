/*
 * het - heterogeneous jobs: all components begin together, or none does.
 *
 * The first component stands in the order for all of them, in a shape of its own.  The set is
 * tried as a whole: each component gets a place beside those before it; only when the last one
 * has one, they are started.  Planned starts are kept in the same way, at one moment for all.
 * No two components share a node, as in Slurm.
 */
#include "core/het.h"
#include "base/str.h"
#include "sched/sched_priv.h"

#define MOMENTS_MAX 64 /* moments tried for one set, in one plan */

struct part_try { /* one component, and where it goes */
    const struct job *job;
    struct need need;
    struct pick pick;
    bool own; /* the need is ours; the first component's is its shape's */
};

struct set_try {
    struct part_try at[HET_MAX];
    uint32_t n; /* those with a place */
    int64_t at_s;
    struct bitmap used;       /* their nodes */
    const struct job *failed; /* the first without a place */
};

/* ---- standing in the order ---- */

int64_t het_eligible_s(const struct cluster *c, const struct job *j)
{
    int64_t last = j->eligible_s;
    for (uint32_t i = 1; het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        last = p ? MAX(last, p->eligible_s) : last;
    }
    return last;
}

enum why_code het_waits(const struct cluster *c, const struct job *j, int64_t now_s,
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

/* ---- trying ---- */

static void part_drop(struct part_try *p)
{
    if (p->own)
        need_clear(&p->need);
    vec_clear(&p->pick.at);
    *p = (struct part_try){ 0 };
}

static bool part_fits(struct sched *s, const struct cluster *c, struct part_try *p, int64_t at_s)
{
    if (need_barred(s, c, &p->need) != WHY_NONE)
        return false;
    return at_s <= s->now_s ? fits_free(s, c, &p->need, &p->pick) : backfill_fits_at(s, c, &p->need, at_s, &p->pick);
}

/* In the first of its partitions that does. */
static bool part_place(struct sched *s, const struct cluster *c, struct part_try *p, const struct bitmap *used,
                       int64_t at_s)
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
        found = (!p->need.resv || resv_mine(s, p->need.resv, p->job, part)) && part_fits(s, c, p, at_s);
        if (!found)
            need_clear(&p->need), p->own = false;
    }
    return found;
}

/* Places that are there for the trial alone begin a moment later: what is free now is asked for as it is. */
static int64_t kept_from(const struct sched *s, int64_t at_s)
{
    return MAX(at_s, s->now_s + 1);
}

static void set_forget(struct sched *s, struct set_try *t)
{
    while (t->n) {
        struct part_try *p = &t->at[--t->n];
        backfill_unkeep(s, &p->need, &p->pick, kept_from(s, t->at_s), p->job->id);
        part_drop(p);
    }
    bitmap_clear(&t->used);
}

/* A place for each, beside those before it; they are kept when all have one. */
static bool set_try(struct sched *s, const struct cluster *c, const struct shape *sh, int64_t at_s, struct set_try *t)
{
    const struct job *leader = cluster_job(c, sh->het);
    *t = (struct set_try){ .at_s = at_s };
    for (uint32_t i = 0; leader && i < leader->het_size && i < HET_MAX; i++) {
        struct part_try *p = &t->at[i];
        p->job = i ? het_part(c, leader, i) : leader;
        if (!i)
            p->need = sh->need;
        if (!p->job || !(i ? part_place(s, c, p, &t->used, at_s) : part_fits(s, c, p, at_s))) {
            t->failed = p->job;
            part_drop(p);
            set_forget(s, t);
            return false;
        }
        backfill_keep(s, c, &p->need, &p->pick, kept_from(s, at_s), p->job->id);
        for (size_t k = 0; k < p->pick.at.n; k++)
            bitmap_set(&t->used, p->pick.at.at[k].node);
        t->n++;
    }
    return t->n > 0;
}

bool het_fits(struct sched *s, const struct cluster *c, const struct shape *sh)
{
    struct set_try t;
    bool fits = set_try(s, c, sh, s->now_s, &t);
    set_forget(s, &t);
    return fits;
}

/* ---- starting ---- */

static struct sched_start start_of(const struct sched *s, const struct cluster *c, const struct part_try *p)
{
    return (struct sched_start){ .job = (struct job *)(uintptr_t)p->job,
                                 .task = TASK_NONE,
                                 .part = c->part.at[p->need.part],
                                 .resv = p->need.resv,
                                 .share = share_kind(&p->need),
                                 .owner = p->need.owner,
                                 .preferred = p->need.prefer && p->pick.preferred,
                                 .filled = s->planned > 0 };
}

/* What limits know of a component: it stands in no shape, or in that of the whole. */
static struct shape shape_of(const struct part_try *p)
{
    return (struct shape){ .need = p->need };
}

/*
 * Its cores and devices; no two components share a node, so they can be chosen before any is taken.  Limits count it beside the
 * components before it.
 */
static enum why_code part_give(struct sched *s, const struct cluster *c, const struct part_try *p, struct sched_start *st)
{
    struct shape sh = shape_of(p);
    *st = start_of(s, c, p);
    give_alloc(s, c, &p->need, &p->pick, &st->alloc);
    if (p->need.req->lic.n)
        license_fits(s, c, &p->need, s->now_s, &st->license);
    if (!s->limits || limit_early(s, c, &sh, p->job) || limit_late(s, c, &sh, p->job, &st->alloc))
        return sh.limited;
    limit_started(s, c, &sh, p->job, &st->alloc);
    return WHY_NONE;
}

static void part_take_back(struct sched *s, const struct cluster *c, const struct part_try *p, struct sched_start *st)
{
    struct shape sh = shape_of(p);
    if (s->limits)
        limit_unstarted(s, c, &sh, p->job, &st->alloc);
}

static void part_start(struct sched *s, const struct part_try *p, const struct sched_start *st, struct plan *out)
{
    lane_take(s, &st->alloc, &p->need, s->now_s, p->job->id);
    vec_push(&out->starts, *st);
}

bool het_start(struct sched *s, const struct cluster *c, struct shape *sh, struct plan *out)
{
    struct set_try t;
    struct sched_start st[HET_MAX];
    struct guard_try all[HET_MAX];
    if (!set_try(s, c, sh, s->now_s, &t))
        return false;
    uint32_t n = t.n, given = 0;
    enum why_code limited = WHY_NONE;
    for (uint32_t i = n; i-- > 0;)
        backfill_unkeep(s, &t.at[i].need, &t.at[i].pick, kept_from(s, t.at_s), t.at[i].job->id);
    for (; given < n && limited == WHY_NONE; given++) {
        limited = part_give(s, c, &t.at[given], &st[given]);
        st[given].het = n - 1 - given;
        all[given] = (struct guard_try){ &t.at[given].need, &st[given].alloc, t.at[given].job->id };
    }
    uint32_t counted = limited == WHY_NONE ? n : given - 1;
    bool free = limited == WHY_NONE && guard_allows(s, all, n);
    s->hint = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (free)
            part_start(s, &t.at[i], &st[i], out);
        else if (i < counted)
            part_take_back(s, c, &t.at[i], &st[i]);
        if (!free && i < given)
            alloc_clear(&st[i].alloc);
        part_drop(&t.at[i]);
    }
    bitmap_clear(&t.used);
    limit_tell(s, sh, limited);
    return free;
}

/* ---- planning ---- */

/* When this component alone could start, at the soonest; 0: that cannot be told. */
static int64_t part_when(struct sched *s, const struct cluster *c, const struct job *j)
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
        int64_t at = need_barred(s, c, &need) == WHY_NONE ? backfill_when(s, c, &need, &pick) : 0;
        soonest = at && (!soonest || at < soonest) ? at : soonest;
        need_clear(&need);
    }
    vec_clear(&pick.at);
    return soonest;
}

/* Are there nodes enough for all of them together?  Such a set would be looked for in vain at every moment. */
static bool set_possible(struct sched *s, const struct cluster *c, const struct job *leader)
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

/* No component could start before this moment, even alone. */
static int64_t set_from(struct sched *s, const struct cluster *c, const struct shape *sh)
{
    const struct job *leader = cluster_job(c, sh->het);
    struct pick pick = { 0 };
    int64_t from = leader && set_possible(s, c, leader) ? backfill_when(s, c, &sh->need, &pick) : 0;
    vec_clear(&pick.at);
    for (uint32_t i = 1; from && i < leader->het_size; i++) {
        const struct job *p = het_part(c, leader, i);
        int64_t at = p ? part_when(s, c, p) : 0;
        from = at ? MAX(from, at) : 0;
    }
    return from;
}

/* When something ends next, after `at_s`; 0: never. */
static int64_t moment_after(const struct sched *s, int64_t at_s)
{
    struct ends_pos pos = ends_from(&s->ends, at_s + 1);
    const struct end *e = ends_get(&s->ends, &pos);
    int64_t next = e ? e->at_s : 0;
    for (size_t i = 0; i < s->moments.n; i++)
        if (s->moments.at[i].at_s > at_s && (!next || s->moments.at[i].at_s < next))
            next = s->moments.at[i].at_s;
    for (size_t i = 0; i < s->planned && i < s->places.n; i++)
        for (size_t k = 0; k < s->places.at[i]->laid.n; k++) {
            int64_t to_s = s->places.at[i]->laid.at[k].use.to_s;
            if (to_s > at_s && (!next || to_s < next))
                next = to_s;
        }
    for (size_t i = 0; i < s->turns.n; i++)
        if (s->turns.at[i].at_s > at_s && (!next || s->turns.at[i].at_s < next))
            next = s->turns.at[i].at_s;
    return next;
}

int64_t het_when(struct sched *s, const struct cluster *c, const struct shape *sh, bool keep)
{
    struct set_try t;
    int64_t at = set_from(s, c, sh), last = s->now_s + (int64_t)s->conf.bf_window_min * 60;
    for (uint32_t tries = 0; at && at <= last && tries < MOMENTS_MAX; tries++, at = moment_after(s, at)) {
        if (!set_try(s, c, sh, at, &t))
            continue;
        if (!keep)
            set_forget(s, &t);
        for (uint32_t i = 0; i < t.n; i++)
            part_drop(&t.at[i]);
        bitmap_clear(&t.used);
        return at;
    }
    return 0;
}

/* ---- telling ---- */

const struct job *het_blocker(struct sched *s, const struct cluster *c, const struct job *j, struct buf *b)
{
    const struct job *leader = cluster_job(c, j->het_job);
    const struct seat *seat = order_seat(s, j->het_job);
    struct set_try t;
    if (!leader || !seat || !seat->nshapes)
        return j; /* it is held, or waits for something: so it says itself */
    buf_addf(b, "begins with all %u components of job %u", j->het_size, j->het_job);
    if (!set_possible(s, c, leader)) {
        buf_adds(b, ", which need more nodes than there are: no two of them share one");
        return NULL;
    }
    bool fits = set_try(s, c, seat->shape[0], s->now_s, &t);
    const struct job *failed = fits ? leader : t.failed;
    set_forget(s, &t);
    buf_adds(b, fits || !failed ? "; it is not their turn: " : "; ");
    if (failed && !fits)
        buf_addf(b, "component %u ", failed->het_offset);
    return failed ? failed : leader;
}

enum why_code het_barred(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code)
{
    const char *pos = j->partition;
    auto_free char *name = str_next(&pos, ",");
    const struct part *part = name ? cluster_part(c, name) : NULL;
    struct need need;
    if (!part)
        return code;
    need_init(&need, s, c, &j->spec->req, j, part);
    enum why_code barred = need_barred(s, c, &need);
    need_clear(&need);
    return barred != WHY_NONE ? barred : code;
}
