/*
 * explain - why a job waits, in a sentence with names and numbers, and what would help.
 *
 * One job at a time, by the same code that decides: what the sentence says of nodes is what fit and backfill find now.
 */
#include "base/str.h"
#include "core/het.h"
#include "sched/feature.h"
#include "sched/fit.h"
#include "sched/gres_bind.h"
#include "sched/het.h"
#include "sched/license.h"
#include "sched/limit.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"
#include "sched/why.h"
#include "text/time.h"

void why_text_clear(struct why_text *t)
{
    free(t->sentence);
    for (size_t i = 0; i < t->hints.n; i++)
        free(t->hints.at[i]);
    vec_clear(&t->hints);
    *t = (struct why_text){ 0 };
}

const char *explain_clock(char out[static TIME_TEXT], int64_t at_s, int64_t now_s)
{
    time_stamp(out, (time_t)at_s, "later");
    bool soon = at_s - now_s < 12 * 3600;
    return soon && strlen(out) == 19 ? (out[16] = '\0', out + 11) : out;
}

/* ---- reasons other than nodes ---- */

static void explain_depend(const struct job *j, struct buf *b)
{
    buf_adds(b, "waits for");
    const char *sep = " job ";
    for (uint32_t i = 0; i < j->depend.n; i++)
        if (j->depend.at[i].state != PB__DEPEND_STATE__DEPEND_FULFILLED) {
            buf_addf(b, "%s%u%s", sep, j->depend.at[i].job,
                     j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FAILED ? " (which can no longer happen)" : "");
            sep = ", ";
        }
}

static void explain_part(const struct cluster *c, const struct job *j, enum why_code code, struct buf *b)
{
    const struct part *p = cluster_part(c, j->partition);
    char limit[TIME_TEXT], most[TIME_TEXT];
    if (code == WHY_PART_TIME_LIMIT && p)
        buf_addf(b, "asks for %s, but partition %s allows %s", time_limit_text(limit, j->time_limit_min), j->partition,
                 time_limit_text(most, p->pb->max_time_min));
    else if (code == WHY_PART_NODE_LIMIT && p)
        buf_addf(b, "asks for %u nodes, but partition %s allows %u to %u", j->spec->req.min_nodes, j->partition,
                 MAX(p->pb->min_nodes, 1u), p->pb->max_nodes);
    else if (code == WHY_PART_CONFIG)
        buf_addf(b, "asks for more than partition %s has", j->partition);
    else
        buf_addf(b, "partition %s does not start jobs now", j->partition);
}

static bool explain_simple(const struct cluster *c, const struct job *j, enum why_code code, int64_t now_s,
                           struct buf *b, struct why_text *out)
{
    char at[TIME_TEXT];
    switch (code) {
    case WHY_HELD_USER:
    case WHY_HELD_ADMIN:
        buf_addf(b, "is held by %s", code == WHY_HELD_USER ? "its user" : "an administrator");
        vec_push(&out->hints, mem_printf("scontrol release %u", j->id));
        return true;
    case WHY_DEPENDENCY:
    case WHY_DEPEND_NEVER: explain_depend(j, b); return true;
    case WHY_BEGIN_TIME: buf_addf(b, "may not start before %s", explain_clock(at, j->eligible_s, now_s)); return true;
    case WHY_DEADLINE:
        buf_addf(b, "cannot end before its deadline %s", explain_clock(at, j->spec->deadline_s, now_s));
        vec_push(&out->hints, mem_printf("a shorter --time"));
        return true;
    case WHY_ARRAY_LIMIT:
        buf_addf(b, "%u tasks of the array run, and its limit is %u", cluster_array(c, j->array_job)->running,
                 j->array->max_running);
        vec_push(&out->hints,
                 mem_printf("scontrol update jobid=%u ArrayTaskThrottle=%u", j->id, j->array->max_running * 2));
        return true;
    case WHY_PART_TIME_LIMIT:
    case WHY_PART_NODE_LIMIT:
    case WHY_PART_CONFIG:
    case WHY_PART_DOWN:
    case WHY_PART_INACTIVE: explain_part(c, j, code, b); return true;
    default: return false;
    }
}

/* ---- nodes ---- */

