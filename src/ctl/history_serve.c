/* history_serve - queries of the history; see history_serve.h. */
#include "ctl/history_serve.h"

#include "base/clock.h"
#include "base/errnum.h"

#define POLL_MS 50
#define UNREAD_MAX ((size_t)1 << 20) /* bytes that a client has not read: the next portion waits */

struct history_serve { /* one query */
    struct daemon *d;
    uint64_t session, number;
    struct history_call *call;
    bool paused; /* the client reads slowly */
};

/* ---- the list ---- */

static void serve_forget(struct history_serve *s)
{
    struct daemon *d = s->d;
    for (size_t i = 0; i < d->queries.n; i++)
        if (d->queries.at[i] == s)
            vec_remove(&d->queries, i);
    free(s);
    if (!d->queries.n && uv_is_active((uv_handle_t *)&d->query_timer))
        uv_timer_stop(&d->query_timer);
}

static void serve_cancel(struct history_serve *s)
{
    history_cancel(s->call);
    serve_forget(s);
}

static void serve_poll(uv_timer_t *t)
{
    struct daemon *d = t->data;
    for (size_t i = d->queries.n; i-- > 0;) {
        struct history_serve *s = d->queries.at[i];
        struct link *c = sessions_link(&d->sessions, s->session);
        if (!c) {
            serve_cancel(s);
        } else if (s->paused && link_unread(c) < UNREAD_MAX / 2) {
            s->paused = false;
            history_go_on(s->call);
        }
    }
}

/* ---- answers ---- */

static void send_failure(struct daemon *d, uint64_t session, uint64_t number, int code, const char *text)
{
    struct link *c = sessions_link(&d->sessions, session);
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = code;
    f.text = (char *)text;
    if (c)
        link_send_pb(c, MSG_FAILURE, 0, number, &f.base);
}

static void send_end(struct daemon *d, uint64_t session, uint64_t number)
{
    struct link *c = sessions_link(&d->sessions, session);
    Pb__HistoryRows end = PB__HISTORY_ROWS__INIT;
    end.now_s = clock_cluster_ms() / 1000;
    if (c)
        link_send_pb(c, MSG_HISTORY_REPLY, 0, number, &end.base);
}

static void send_portion(struct history_serve *s, const struct buf *rows)
{
    struct link *c = sessions_link(&s->d->sessions, s->session);
    if (!c) {
        serve_cancel(s);
        return;
    }
    link_send(c, MSG_HISTORY_REPLY, FRAME_MORE, s->number, rows->s, rows->len);
    sessions_sent(&s->d->sessions, s->session, rows->len, false);
    s->paused = link_unread(c) >= UNREAD_MAX;
    if (!s->paused)
        history_go_on(s->call);
}

static void on_answer(void *arg, struct buf *rows, bool last, int rc, const struct err *err)
{
    struct history_serve *s = arg;
    if (!last) {
        send_portion(s, rows);
        return;
    }
    if (rc)
        send_failure(s->d, s->session, s->number, rc, err->text);
    else
        send_end(s->d, s->session, s->number);
    serve_forget(s);
}

void history_serve_query(struct daemon *d, const struct session_request *r, const struct ctl_peer *peer)
{
    Pb__HistoryQuery *q = pb__history_query__unpack(NULL, r->len, (uint8_t *)r->body);
    if (!q) {
        send_failure(d, r->session, r->number, EBADMSG, "a HISTORY message that does not parse");
        return;
    }
    if (!d->history) {
        pb__history_query__free_unpacked(q, NULL);
        send_failure(d, r->session, r->number, ESLURM_DISABLED, "Slurm accounting storage is disabled");
        return;
    }
    ctl_history_restrict(d->ctl, peer, q);
    struct history_serve *s = NEW(struct history_serve);
    *s = (struct history_serve){ .d = d, .session = r->session, .number = r->number };
    s->call = history_ask(d->history, q, peer->uid, on_answer, s);
    if (!s->call) {
        send_failure(d, r->session, r->number, EAGAIN, "too many queries of the history wait");
        free(s);
        return;
    }
    vec_push(&d->queries, s);
    if (!uv_is_active((uv_handle_t *)&d->query_timer))
        uv_timer_start(&d->query_timer, serve_poll, POLL_MS, POLL_MS);
}

void history_serve_close(struct daemon *d)
{
    while (d->queries.n)
        serve_cancel(d->queries.at[d->queries.n - 1]);
    vec_clear(&d->queries);
}
