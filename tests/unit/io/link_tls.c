/* link_tls: both forms of a link over TLS: the same frames, the same refusals, and a stream for libraft. */
#include <pthread.h>

#include "base/clock.h"
#include "io/link.h"
#include "io/link_sock.h"
#include "io/link_wait.h"
#include "keyring.h"
#include "test.h"

static uv_loop_t loop;
static struct cred_key controller, node, stranger;
static uint16_t port;

struct seen {
    struct link *link;
    unsigned ready, closed, frames;
    struct link_peer peer;
    size_t bytes;
    struct err why;
    bool echo;
    struct link *to; /* where frames go; NULL: nowhere */
};

static void on_ready(struct link *l)
{
    struct seen *s = link_arg(l);
    s->link = l;
    s->ready++;
    s->peer = *link_peer(l);
}

static void on_frame(struct link *l, const struct frame *f)
{
    struct seen *s = link_arg(l);
    s->frames++;
    s->bytes += f->len;
    if (s->to)
        link_send(s->to, f->type, 0, f->number, f->body, f->len);
    if (s->echo)
        link_send(l, f->type, 0, f->number, f->body, f->len);
}

static void on_closed(struct link *l, const struct err *why)
{
    struct seen *s = link_arg(l);
    s->closed++;
    s->link = NULL;
    s->why = *why;
}

static const struct link_ops ops = { on_ready, on_frame, on_closed };
static struct seen at_server;

#define UNTIL(cond)                                                                                                    \
    ({                                                                                                                 \
        int64_t end_ = clock_mono_ms() + 60000;                                                                        \
        while (!(cond) && clock_mono_ms() < end_)                                                                      \
            uv_run(&loop, UV_RUN_ONCE);                                                                                \
        (cond);                                                                                                        \
    })

static void seen_clear(struct seen *s)
{
    if (s->link)
        link_close(s->link);
    UNTIL(!s->link);
    *s = (struct seen){ .echo = s->echo };
}

static struct link_listener *listen_with(const struct cred_key *key, const struct link_ops *with)
{
    unsigned uses = HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_PEER) | HELLO_USE(CRED_RELAY);
    struct link_listen_conf conf = { .loop = &loop, .key = key, .ops = with, .arg = &at_server, .uses = uses };
    struct link_listener *out = NULL;
    close(link_sock_listen_tcp(&port, NULL));
    if (link_listen_tcp(&out, &conf, "127.0.0.1", port, NULL))
        abort();
    return out;
}

/* ---- on the loop ---- */

static void test_frames(void)
{
    struct seen s = { 0 };
    struct link_claim claim = { .key = &node, .use = CRED_AGENT, .node = "n1" };
    auto_free char *body = mem_alloc(3 << 20);
    at_server.echo = true;
    s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_CONTROLLER, &claim, &ops, &s);
    size_t want = 0;
    for (size_t n = 0; n <= 3 << 20; n = n * 3 + 1) {
        link_send(s.link, MSG_STATUS, 0, n, body, n);
        want += n;
    }
    ok(UNTIL(s.bytes == want), "frames of all sizes go there and back: %zu bytes", s.bytes);
    ok(at_server.peer.use == CRED_AGENT && !strcmp(at_server.peer.node, "n1") && !at_server.peer.local,
       "from the node that its certificate names");
    seen_clear(&s);
    ok(UNTIL(at_server.closed), "closed on both sides");
    seen_clear(&at_server);
}

static void test_refusals(void)
{
    static const struct {
        const struct cred_key *key;
        const char *node, *to, *says;
        bool by_client;
        const char *what;
    } cases[] = {
        { &node, "n1", "n2", "not agent/n2", true, "a server in another role" },
        { &stranger, "n1", NULL, "CA", true, "a server of another CA" },
        { &node, "n2", NULL, "another node", false, "a node under another name" },
        { &controller, "n1", NULL, "may not sign", false, "a controller as a node" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct seen s = { 0 };
        struct link_claim claim = { .key = cases[i].key, .use = CRED_AGENT, .node = cases[i].node, .to = cases[i].to };
        s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_CONTROLLER, &claim, &ops, &s);
        ok(UNTIL(s.closed && at_server.closed), "refused: %s", cases[i].what);
        const char *why = cases[i].by_client ? s.why.text : at_server.why.text;
        ok(!at_server.ready && strstr(why, cases[i].says), "because %s", why);
        seen_clear(&s);
        seen_clear(&at_server);
    }
}

static void test_silent(void)
{
    struct sockaddr_storage to;
    socklen_t len = link_address_parse("127.0.0.1", port, &to);
    int fd = link_sock_connect((struct sockaddr *)&to, len, LINK_CONTROLLER, NULL);
    for (int i = 0; i < 20; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ok(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL) == 18 || errno == EAGAIN, "a stranger without TLS");
    ok(UNTIL(at_server.closed) && !at_server.ready, "is disconnected: %s", at_server.why.text);
    close(fd);
    seen_clear(&at_server);
}

