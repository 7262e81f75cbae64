/* query_cache - identical queries in one turn share one reply; see query_cache.h. */
#include "ctl/query_cache.h"

#include "ctl/by_user.h"
#include "ctl/privacy.h"
#include "ctl/stat.h"

#define SHARE 19              /* an answer that took a millisecond: the next one is made so many later ... */
#define WAIT_MAX_US 100000    /* ... or after this, or after ... */
#define EVENT_US 1000         /* ... this for each thing that happened, whichever comes first */
#define COMPANY 4u            /* so many get an answer packed */
#define MANY 8u               /* so many different questions at once: jobs are sorted by user first */
#define PACK_MIN 8192u        /* shorter ones are not worth it */
#define KEEP_BYTES (4u << 20) /* longer replies are made anew for the next query */
#define KEEP_QUESTIONS 64u

struct reader {
    uint64_t session, number;
};

struct question {
    enum msg_type type, reply;
    bool packs;       /* the client can decompress */
    uint64_t only;    /* 1 + the user whose jobs alone are shown: PrivateData; 0: all */
    struct buf asked; /* the request's own bytes */
    query_make_fn *make;
    VEC(struct reader) readers;

    struct pages pages; /* the answer; none: it is still to be made */
    bool packed;
    size_t told;    /* how many have got it */
    uint64_t stamp; /* what had happened when it was made, and when that was */
    int64_t made_s;
};

struct query_cache {
    VEC(struct question *) at; /* queries that clients wait for, and replies that are still valid */
    int64_t made_us, took_us;  /* when answers were made last, and how long that took */
    uint64_t stamp;            /* what had happened by then */
    int64_t timer_ms;          /* a timer is set for then */
    uint64_t stirred;          /* grows when what is shown changes without an event */
    struct by_user *by_user;   /* while many queries are answered at once; else NULL */
};

/* ---- pages ---- */

void pages_add(struct pages *p, struct buf *body, bool more)
{
    p->bytes += body->len;
    vec_push(&p->v, ((struct page){ shared_buf_new(body), more ? FRAME_MORE : 0 }));
}

void pages_say(struct ctl *t, uint64_t session, uint64_t number, enum msg_type reply, const struct pages *p)
{
    for (size_t i = 0; i < p->v.n; i++)
        ctl_say_shared(t, session, reply, p->v.at[i].flags, number, p->v.at[i].shared);
}

void pages_clear(struct pages *p)
{
    for (size_t i = 0; i < p->v.n; i++)
        shared_buf_unref(p->v.at[i].shared);
    vec_clear(&p->v);
    p->bytes = 0;
}

/* Each frame on its own: a client that decompresses one has it in the processor's cache while it reads it. */
static void pages_pack(struct pages *p)
{
    p->bytes = 0;
    for (size_t i = 0; i < p->v.n; i++) {
        struct page *page = &p->v.at[i];
        struct buf small = BUF_INIT;
        if (frame_pack(page->shared->s, page->shared->len, &small)) {
            shared_buf_unref(page->shared);
            page->shared = shared_buf_new(&small);
            page->flags |= FRAME_PACKED;
        }
        buf_clear(&small);
        p->bytes += page->shared->len;
    }
}

/* ---- questions ---- */

static uint64_t query_stamp(const struct ctl *t)
{
    return t->c->events + t->query_cache->stirred;
}

static bool query_holds(const struct ctl *t, const struct question *q)
{
    return q->pages.v.n && q->stamp == query_stamp(t) && q->made_s == NOW_S(t);
}

static void question_free(struct question *q)
{
    buf_clear(&q->asked);
    vec_clear(&q->readers);
    pages_clear(&q->pages);
    free(q);
}

static bool query_same(const struct question *q, const struct frame *f, bool packs, uint64_t only)
{
    return q->type == f->type && q->packs == packs && q->only == only && q->asked.len == f->len &&
           (!f->len || !memcmp(q->asked.s, f->body, f->len));
}

static struct question *query_find(struct ctl *t, const struct frame *f, bool packs, uint64_t only)
{
    for (size_t i = 0; i < t->query_cache->at.n; i++)
        if (query_same(t->query_cache->at.at[i], f, packs, only))
            return t->query_cache->at.at[i];
    struct question *q = NEW(struct question);
    q->type = f->type;
    q->packs = packs;
    q->only = only;
    buf_add(&q->asked, f->body, f->len);
    vec_push(&t->query_cache->at, q);
    return q;
}

void query_cache_open(struct ctl *t)
{
    t->query_cache = NEW(struct query_cache);
}

void query_cache_stir(struct ctl *t)
{
    t->query_cache->stirred++;
}

struct by_user *query_cache_by_user(const struct ctl *t)
{
    return t->query_cache->by_user;
}

/* The turn itself is what the waiting queries need. */
void query_cache_timer(struct ctl *t, const struct timer_entry *e) {}

