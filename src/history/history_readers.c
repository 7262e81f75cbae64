/*
 * history_readers - the threads that answer queries of the history; see history.h.
 *
 * Each query has a thread and a connection of its own while it is worked on: READERS at a time, one of each user.
 */
#include <errno.h>
#include <stdlib.h>

#include "history/history_priv.h"
#include "history/history_query.h"

#define READERS 4
#define CALLS_MAX 1024   /* that wait or are worked on */
#define CALLS_OF_USER 16 /* of them, unless the user is root */
#define FRESH_MS 10000   /* a query waits so long for rows of entries that were committed before it came */

struct history_call {
    struct history *h;
    Pb__HistoryQuery *q;
    uint32_t uid;
    uint64_t index; /* the answer is to hold the rows up to this entry */
    history_answer_fn *answer;
    void *arg;
    uv_thread_t thread;
    bool begun, over;  /* the thread: runs, has ended */
    bool stop;         /* of the loop: no more is wanted */
    bool wants;        /* the loop wants the next portion */
    bool has_portion;
    struct buf portion;
    int rc;
    struct err err;
};

/* ---- the thread ---- */

/* Rows of entries that were committed before the query came are to be seen by it. */
static void reader_wait_fresh(struct history_call *c)
{
    struct history *h = c->h;
    uint64_t until = uv_hrtime() + (uint64_t)FRESH_MS * 1000000;
    uv_mutex_lock(&h->lock);
    while (h->stats.index < c->index && !*h->stats.trouble && !c->stop && uv_hrtime() < until) {
        h->wanted = true;
        uv_cond_signal(&h->wake);
        uv_cond_timedwait(&h->written, &h->lock, 100000000);
    }
    uv_mutex_unlock(&h->lock);
}

static bool on_portion(void *arg, struct buf *rows)
{
    struct history_call *c = arg;
    struct history *h = c->h;
    uv_mutex_lock(&h->lock);
    while (c->has_portion && !c->stop)
        uv_cond_wait(&h->go_on, &h->lock);
    bool go_on = !c->stop;
    if (go_on) {
        c->portion = *rows;
        *rows = (struct buf)BUF_INIT;
        c->has_portion = true;
        uv_async_send(&h->answer);
    }
    uv_mutex_unlock(&h->lock);
    buf_clear(rows);
    return go_on;
}

static void reader_run(void *arg)
{
    struct history_call *c = arg;
    reader_wait_fresh(c);
    int rc = history_query_run(c->h->path, c->q, on_portion, c, &c->stop, &c->err);
    uv_mutex_lock(&c->h->lock);
    c->rc = rc;
    c->over = true;
    uv_async_send(&c->h->answer);
    uv_mutex_unlock(&c->h->lock);
}

/* ---- the loop's side ---- */

static void call_free(struct history_call *c)
{
    pb__history_query__free_unpacked(c->q, NULL);
    buf_clear(&c->portion);
    free(c);
}

static bool may_begin(const struct history *h, const struct history_call *c)
{
    size_t running = 0;
    for (size_t i = 0; i < h->calls.n; i++) {
        const struct history_call *other = h->calls.at[i];
        if (other->begun && other->uid == c->uid)
            return false;
        running += other->begun;
    }
    return running < READERS;
}

static void begin_calls(struct history *h)
{
    for (size_t i = 0; i < h->calls.n; i++) {
        struct history_call *c = h->calls.at[i];
        if (!c->begun && !c->stop && may_begin(h, c))
            c->begun = !uv_thread_create(&c->thread, reader_run, c);
    }
}

static void stop_call(struct history_call *c)
{
    __atomic_store_n(&c->stop, true, __ATOMIC_RELAXED);
    uv_cond_broadcast(&c->h->go_on);
}

/* A call whose thread has ended, or never began, and whose answer was given. */
static void remove_call(struct history *h, size_t i)
{
    struct history_call *c = h->calls.at[i];
    vec_remove(&h->calls, i);
    if (c->begun)
        uv_thread_join(&c->thread);
    call_free(c);
}

struct said { /* to be told without the lock */
    history_answer_fn *answer;
    void *arg;
    struct buf rows;
    bool last;
    int rc;
    struct err err;
};

/* The next thing that a call has to say.  The lock is held. */
static bool take_said(struct history *h, struct said *out)
{
    for (size_t i = 0; i < h->calls.n; i++) {
        struct history_call *c = h->calls.at[i];
        bool ended = c->stop ? c->over || !c->begun : c->over && !c->has_portion;
        if (!ended && (c->stop || !c->has_portion || !c->wants))
            continue;
        *out = (struct said){ c->stop ? NULL : c->answer, c->arg, BUF_INIT, ended, c->rc, c->err };
        if (ended) {
            remove_call(h, i);
            return true;
        }
        out->rows = c->portion;
        c->portion = (struct buf)BUF_INIT;
        c->has_portion = c->wants = false;
        uv_cond_broadcast(&h->go_on);
        return true;
    }
    return false;
}

static void on_answer(uv_async_t *a)
{
    struct history *h = a->data;
    struct said s;
    uv_mutex_lock(&h->lock);
    while (take_said(h, &s)) {
        uv_mutex_unlock(&h->lock);
        if (s.answer)
            s.answer(s.arg, &s.rows, s.last, s.rc, &s.err);
        buf_clear(&s.rows);
        uv_mutex_lock(&h->lock);
    }
    begin_calls(h);
    uv_mutex_unlock(&h->lock);
}

/* One user does not fill the list of waiting calls.  The lock is held. */
static bool has_place(const struct history *h, uint32_t uid)
{
    size_t own = 0;
    for (size_t i = 0; i < h->calls.n; i++)
        own += h->calls.at[i]->uid == uid;
    return h->calls.n < CALLS_MAX && (!uid || own < CALLS_OF_USER);
}

struct history_call *history_ask(struct history *h, Pb__HistoryQuery *q, uint32_t uid, history_answer_fn *answer,
                                 void *arg)
{
    struct history_call *c = NULL;
    uv_mutex_lock(&h->lock);
    if (has_place(h, uid)) {
        c = NEW(struct history_call);
        *c = (struct history_call){ .h = h, .q = q, .uid = uid, .index = h->fed, .answer = answer, .arg = arg };
        c->wants = true;
        vec_push(&h->calls, c);
        begin_calls(h);
    }
    uv_mutex_unlock(&h->lock);
    if (!c)
        pb__history_query__free_unpacked(q, NULL);
    return c;
}

void history_go_on(struct history_call *c)
{
    struct history *h = c->h;
    uv_mutex_lock(&h->lock);
    c->wants = true;
    uv_async_send(&h->answer);
    uv_mutex_unlock(&h->lock);
}

void history_cancel(struct history_call *c)
{
    struct history *h = c->h;
    uv_mutex_lock(&h->lock);
    stop_call(c);
    uv_async_send(&h->answer);
    uv_mutex_unlock(&h->lock);
}

void history_readers_open(struct history *h, uv_loop_t *loop)
{
    uv_cond_init(&h->written);
    uv_cond_init(&h->go_on);
    uv_async_init(loop, &h->answer, on_answer);
    h->answer.data = h;
    uv_unref((uv_handle_t *)&h->answer);
}

void history_readers_close(struct history *h)
{
    uv_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->calls.n; i++)
        stop_call(h->calls.at[i]);
    uv_mutex_unlock(&h->lock);
    while (h->calls.n)
        remove_call(h, h->calls.n - 1);
    vec_clear(&h->calls);
    uv_cond_destroy(&h->written);
    uv_cond_destroy(&h->go_on);
}