/* More connections without an identity than there may be: the oldest goes, and a peer with one comes in. */
static void test_strangers(void)
{
    unsigned uses = HELLO_USE(CRED_AGENT);
    struct link_listen_conf conf = {
        .loop = &loop, .key = &controller, .ops = &ops, .arg = &at_server, .uses = uses, .strangers_max = 8
    };
    struct link_listener *door = NULL;
    struct link_claim claim = { .key = &node, .use = CRED_AGENT, .node = "n1" };
    struct seen s = { 0 };
    struct sockaddr_storage to;
    int fds[20];
    uint16_t other = 0;
    close(link_sock_listen_tcp(&other, NULL));
    if (link_listen_tcp(&door, &conf, "127.0.0.1", other, NULL))
        abort();
    socklen_t len = link_address_parse("127.0.0.1", other, &to);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = link_sock_connect((struct sockaddr *)&to, len, LINK_CONTROLLER, NULL);
    ok(UNTIL(at_server.closed == 12), "of 20 connections that say nothing 12 are closed: %u", at_server.closed);
    ok(strstr(at_server.why.text, "too many"), "because %s", at_server.why.text);
    s.link = link_connect_tcp(&loop, "127.0.0.1", other, LINK_CONTROLLER, &claim, &ops, &s);
    ok(UNTIL(at_server.ready == 1), "a node comes in");
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    seen_clear(&s);
    ok(UNTIL(at_server.closed == 21), "and all are gone in the end");
    link_listener_close(door);
    at_server = (struct seen){ 0 };
}

/* ---- links that carry requests of users ---- */

static void test_relay(void)
{
    static const struct {
        enum cred_use use;
        bool trusted;
        uint32_t uid;
        bool good;
        const char *what;
    } cases[] = {
        { CRED_RELAY, false, 1000, true, "a node names a user" },
        { CRED_RELAY, false, 0, true, "a node names its root" },
        { CRED_RELAY, true, 0, true, "a login host names root" },
        { CRED_AGENT, false, 1000, false, "a node's own connection carries no users" },
        { CRED_CLIENT, true, 1000, false, "nor does a command's" },
    };
    struct cred_key host = keyring_machine("ca", "login", "host/login");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct seen s = { 0 };
        struct err err = ERR_INIT;
        struct link_claim claim = { .key = cases[i].trusted ? &host : &node, .use = cases[i].use, .node = "n1" };
        s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_CONTROLLER, &claim, &ops, &s);
        ok(UNTIL(at_server.ready || at_server.closed) && at_server.ready, "%s: connected", cases[i].what);
        is_int(!link_act_for(at_server.link, cases[i].uid, 100, &err), cases[i].good, "%s %s", cases[i].what, err.text);
        const struct link_peer *p = link_peer(at_server.link);
        ok(!cases[i].good || (p->use == CRED_CLIENT && p->uid == cases[i].uid && p->gid == 100 &&
                              !p->via[0] == cases[i].trusted),
           "the peer is that user, by the word of that machine");
        if (cases[i].good)
            link_act_for_none(at_server.link);
        ok(link_peer(at_server.link)->use == cases[i].use, "then it is the machine again");
        seen_clear(&s);
        UNTIL(at_server.closed);
        seen_clear(&at_server);
    }
    keys_close(&host);
}

