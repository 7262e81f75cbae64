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
#define SLICE_US 8000 /* of one turn, for all replies together */

struct reader {
    uint64_t session, number;
};

struct asker { /* a user whose queries wait */
    uint32_t uid;
    int64_t used_us; /* by replies since queries began to wait */
};

struct question {
    enum msg_type type, reply;
    bool packs;       /* the client can decompress */
    uint64_t only;    /* 1 + the user whose jobs alone are shown: PrivateData; 0: all */
    unsigned flags;
    uint32_t uid;     /* the first client's */
    struct buf asked; /* the request's own bytes */
    query_make_fn *make;
    VEC(struct reader) readers;

    bool begun, made;   /* the answer: its first slice, its last one */
    ProtobufCMessage *m; /* while it is made */
    struct query_making making;
    struct pages pages;
    bool packed;
    size_t npacked; /* pages */
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
    bool again;                /* a reply is not complete */
    struct map askers;         /* uid + 1 -> struct asker, while queries wait */
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
static void page_pack(struct pages *p, struct page *page)
{
    struct buf small = BUF_INIT;
    if (frame_pack(page->shared->s, page->shared->len, &small)) {
        p->bytes -= page->shared->len;
        shared_buf_unref(page->shared);
        page->shared = shared_buf_new(&small);
        page->flags |= FRAME_PACKED;
        p->bytes += page->shared->len;
    }
    buf_clear(&small);
}

/* ---- questions ---- */

static uint64_t query_stamp(const struct ctl *t)
{
    return t->c->events + t->query_cache->stirred;
}

static bool query_holds(const struct ctl *t, const struct question *q)
{
    return q->made && !(q->flags & QUERY_ONCE) && q->stamp == query_stamp(t) && q->made_s == NOW_S(t);
}

static void question_drop_work(struct question *q)
{
    if (q->making.work)
        q->making.work_free(q->making.work);
    q->making.work = NULL;
    if (q->m)
        protobuf_c_message_free_unpacked(take(q->m), NULL);
}

static void question_free(struct question *q)
{
    question_drop_work(q);
    buf_clear(&q->asked);
    vec_clear(&q->readers);
    pages_clear(&q->pages);
    free(q);
}

/* A reply that is under way does not tell of what happened before this query: the query asks for another one. */
static bool query_same(const struct question *q, const struct frame *f, bool packs, uint64_t only)
{
    bool under_way = q->begun && q->readers.n;
    return !under_way && q->type == f->type && q->packs == packs && q->only == only && q->asked.len == f->len &&
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

bool query_cache_again(const struct ctl *t)
{
    return t->query_cache->again;
}

void query_cache_ask(const struct ctl_call *call, enum msg_type reply, query_make_fn *make, unsigned flags)
{
    if (!call->session)
        return;
    bool of_jobs = call->f->type == MSG_JOBS || call->f->type == MSG_PRIO;
    bool hidden = of_jobs && (privacy_hidden(call->t, call->peer) & PRIVATE_JOBS);
    uint64_t only = hidden ? (uint64_t)call->peer->uid + 1 : 0;
    struct question *q = query_find(call->t, call->f, call->f->flags & FRAME_PACKS, only);
    q->reply = reply;
    q->make = make;
    q->flags = flags;
    if (!q->readers.n)
        q->uid = call->peer->uid;
    vec_push(&q->readers, ((struct reader){ call->session, call->number }));
}

/* ---- answers ---- */

static void query_begin(struct ctl *t, struct question *q)
{
    q->m = protobuf_c_message_unpack(msg_descriptor(q->type), NULL, q->asked.len, (uint8_t *)q->asked.s);
    if (q->only)
        privacy_restrict((Pb__JobQuery *)q->m, (uint32_t)(q->only - 1));
    pages_clear(&q->pages);
    q->begun = true;
    q->made = q->packed = false;
    q->npacked = q->told = 0;
    q->stamp = query_stamp(t);
    q->made_s = NOW_S(t);
    q->making = (struct query_making){ .question = q->m, .out = &q->pages };
}

static bool wants_packing(const struct question *q)
{
    return !q->packed && q->packs && q->told + q->readers.n >= COMPANY && q->pages.bytes >= PACK_MIN;
}

static bool query_pack(struct ctl *t, struct question *q, int64_t until_us)
{
    while (q->npacked < q->pages.v.n) {
        if (stat_clock(t) >= until_us)
            return false;
        page_pack(&q->pages, &q->pages.v.at[q->npacked++]);
    }
    return q->packed = true;
}

static void query_tell(struct ctl *t, struct question *q)
{
    q->told += q->readers.n;
    for (size_t i = 0; i < q->readers.n; i++)
        pages_say(t, q->readers.at[i].session, q->readers.at[i].number, q->reply, &q->pages);
    q->readers.n = 0;
    q->begun = false;
}

/* A slice of the reply.  True: it is complete, and its readers have got it. */
static bool query_go_on(struct ctl *t, struct question *q, int64_t until_us)
{
    if (!q->begun && query_holds(t, q))
        q->begun = true; /* it is only to be compressed */
    else if (!q->begun)
        query_begin(t, q);
    q->making.until_us = until_us;
    if (!q->made) {
        if (!q->make(t, &q->making))
            return false;
        q->made = true;
        question_drop_work(q);
    }
    if (wants_packing(q) && !query_pack(t, q, until_us))
        return false;
    query_tell(t, q);
    return true;
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
        if (q->readers.n && !q->begun && query_holds(t, q) && !wants_packing(q))
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

static struct asker *query_asker(struct query_cache *c, uint32_t uid)
{
    struct asker *a = map_get(&c->askers, (uint64_t)uid + 1);
    if (!a) {
        a = NEW(struct asker);
        a->uid = uid;
        map_put(&c->askers, (uint64_t)uid + 1, a);
    }
    return a;
}

static void forget_askers(struct query_cache *c)
{
    size_t pos = 0;
    for (struct asker *a; (a = map_next(&c->askers, &pos, NULL));)
        free(a);
    map_clear(&c->askers);
}

/* The next query to answer: of the user that has had the least; NULL: none waits. */
static struct question *query_choose(struct query_cache *c)
{
    struct question *best = NULL;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < c->at.n && least; i++) {
        struct question *q = c->at.at[i];
        int64_t used = q->readers.n ? query_asker(c, q->uid)->used_us : INT64_MAX;
        if (used < least) {
            best = q;
            least = used;
        }
    }
    return best;
}

static void answer_all(struct ctl *t, int64_t from_us)
{
    struct query_cache *c = t->query_cache;
    int64_t until_us = from_us + SLICE_US, before = from_us;
    bool goes_on = c->again;
    c->by_user = query_questions(c) >= MANY ? by_user_new() : NULL;
    struct question *q;
    while ((q = query_choose(c)) && (before < until_us || !t->clock_us)) {
        bool complete = query_go_on(t, q, t->clock_us ? until_us : INT64_MAX);
        int64_t now_us = stat_clock(t);
        query_asker(c, q->uid)->used_us += now_us - before;
        stat_rpc_took(t, q->type, now_us - before);
        before = now_us;
        if (!complete)
            break;
    }
    by_user_free(take(c->by_user));
    c->again = query_choose(c) != NULL;
    if (!c->again)
        forget_askers(c);
    c->made_us = stat_clock(t);
    c->took_us = c->made_us - from_us + (goes_on ? c->took_us : 0);
    c->stamp = query_stamp(t);
}

void query_cache_answer(struct ctl *t)
{
    if (!t->query_cache->at.n)
        return;
    if (somebody_waits(t)) {
        int64_t now_us = stat_clock(t), left = left_us(t, now_us);
        if (left > 0 && !t->query_cache->again)
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
    forget_askers(t->query_cache);
    vec_clear(&t->query_cache->at);
    free(take(t->query_cache));
}