void query_cache_ask(const struct ctl_call *call, enum msg_type reply, query_make_fn *make)
{
    if (!call->session)
        return;
    bool hidden = call->f->type == MSG_JOBS && (privacy_hidden(call->t, call->peer) & PRIVATE_JOBS);
    uint64_t only = hidden ? (uint64_t)call->peer->uid + 1 : 0;
    struct question *q = query_find(call->t, call->f, call->f->flags & FRAME_PACKS, only);
    q->reply = reply;
    q->make = make;
    vec_push(&q->readers, ((struct reader){ call->session, call->number }));
}

/* ---- answers ---- */

static void query_make(struct ctl *t, struct question *q)
{
    ProtobufCMessage *m = protobuf_c_message_unpack(msg_descriptor(q->type), NULL, q->asked.len, (uint8_t *)q->asked.s);
    if (q->only)
        privacy_restrict((Pb__JobQuery *)m, (uint32_t)(q->only - 1));
    pages_clear(&q->pages);
    q->packed = false;
    q->told = 0;
    q->make(t, m, &q->pages);
    q->stamp = query_stamp(t);
    q->made_s = NOW_S(t);
    protobuf_c_message_free_unpacked(m, NULL);
}

static void query_tell(struct ctl *t, struct question *q)
{
    q->told += q->readers.n;
    if (!q->packed && q->packs && q->told >= COMPANY && q->pages.bytes >= PACK_MIN) {
        pages_pack(&q->pages);
        q->packed = true;
    }
    for (size_t i = 0; i < q->readers.n; i++)
        pages_say(t, q->readers.at[i].session, q->readers.at[i].number, q->reply, &q->pages);
    q->readers.n = 0;
}

/* Drop queries that no client waits for and whose reply is no longer valid, or too long to be kept. */
static void query_forget(struct ctl *t)
{
    struct query_cache *c = t->query_cache;
    size_t n = 0;
    for (size_t i = 0; i < c->at.n; i++) {
        struct question *q = c->at.at[i];
        bool kept = query_holds(t, q) && q->pages.bytes <= KEEP_BYTES && n < KEEP_QUESTIONS;
        if (q->readers.n || kept)
            c->at.at[n++] = q;
        else
            question_free(q);
    }
    c->at.n = n;
}

/* Send replies that are still valid at once.  Does a client still wait? */
static bool somebody_waits(struct ctl *t)
{
    bool waits = false;
    for (size_t i = 0; i < t->query_cache->at.n; i++) {
        struct question *q = t->query_cache->at.at[i];
        if (q->readers.n && query_holds(t, q))
            query_tell(t, q);
        waits |= q->readers.n > 0;
    }
    return waits;
}

/* How long waiting clients have to wait: not at all while the controller has nothing else to do. */
static int64_t left_us(const struct ctl *t, int64_t now_us)
{
    const struct query_cache *c = t->query_cache;
    int64_t happened = (int64_t)MIN(query_stamp(t) - c->stamp, (uint64_t)WAIT_MAX_US / EVENT_US);
    return c->made_us + MIN(MIN(c->took_us * SHARE, WAIT_MAX_US), happened * EVENT_US) - now_us;
}

static void query_remind(struct ctl *t, int64_t us)
{
    if (t->query_cache->timer_ms > t->now_ms)
        return;
    t->query_cache->timer_ms = t->now_ms + (us + 999) / 1000;
    timer_add(&t->timers, t->query_cache->timer_ms, TIMER_QUERY_CACHE, 0, 0);
}

static size_t query_questions(const struct query_cache *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->at.n; i++)
        n += c->at.at[i]->readers.n > 0;
    return n;
}

static void answer_all(struct ctl *t, int64_t from_us)
{
    t->query_cache->by_user = query_questions(t->query_cache) >= MANY ? by_user_new() : NULL;
    for (size_t i = 0; i < t->query_cache->at.n; i++) {
        struct question *q = t->query_cache->at.at[i];
        if (!q->readers.n)
            continue;
        int64_t before = stat_clock(t);
        query_make(t, q);
        query_tell(t, q);
        stat_rpc_took(t, q->type, stat_clock(t) - before);
    }
    by_user_free(take(t->query_cache->by_user));
    t->query_cache->made_us = stat_clock(t);
    t->query_cache->took_us = t->query_cache->made_us - from_us;
    t->query_cache->stamp = query_stamp(t);
}

void query_cache_answer(struct ctl *t)
{
    if (!t->query_cache->at.n)
        return;
    if (somebody_waits(t)) {
        int64_t now_us = stat_clock(t), left = left_us(t, now_us);
        if (left > 0)
            query_remind(t, left);
        else
            answer_all(t, now_us);
    }
    query_forget(t);
}

void query_cache_close(struct ctl *t)
{
    for (size_t i = 0; i < t->query_cache->at.n; i++)
        question_free(t->query_cache->at.at[i]);
    vec_clear(&t->query_cache->at);
    free(take(t->query_cache));
}
