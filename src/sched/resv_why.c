/* resv_why - what those hear who wait because of a reservation, inside or outside of it. */
#include "base/str.h"
#include "sched/sched_priv.h"
#include "text/time.h"

#define NAMED_MAX 3 /* nodes named in a sentence */

static bool fits_unreserved(struct sched *s, const struct cluster *c, const struct need *n)
{
    struct pick p = { 0 };
    s->unreserved = true;
    bool fits = fits_free(s, c, n, &p);
    s->unreserved = false;
    vec_clear(&p.at);
    return fits;
}

/* Does it keep all nodes that there are for this need, as maintenance would? */
static bool keeps_all(const struct cluster *c, const struct need *n, const struct resv *r)
{
    return resv_has(r, RESV_ALL_NODES) ||
           (resv_has(r, RESV_PART_NODES) && str_eq(r->pb->partition, c->part.at[n->part]->pb->name));
}

/* Were nobody there, would the nodes that are not reserved do? */
static bool fits_beside(const struct sched *s, const struct cluster *c, const struct need *n)
{
    VEC(struct hold) holds = { 0 };
    struct pick p = { 0 };
    struct hold h;
    struct room r;
    bitmap_each(&n->allowed, i)
        if (i < s->nlanes && s->lane[i].usable && !(s->lane[i].blocks.n && resv_closed(s, n, (uint32_t)i)) &&
            fit_node(s, c, n, (uint32_t)i, room_empty(s, n, (uint32_t)i, &r), &h))
            vec_push(&holds, h);
    bool fits = pick_nodes(s, c, n, holds.at, holds.n, &p);
    vec_clear(&holds);
    vec_clear(&p.at);
    return fits;
}

/* Slurm's words for it depend on whose time it is: one that has begun just leaves fewer nodes. */
static enum why_code words(const struct sched *s, const struct cluster *c, const struct need *n)
{
    int64_t turn[2], to_s = s->now_s + need_run_s(n);
    bool later = !bitmap_none(&n->required), maint = false;
    bitmap_each(&n->allowed, i)
        for (size_t k = 0; i < s->nlanes && k < s->lane[i].blocks.n; k++) {
            const struct resv *r = s->lane[i].blocks.at[k].resv;
            if (!resv_hits(r->pb, s->now_s, s->now_s, to_s, turn))
                continue;
            if (keeps_all(c, n, r))
                return WHY_RESV_MAINT;
            later |= turn[0] > s->now_s;
            maint |= resv_has(r, RESV_MAINT);
        }
    if (!later && fits_beside(s, c, n))
        return WHY_NONE; /* it waits for those who are there */
    return later || maint ? WHY_NODE_RESERVED : WHY_NODES_RESERVED;
}

enum why_code resv_why(struct sched *s, const struct cluster *c, struct shape *sh)
{
    if (sh->resv_plan == s->plan)
        return sh->resv_why;
    sh->resv_plan = s->plan;
    sh->resv_why = WHY_NONE;
    if (sh->need.resv || sh->het || !fits_unreserved(s, c, &sh->need))
        return WHY_NONE;
    struct pick p = { 0 };
    bool fits = fits_free(s, c, &sh->need, &p); /* then places kept for others were in the way, and are no more */
    vec_clear(&p.at);
    if (!fits)
        sh->resv_why = words(s, c, &sh->need);
    return sh->resv_why;
}

/* Is nobody of the same reservation blocked before it? */
bool resv_first(const struct sched *s, const struct shape *sh, uint64_t rank)
{
    for (size_t i = 0; i < s->shapes.n; i++) {
        const struct shape *o = s->shapes.at[i];
        if (o->need.resv == sh->need.resv && o->state == SHAPE_BLOCKED && o->next < o->rank.n &&
            rank_before(o->tier, o->rank.at[o->next], sh->tier, rank))
            return false;
    }
    return true;
}

/* ---- in words ---- */

static const char *clock_text(char out[static TIME_TEXT], int64_t at_s, int64_t now_s)
{
    time_stamp(out, (time_t)at_s, "later");
    bool soon = at_s - now_s < 12 * 3600;
    return soon && strlen(out) == 19 ? (out[16] = '\0', out + 11) : out;
}

/* With a limit that ends before the reservation begins, would it start? */
static void hint_shorter(struct sched *s, const struct cluster *c, const struct need *n, int64_t until_s,
                         struct why_text *out)
{
    struct need m = *n;
    struct pick p = { 0 };
    char text[TIME_TEXT];
    m.limit_min = (uint32_t)((until_s - s->now_s) / 60);
    if (m.limit_min && fits_free(s, c, &m, &p))
        vec_push(&out->hints, mem_printf("would start now with --time=%s", time_limit_text(text, m.limit_min)));
    vec_clear(&p.at);
}

static void say_block(const struct sched *s, const struct cluster *c, const struct block *b, size_t node,
                      const int64_t turn[static 2], struct buf *out)
{
    char text[TIME_TEXT];
    bool begun = turn[0] <= s->now_s;
    buf_addf(out, "; %s%s is reserved by %s %s %s", b->whole ? "" : "part of ", c->node[node].name, b->resv->pb->name,
             begun ? "until" : "from", clock_text(text, turn[begun], s->now_s));
}

/* Nodes that are kept from it, and what would help. */
void resv_say(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out)
{
    int64_t turn[2], first = INT64_MAX, to_s = s->now_s + need_run_s(n);
    uint32_t said = 0;
    char text[TIME_TEXT];
    bitmap_each(&n->allowed, i)
        for (size_t k = 0; i < s->nlanes && k < s->lane[i].blocks.n; k++) {
            const struct block *bl = &s->lane[i].blocks.at[k];
            if (bl->resv == n->resv || !resv_hits(bl->resv->pb, s->now_s, s->now_s, to_s, turn))
                continue;
            if (said++ < NAMED_MAX)
                say_block(s, c, bl, i, turn, b);
            if (turn[0] > s->now_s)
                first = MIN(first, turn[0]);
        }
    if (first == INT64_MAX)
        return;
    buf_addf(b, "; its limit of %s would reach into that", time_limit_text(text, n->limit_min));
    hint_shorter(s, c, n, first, out);
}

void resv_say_own(const struct sched *s, const struct need *n, struct buf *b)
{
    int64_t from, to;
    char text[TIME_TEXT];
    const char *name = n->req->reservation;
    if (!n->resv) {
        buf_addf(b, "its reservation %s is not there", name);
        return;
    }
    resv_span(n->resv->pb, s->now_s, &from, &to);
    if (from > s->now_s)
        buf_addf(b, "its reservation %s begins at %s", name, clock_text(text, from, s->now_s));
    else
        buf_addf(b, "its reservation %s is over since %s", name, clock_text(text, to, s->now_s));
}