static void explain_amounts(const struct need *n, struct buf *b)
{
    const struct req *r = n->req;
    if (n->tasks && !n->per_node)
        buf_addf(b, "%u task%s", n->tasks, n->tasks == 1 ? "" : "s");
    if (n->tasks && !n->per_node && n->min_nodes > 1)
        buf_adds(b, " on ");
    if (!n->tasks || n->per_node || n->min_nodes > 1)
        buf_addf(b, "%u node%s", n->min_nodes, n->min_nodes == 1 ? "" : "s");
    const char *sep = " with ";
    uint64_t cpus = MAX((uint64_t)r->cpus_per_task * MAX(n->per_node, 1u), r->mincpus);
    if (n->exclusive) {
        buf_addf(b, "%sexclusive use", sep);
        sep = ", ";
    } else if (cpus > 1) {
        buf_addf(b, "%s%lu CPUs", sep, (unsigned long)cpus);
        sep = ", ";
    }
    for (uint32_t i = 0; i < r->ngres; i++) {
        static const char *const scope[] = { [REQ_PER_NODE] = "",
                                             [REQ_PER_JOB] = " in all",
                                             [REQ_PER_TASK] = " per task",
                                             [REQ_PER_SOCKET] = " per socket" };
        const struct req_gres *g = &r->gres[i];
        buf_addf(b, "%s%lu %s%s%s%s", sep, (unsigned long)g->count, g->name, g->type ? ":" : "", g->type ? g->type : "",
                 scope[g->scope]);
        sep = ", ";
    }
    if (n->gres_bind)
        buf_adds(b, ", on sockets with cores for it");
    if (n->mem_node_mb)
        buf_addf(b, "%s%lu MB", sep, (unsigned long)n->mem_node_mb);
    if (r->constraint)
        buf_addf(b, " and feature %s", r->constraint);
}

static uint32_t count_nodes_fit(const struct sched *s, const struct cluster *c, const struct need *n, bool when_empty)
{
    const struct sched_view v = view_now(s);
    uint32_t k = 0;
    struct node_fit nf;
    struct avail av;
    bitmap_each (&n->allowed, i)
        if (i < s->nprofiles && s->profile[i].usable) {
            const struct avail *has = when_empty ? avail_empty(s, n, (uint32_t)i, &av)
                                                 : avail_now(&v, n, (uint32_t)i, &av);
            const struct gres_bind_when then = { .at_s = s->now_s, .empty = when_empty };
            k += fit_node(s, c, n, (uint32_t)i, has, &nf) &&
                 (!n->gres_bind || gres_bind_fit(&v, c, n, (uint32_t)i, &then, has, &nf));
        }
    return k;
}

/* Nodes of the pick that are not free yet, and the jobs whose end frees them. */
static void explain_waited_for(const struct sched *s, const struct cluster *c, const struct need *n,
                               const struct pick *p, int64_t at_s, struct buf *b)
{
    const struct sched_view v = view_now(s);
    uint32_t said = 0;
    char text[TIME_TEXT];
    for (size_t i = 0; i < p->at.n && said < 3; i++) {
        const struct node_profile *prof = &s->profile[p->at.at[i].node];
        struct node_fit nf;
        struct avail av;
        if (fit_node(s, c, n, p->at.at[i].node, avail_now(&v, n, p->at.at[i].node, &av), &nf) &&
            nf.tasks >= p->at.at[i].tasks)
            continue;
        const struct span *last = NULL;
        for (size_t k = 0; k < prof->running.n; k++)
            if (prof->running.at[k].to_s <= at_s && (!last || prof->running.at[k].to_s > last->to_s))
                last = &prof->running.at[k];
        if (!last)
            continue;
        buf_addf(b, "; %s has room %s%s when job %u ends", c->node[p->at.at[i].node].name,
                 last->to_s > s->now_s ? "at " : "",
                 last->to_s > s->now_s ? explain_clock(text, last->to_s, s->now_s) : "", last->id);
        said++;
    }
}

static void explain_unavailable(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b)
{
    uint32_t said = 0;
    bitmap_each (&n->allowed, i) {
        if (i >= s->nprofiles || s->profile[i].usable || said++ >= 3)
            continue;
        buf_addf(b, "; %s is %s", c->node[i].name, node_state_name(node_shown_state(&c->node[i]), false));
        if (!str_empty(c->node[i].reason))
            buf_addf(b, " (%s)", c->node[i].reason);
    }
}

/* ---- hints ---- */

struct hint_option {
    const char *text; /* %u: the value that was tried */
    uint32_t (*from)(const struct need *n);
    void (*set)(struct need *n, struct req *r, uint32_t value);
};

