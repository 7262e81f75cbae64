/* resv_why - why a job waits because of a reservation, inside or outside of it. */
#include "base/str.h"
#include "sched/fit.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/why.h"
#include "text/time.h"

#define NAMED_MAX 3 /* nodes named in a sentence */

static bool fits_unreserved(struct sched *s, const struct cluster *c, const struct need *n)
{
    struct pick p = { 0 };
    struct sched_view v = view_now(s);
    v.unreserved = true;
    bool fits = fits_free(&v, c, n, &p);
    vec_clear(&p.at);
    return fits;
}

/* Does the reservation keep all nodes that the need could use, as for maintenance? */
static bool resv_keeps_all_nodes(const struct cluster *c, const struct need *n, const struct resv *r)
{
    return resv_has(r, RESV_ALL_NODES) ||
           (resv_has(r, RESV_PART_NODES) && str_eq(r->pb->partition, c->part.at[n->part]->pb->name));
}

/* Would the nodes that are not reserved be sufficient if they were empty? */
static bool fits_outside_resv(const struct sched *s, const struct cluster *c, const struct need *n)
{
    VEC(struct node_fit) holds = { 0 };
    struct pick p = { 0 };
    struct node_fit nf;
    struct avail av;
    bitmap_each (&n->allowed, i)
        if (i < s->nprofiles && s->profile[i].usable && !(s->profile[i].claims.n && resv_closed(s, n, (uint32_t)i)) &&
            fit_node(s, c, n, (uint32_t)i, avail_empty(s, n, (uint32_t)i, &av), &nf))
            vec_push(&holds, nf);
    bool fits = pick_nodes(s, c, n, s->now_s, holds.at, holds.n, &p);
    vec_clear(&holds);
    vec_clear(&p.at);
    return fits;
}

/* The reason that Slurm gives depends on the time of the reservation: one that has begun just leaves fewer nodes. */
static enum why_code resv_why_code(const struct sched *s, const struct cluster *c, const struct need *n)
{
    int64_t period[2], to_s = s->now_s + need_run_s(n);
    bool later = !bitmap_none(&n->required), maint = false;
    bitmap_each (&n->allowed, i)
        for (size_t k = 0; i < s->nprofiles && k < s->profile[i].claims.n; k++) {
            const struct resv *r = s->profile[i].claims.at[k].resv;
            if (!resv_hits(r->pb, s->now_s, s->now_s, to_s, period))
                continue;
            if (resv_keeps_all_nodes(c, n, r))
                return WHY_RESV_MAINT;
            later |= period[0] > s->now_s;
            maint |= resv_has(r, RESV_MAINT);
        }
    if (!later && fits_outside_resv(s, c, n))
        return WHY_NONE; /* the job waits for running jobs */
    return later || maint ? WHY_NODE_RESERVED : WHY_NODES_RESERVED;
}

enum why_code resv_why(struct sched *s, const struct cluster *c, struct job_class *cls)
{
    if (cls->resv_cycle == s->cycle)
        return cls->resv_why;
    cls->resv_cycle = s->cycle;
    cls->resv_why = WHY_NONE;
    if (cls->need.resv || cls->het || !fits_unreserved(s, c, &cls->need))
        return WHY_NONE;
    struct pick p = { 0 };
    bool fits = fits_now(s, c, &cls->need,
                         &p); /* then planned starts of other jobs prevented the start, and do not any more */
    vec_clear(&p.at);
    if (!fits)
        cls->resv_why = resv_why_code(s, c, &cls->need);
    return cls->resv_why;
}

bool resv_first(const struct sched *s, const struct job_class *cls, uint64_t key)
{
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *o = s->classes.at[i];
        if (o->need.resv == cls->need.resv && o->state == CLASS_BLOCKED && o->next < o->keys.n &&
            queue_before(o->tier, o->keys.at[o->next], cls->tier, key))
            return false;
    }
    return true;
}

/* ---- explanation ---- */

/* Would the job start with a limit that ends before the reservation begins? */
static void hint_shorter_limit(struct sched *s, const struct cluster *c, const struct need *n, int64_t until_s,
                               struct why_text *out)
{
    struct need m = *n;
    struct pick p = { 0 };
    char text[TIME_TEXT];
    m.limit_min = (uint32_t)((until_s - s->now_s) / 60);
    if (m.limit_min && fits_now(s, c, &m, &p))
        vec_push(&out->hints, mem_printf("would start now with --time=%s", time_limit_text(text, m.limit_min)));
    vec_clear(&p.at);
}

static void explain_claim(const struct sched *s, const struct cluster *c, const struct resv_claim *b, size_t node,
                          const int64_t period[static 2], struct buf *out)
{
    char text[TIME_TEXT];
    bool begun = period[0] <= s->now_s;
    buf_addf(out, "; %s%s is reserved by %s %s %s", b->whole ? "" : "part of ", c->node[node].name, b->resv->pb->name,
             begun ? "until" : "from", explain_clock(text, period[begun], s->now_s));
}

/* Name the reserved nodes, and what would help. */
void resv_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out)
{
    int64_t period[2], first = INT64_MAX, to_s = s->now_s + need_run_s(n);
    uint32_t said = 0;
    char text[TIME_TEXT];
    bitmap_each (&n->allowed, i)
        for (size_t k = 0; i < s->nprofiles && k < s->profile[i].claims.n; k++) {
            const struct resv_claim *bl = &s->profile[i].claims.at[k];
            if (bl->resv == n->resv || !resv_hits(bl->resv->pb, s->now_s, s->now_s, to_s, period))
                continue;
            if (said++ < NAMED_MAX)
                explain_claim(s, c, bl, i, period, b);
            if (period[0] > s->now_s)
                first = MIN(first, period[0]);
        }
    if (first == INT64_MAX)
        return;
    buf_addf(b, "; its time limit of %s would overlap that", time_limit_text(text, n->limit_min));
    hint_shorter_limit(s, c, n, first, out);
}

void resv_explain_own(const struct sched *s, const struct need *n, struct buf *b)
{
    int64_t from, to;
    char text[TIME_TEXT];
    const char *name = n->req->reservation;
    if (!n->resv) {
        buf_addf(b, "its reservation %s does not exist", name);
        return;
    }
    resv_span(n->resv->pb, s->now_s, &from, &to);
    if (from > s->now_s)
        buf_addf(b, "its reservation %s begins at %s", name, explain_clock(text, from, s->now_s));
    else
        buf_addf(b, "its reservation %s has been over since %s", name, explain_clock(text, to, s->now_s));
}