/* What one link gets is sent to another one whose peer does not read: the first one is not read any further. */
static void test_feed(void)
{
    struct seen s = { 0 }, out = { 0 };
    struct link_claim claim = { .key = &node, .use = CRED_AGENT, .node = "n1" };
    static char body[1 << 16];
    int fds[2];
    at_server.echo = false;
    s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_CONTROLLER, &claim, &ops, &s);
    UNTIL(at_server.ready);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds))
        abort();
    out.link = link_from_fd(&loop, fds[0], &ops, &out);
    link_feed(out.link, at_server.link);
    at_server.to = out.link;
    for (unsigned i = 0; i < 400; i++)
        link_send(s.link, MSG_STATUS, 0, i, body, sizeof(body));
    for (int i = 0; i < 3000; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ok(link_unread(out.link) < 4 << 20 && at_server.frames < 200, "a reader that does not read stops the sender: %u",
       at_server.frames);
    size_t got = 0, want = 400 * (sizeof(body) + FRAME_HEADER);
    for (int64_t end_ms = clock_mono_ms() + 60000; got < want && clock_mono_ms() < end_ms;) {
        ssize_t n = read(fds[1], body, sizeof(body));
        got += n > 0 ? (size_t)n : 0;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    is_int(got, want, "and all of it comes when the reader reads");
    link_feed(out.link, NULL);
    at_server.to = NULL;
    close(fds[1]);
    seen_clear(&out);
    seen_clear(&s);
    UNTIL(at_server.closed);
    seen_clear(&at_server);
}

/* ---- under poll() ---- */

struct caller {
    struct err err;
    int rc;
    size_t got;
    const struct cred_key *key;
    volatile bool over;
};

static void *call(void *arg)
{
    struct caller *c = arg;
    struct link_wait w = LINK_WAIT_INIT;
    struct link_claim claim = { .key = c->key, .use = CRED_CLIENT };
    int64_t end_ms = clock_mono_ms() + 60000;
    auto_buf struct buf out = BUF_INIT;
    auto_free char *body = mem_alloc(1 << 20);
    struct frame f;
    c->rc = link_wait_tcp(&w, "127.0.0.1", port, LINK_CONTROLLER, &claim, NULL, NULL, end_ms, &c->err);
    frame_add(&out, MSG_STATUS, 0, 7, body, 1 << 20);
    if (!c->rc)
        c->rc = link_wait_send_bytes(&w, out.s, out.len, end_ms, &c->err);
    if (!c->rc)
        c->rc = link_wait_next(&w, &f, end_ms, &c->err);
    c->got = c->rc ? 0 : f.len;
    link_wait_clear(&w);
    c->over = true;
    return NULL;
}

static void on_tick(uv_timer_t *t)
{
}

static void test_poll_form(void)
{
    static const struct {
        struct cred_key *key;
        bool good;
        const char *what;
    } cases[] = { { &controller, true, "a command" }, { &stranger, false, "a command of another cluster" } };
    uv_timer_t tick;
    uv_timer_init(&loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct caller c = { .key = cases[i].key };
        pthread_t thread;
        pthread_create(&thread, NULL, call, &c);
        ok(UNTIL(c.over) && !c.rc == cases[i].good && c.got == (cases[i].good ? 1 << 20 : 0), "%s: %zu bytes %s",
           cases[i].what, c.got, c.err.text);
        pthread_join(thread, NULL);
        UNTIL(at_server.closed);
        seen_clear(&at_server);
    }
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* ---- streams for libraft ---- */

static uv_stream_t *released[2]; /* server's, client's */

static void release_ready(struct link *l)
{
    struct seen *s = link_arg(l);
    s->ready++;
    released[s != &at_server] = link_release(l);
}

static void free_stream(uv_handle_t *h)
{
    free(h);
}

#define BULK ((size_t)24 << 20)
static size_t came;
static unsigned written;
static bool intact = true, gone;
static char room[65536];

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *b)
{
    *b = uv_buf_init(room, sizeof(room));
}

static void on_bulk(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    for (ssize_t i = 0; i < n; i++)
        intact &= b->base[i] == (char)((came + (size_t)i) * 7 >> 3);
    came += n > 0 ? (size_t)n : 0;
    gone |= n < 0;
}

static void on_written(uv_write_t *req, int status)
{
    written++;
}

static void test_stream(void)
{
    static const struct link_ops release = { release_ready, on_frame, on_closed };
    struct link_listener *door = listen_with(&controller, &release);
    struct seen s = { 0 };
    struct link_claim claim = { .key = &controller, .use = CRED_PEER, .raft_id = 1, .address = "h:1" };
    s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_RAFT, &claim, &release, &s);
    ok(UNTIL(released[0]) && !s.ready, "a controller waits to be accepted");
    uv_buf_t yes = uv_buf_init((char[]){ HELLO_ACCEPTED }, 1);
    is_int(uv_try_write(released[0], &yes, 1), 1, "the other accepts it");
    ok(UNTIL(released[1]), "both have a stream");
    auto_free char *bulk = mem_alloc(BULK);
    for (size_t i = 0; i < BULK; i++)
        bulk[i] = (char)(i * 7 >> 3);
    uv_write_t req;
    uv_buf_t all = uv_buf_init(bulk, (unsigned)BULK);
    uv_write(&req, released[1], &all, 1, on_written);
    for (int i = 0; i < 2000; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ok(!written, "a reader that does not read stops the writer");
    uv_read_start(released[0], on_alloc, on_bulk);
    ok(UNTIL(came == BULK) && intact && UNTIL(written), "then all bytes come, in order");
    uv_close((uv_handle_t *)released[1], free_stream);
    ok(UNTIL(gone), "the end of one side is the end of the other");
    uv_close((uv_handle_t *)released[0], free_stream);
    link_listener_close(door);
    for (int i = 0; i < 50; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
}

int main(void)
{
    uv_loop_init(&loop);
    controller = keyring_machine("ca", "controller", "controller/1");
    node = keyring_machine("ca", "node", "agent/n1");
    stranger = keyring_machine("false-ca", "stranger", "agent/n1 controller/1");
    struct link_listener *door = listen_with(&controller, &ops);
    test_frames();
    test_refusals();
    test_silent();
    test_poll_form();
    test_strangers();
    test_relay();
    test_feed();
    link_listener_close(door);
    test_stream();
    keys_close(&controller);
    keys_close(&node);
    keys_close(&stranger);
    uv_run(&loop, UV_RUN_NOWAIT);
    is_int(uv_loop_close(&loop), 0, "nothing is left on the loop");
    keyring_remove();
    return test_done();
}