static uint32_t from_nodes(const struct need *n)
{
    return n->min_nodes;
}
static void set_nodes(struct need *n, struct req *r, uint32_t v)
{
    n->min_nodes = n->target = v;
    n->max_nodes = v;
}
static uint32_t from_tasks(const struct need *n)
{
    return n->tasks;
}
static void set_tasks(struct need *n, struct req *r, uint32_t v)
{
    n->tasks = v;
    n->min_nodes = MIN(n->min_nodes, v);
    n->target = n->min_nodes;
}
static uint32_t from_cpus(const struct need *n)
{
    return n->req->cpus_per_task;
}
static void set_cpus(struct need *n, struct req *r, uint32_t v)
{
    r->cpus_per_task = v;
}
static uint32_t from_mem(const struct need *n)
{
    return (uint32_t)n->mem_node_mb;
}
static void set_mem(struct need *n, struct req *r, uint32_t v)
{
    n->mem_node_mb = v;
}
static uint32_t from_time(const struct need *n)
{
    return n->limit_min == INFINITE_MIN ? 1440 : n->limit_min;
}
static void set_time(struct need *n, struct req *r, uint32_t v)
{
    n->limit_min = v;
}
static uint32_t from_excl(const struct need *n)
{
    return n->req->exclusive ? 2 : 0;
}
static void set_excl(struct need *n, struct req *r, uint32_t v)
{
    n->exclusive = n->whole = r->exclusive = false;
}

static const struct hint_option hint_options[] = {
    { "would start now with --time=%u", from_time, set_time },
    { "would start now with --nodes=%u", from_nodes, set_nodes },
    { "would start now with --ntasks=%u", from_tasks, set_tasks },
    { "would start now with --cpus-per-task=%u", from_cpus, set_cpus },
    { "would start now with --mem=%uM", from_mem, set_mem },
    { "would start now without --exclusive", from_excl, set_excl },
};

/* Does a more precise hint name the same option already? */
static bool hint_given(const struct why_text *out, const struct hint_option *t)
{
    size_t len = strcspn(t->text, "%");
    for (size_t i = 0; i < out->hints.n; i++)
        if (!strncmp(out->hints.at[i], t->text, len))
            return true;
    return false;
}

/* Halve the value until the job would fit now; no hint when it never does. */
static void hint_try(struct sched *s, const struct cluster *c, const struct need *n, const struct hint_option *t,
                     struct why_text *out)
{
    struct pick p = { 0 };
    if (hint_given(out, t))
        return;
    for (uint32_t v = t->from(n) / 2; v >= 1; v /= 2) {
        struct req r = *n->req;
        struct need m = *n;
        m.req = &r;
        m.prefer = NULL;
        t->set(&m, &r, v);
        if (!fits_now(s, c, &m, &p))
            continue;
        auto_buf struct buf b = BUF_INIT;
        if (strstr(t->text, "%u")) {
            size_t at = (size_t)(strstr(t->text, "%u") - t->text);
            buf_add(&b, t->text, at);
            buf_addf(&b, "%u%s", v, t->text + at + 2);
        } else {
            buf_adds(&b, t->text);
        }
        vec_push(&out->hints, buf_take(&b));
        break;
    }
    vec_clear(&p.at);
}

static uint32_t jobs_ahead(const struct sched *s, const struct cluster *c, const struct job *j, uint32_t part)
{
    uint32_t ahead = 0;
    uint64_t key = policy_queue_key(s, c, j);
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *cls = s->classes.at[i];
        if (cls->need.part != part)
            continue;
        for (size_t k = cls->head; k < cls->keys.n && cls->keys.at[k] < key; k++)
            ahead++;
    }
    return ahead;
}

static void explain_resources(struct sched *s, const struct cluster *c, const struct job *j, struct need *n,
                              struct buf *b, struct why_text *out)
{
    struct pick p = { 0 };
    char text[TIME_TEXT];
    uint32_t free_now = count_nodes_fit(s, c, n, false), could = count_nodes_fit(s, c, n, true);
    out->ahead = jobs_ahead(s, c, j, n->part);
    out->planned_s = estimate_start(s, c, j, n, &p);
    buf_adds(b, "needs ");
    explain_amounts(n, b);
    if (could < n->min_nodes) {
        struct err err = ERR_INIT;
        if (n->req->constraint && feature_check(c, n->req->constraint, &err))
            buf_addf(b, "; %s", err.text);
        else
            buf_addf(b, "; only %u such node%s up", could, could == 1 ? " is" : "s are");
        explain_unavailable(s, c, n, b);
    } else {
        buf_addf(b, "; %u of %u such nodes %s room now", free_now, could, free_now == 1 ? "has" : "have");
        if (out->ahead)
            buf_addf(b, "; %u job%s before it", out->ahead, out->ahead == 1 ? " is" : "s are");
        explain_waited_for(s, c, n, &p, out->planned_s, b);
        if (s->oversub && (free_now < n->min_nodes || !bitmap_none(&n->required)))
            oversub_explain(s, c, n, b);
        if (s->nresv)
            resv_explain(s, c, n, b, out);
        if (n->topo && (free_now >= n->min_nodes || n->topo_exclusive))
            topo_explain(s, c, n, b, out);
    }
    if (out->planned_s > s->now_s)
        buf_addf(b, "; planned for %s", explain_clock(text, out->planned_s, s->now_s));
    for (size_t i = 0; i < ARRAY_LEN(hint_options); i++)
        hint_try(s, c, n, &hint_options[i], out);
    vec_clear(&p.at);
}

/* The reason as it is now, from the queue entry or from the checks that need no nodes. */
static enum why_code explain_code(struct sched *s, const struct cluster *c, const struct job *j, const struct need *n)
{
    struct queue_entry *entry = queue_find(s, j->id);
    if (entry && !entry->nclasses)
        return entry->why;
    bool limited = false;
    if (entry && j->array && !array_tasks_left(s, c, j, entry, &limited) && limited)
        return WHY_ARRAY_LIMIT;
    if (j->spec->deadline_s && s->now_s + need_least_run_s(n) > j->spec->deadline_s)
        return WHY_DEADLINE;
    enum why_code unschedulable = need_unschedulable(s, c, n);
    return unschedulable == WHY_NONE && license_lacks(s, c, n, s->now_s) ? WHY_LICENSES : unschedulable;
}

static void explain_licenses(struct sched *s, const struct cluster *c, const struct job *j, struct need *n,
                             struct buf *b, struct why_text *out)
{
    struct pick p = { 0 };
    char text[TIME_TEXT];
    license_explain(s, c, n, b);
    out->ahead = jobs_ahead(s, c, j, n->part);
    out->planned_s = estimate_start(s, c, j, n, &p);
    if (out->planned_s > s->now_s)
        buf_addf(b, "; planned for %s", explain_clock(text, out->planned_s, s->now_s));
    vec_clear(&p.at);
}

void sched_explain(struct sched *s, const struct cluster *c, const struct job *job, int64_t now_s, struct why_text *out)
{
    *out = (struct why_text){ 0 };
    auto_buf struct buf b = BUF_INIT;
    plan_begin(s, c, now_s);
    if (het_is(job) && job_pending(job) && !(job = het_blocker(s, c, job, &b))) {
        out->sentence = buf_take(&b);
        return;
    }
    const char *pos = job->partition;
    auto_free char *name = str_next(&pos, ",");
    const struct part *part = name ? cluster_part(c, name) : NULL;
    if (!job_pending(job) || !part) {
        out->sentence = part ? mem_str("does not wait") : mem_printf("its partition %s does not exist", job->partition);
        return;
    }
    struct need n;
    need_init(&n, s, c, &job->spec->req, job, part);
    enum why_code code = explain_code(s, c, job, &n);
    auto_free char *limit = job->why.code > WHY_LIMIT_FIRST ? limit_explain(c, job, part, now_s) : NULL;
    if (limit) {
        buf_adds(&b, limit);
    } else if (code == WHY_RESERVATION) {
        struct pick p = { 0 };
        resv_explain_own(s, &n, &b);
        out->planned_s = estimate_start(s, c, job, &n, &p);
        vec_clear(&p.at);
    } else if (code == WHY_NODE_NOT_AVAIL || code == WHY_NODE_RESERVED) {
        buf_addf(&b, "requires %s", str_or(job->spec->req.nodelist, "nodes that do not exist"));
        explain_unavailable(s, c, &n, &b);
    } else if (code == WHY_LICENSES) {
        explain_licenses(s, c, job, &n, &b, out);
    } else if (!explain_simple(c, job, code, now_s, &b, out)) {
        explain_resources(s, c, job, &n, &b, out);
    }
    out->sentence = buf_take(&b);
    need_clear(&n);
}
