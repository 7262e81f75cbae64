/* link: on the loop, frames come only from peers that are known, in any split; limits end a link with a reason. */
#include "io/link.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "io/link_wait.h"
#include "test.h"

static uv_loop_t loop;
static const struct cred_key key = { "the key" }, wrong_key = { "another key" };

/* ---- one end under test: what it saw ---- */

struct seen {
    struct link *link;
    unsigned ready, closed, early; /* early: frames before ready */
    struct link_peer peer;
    struct buf frames; /* "type:number:length " of each */
    struct err why;
    bool echo;
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
    s->early += !s->ready;
    buf_addf(&s->frames, "%s:%llu:%u ", msg_name(f->type), (unsigned long long)f->number, f->len);
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

static void seen_clear(struct seen *s)
{
    if (s->link)
        link_close(s->link);
    while (s->link)
        uv_run(&loop, UV_RUN_ONCE);
    buf_clear(&s->frames);
    *s = (struct seen){ 0 };
}

static void on_tick(uv_timer_t *t)
{
}

/* Run the loop until the condition holds, or half a minute has passed. */
#define UNTIL(cond)                                                                                                    \
    ({                                                                                                                 \
        int64_t end_ = clock_mono_ms() + 30000;                                                                        \
        while (!(cond) && clock_mono_ms() < end_)                                                                      \
            uv_run(&loop, UV_RUN_ONCE);                                                                                \
        (cond);                                                                                                        \
    })

/* ---- a listener ---- */

static struct seen at_server;
static uint16_t port;

static struct link_listener *listen_tcp(unsigned uses)
{
    struct link_listen_conf conf = { .loop = &loop, .key = &key, .ops = &ops, .arg = &at_server, .uses = uses };
    struct link_listener *out = NULL;
    close(link_sock_listen_tcp(&port, NULL)); /* a port that is free */
    struct err err = ERR_INIT;
    if (link_listen_tcp(&out, &conf, "127.0.0.1", port, &err))
        printf("# %s\n", err.text);
    return out;
}

static struct link *connect_as(const struct cred_key *with, enum cred_use use, struct seen *s)
{
    struct link_claim claim = { with, use, use == CRED_AGENT ? "n7" : NULL, 0, NULL, 0, 0 };
    return s->link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_CONTROLLER, &claim, &ops, s);
}

static void test_open(void)
{
    struct seen s = { 0 };
    struct link *l = connect_as(&key, CRED_AGENT, &s);
    link_send(l, MSG_STATUS, 0, 1, "", 0);
    at_server.echo = true;
    ok(UNTIL(s.frames.len && at_server.frames.len), "what is queued before the link is open arrives after the hello");
    is_str(at_server.frames.s, "STATUS:1:0 ", "whole");
    is_str(s.frames.s, "STATUS:1:0 ", "and back");
    ok(at_server.ready == 1 && at_server.peer.use == CRED_AGENT && !at_server.peer.local &&
           at_server.peer.uid == geteuid() && !strcmp(at_server.peer.node, "n7"),
       "the peer is the node it has a credential for");
    link_close(l);
    ok(UNTIL(s.closed && at_server.closed) && s.closed == 1 && at_server.closed == 1,
       "closed comes once on both sides");
    is_int(at_server.why.code, ECONNRESET, "with a reason");
    seen_clear(&s);
    seen_clear(&at_server);
}

static void test_by_name(void)
{
    struct seen s = { 0 };
    struct link_claim claim = { &key, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    s.link = link_connect_tcp(&loop, "localhost", port, LINK_CONTROLLER, &claim, &ops, &s);
    ok(UNTIL(s.ready && at_server.ready), "a name is resolved, and its addresses are tried");
    seen_clear(&s);
    seen_clear(&at_server);
    s.link = link_connect_tcp(&loop, "no.such.name.invalid", port, LINK_CONTROLLER, &claim, &ops, &s);
    ok(UNTIL(s.closed) && s.why.code == EHOSTUNREACH && !s.ready, "a name that is unknown closes the link");
    seen_clear(&s);
    s.link = link_connect_tcp(&loop, "no.such.name.invalid", port, LINK_CONTROLLER, &claim, &ops, &s);
    link_close(s.link);
    ok(UNTIL(s.closed) && !s.ready, "so does closing it while the name is looked up");
    seen_clear(&s);
}

static void test_refused(void)
{
    struct seen s = { 0 };
    connect_as(&wrong_key, CRED_CLIENT, &s);
    ok(UNTIL(at_server.closed && s.closed), "a wrong key is refused");
    ok(!at_server.ready && !at_server.frames.len && at_server.why.code == EACCES, "and nothing is delivered");
    ok(s.frames.len && strstr(s.frames.s, "FAILURE:0:") == s.frames.s, "the peer is told why");
    seen_clear(&s);
    seen_clear(&at_server);
    connect_as(&key, CRED_PEER, &s);
    ok(UNTIL(at_server.closed && s.closed) && !at_server.ready, "so is a use that the listener does not take");
    seen_clear(&s);
    seen_clear(&at_server);
}

/* ---- a peer that the test plays byte by byte ---- */

static int raw_connect(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connect(fd, (struct sockaddr *)&to, sizeof(to));
    return fd;
}

static void raw_send(int fd, const void *p, size_t n)
{
    if (send(fd, p, n, MSG_NOSIGNAL) != (ssize_t)n)
        printf("# a raw send failed\n");
}

/* Bytes that answer the challenge on `fd`. */
static void raw_hello(int fd, struct buf *out)
{
    struct link_claim claim = { &key, CRED_CLIENT, NULL, 0, NULL, 0, 0 };
    char in[512];
    struct err err = ERR_INIT;
    struct hello h;
    size_t used;
    ssize_t n;
    hello_connect(&h, &claim);
    while ((n = recv(fd, in, sizeof(in), MSG_DONTWAIT)) <= 0)
        uv_run(&loop, UV_RUN_NOWAIT);
    hello_step(&h, in, (size_t)n, &used, clock_wall_ms(), out, &err);
}

static void test_splits(void)
{
    static const char *want = "STATUS:1:0 SCRIPT:2:3 STATUS:3:0 IO_DATA:4:70000 ";
    auto_free char *body = mem_alloc(70000);
    bool good = true;
    for (size_t step = 1; step < 400; step += step < 60 ? 1 : 37) {
        auto_buf struct buf out = BUF_INIT;
        auto_close int fd = raw_connect();
        raw_hello(fd, &out);
        frame_add(&out, MSG_STATUS, 0, 1, "", 0);
        frame_add(&out, MSG_SCRIPT, 0, 2, "abc", 3);
        frame_add(&out, MSG_STATUS, 0, 3, "", 0);
        size_t head = out.len + 40;
        frame_add(&out, MSG_IO_DATA, 0, 4, body, 70000);
        for (size_t at = 0, n; at < out.len; at += n) {
            n = at < head ? MIN(step, out.len - at) : out.len - at;
            raw_send(fd, out.s + at, n);
            uv_run(&loop, UV_RUN_NOWAIT);
        }
        good &= UNTIL(at_server.frames.len >= strlen(want)) && !strcmp(at_server.frames.s, want) && !at_server.early;
        seen_clear(&at_server);
    }
    ok(good, "every split of a conversation gives the same frames");
}

static void test_before_identity(void)
{
    auto_buf struct buf big = BUF_INIT, ask = BUF_INIT;
    frame_add_header(&big, MSG_HELLO, 0, 0, FRAME_MAX_HELLO + 1);
    frame_add(&ask, MSG_JOBS, 0, 1, "", 0);
    auto_close int one = raw_connect();
    raw_send(one, big.s, big.len);
    ok(UNTIL(at_server.closed) && !at_server.ready && at_server.why.code == EMSGSIZE,
       "a frame over 4 KiB before identity ends the link: %s", at_server.why.text);
    seen_clear(&at_server);
    auto_close int two = raw_connect();
    raw_send(two, ask.s, ask.len);
    ok(UNTIL(at_server.closed) && !at_server.ready && !at_server.frames.len && at_server.why.code == EACCES,
       "a request before identity is refused");
    seen_clear(&at_server);
}

static void test_replay(void)
{
    auto_buf struct buf hello = BUF_INIT, unused = BUF_INIT;
    auto_close int one = raw_connect();
    raw_hello(one, &hello);
    raw_send(one, hello.s, hello.len);
    ok(UNTIL(at_server.ready), "a credential opens its own link");
    seen_clear(&at_server);
    auto_close int two = raw_connect();
    raw_hello(two, &unused);
    raw_send(two, hello.s, hello.len);
    ok(UNTIL(at_server.closed) && !at_server.ready && at_server.why.code == EACCES, "and no other: %s",
       at_server.why.text);
    seen_clear(&at_server);
}

/* ---- flow control ---- */

static void open_raw(int fd)
{
    auto_buf struct buf hello = BUF_INIT;
    raw_hello(fd, &hello);
    raw_send(fd, hello.s, hello.len);
    UNTIL(at_server.ready);
}

static void test_slow_reader(void)
{
    struct buf b = BUF_INIT;
    buf_room(&b, 8 << 20);
    memset(b.s, 'x', 8 << 20);
    b.len = 8 << 20;
    struct shared_buf *body = shared_buf_new(&b);
    auto_close int fd = raw_connect();
    open_raw(fd);
    unsigned sent = 0;
    while (sent < 1000 && at_server.link) {
        link_send_shared(at_server.link, MSG_DONE, 0, ++sent, body);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    ok(sent > 16 && sent < 100, "a peer that does not read is over its limit after %u answers", sent);
    ok(UNTIL(at_server.closed) && at_server.why.code == ENOBUFS && strstr(at_server.why.text, "command"),
       "and hears no more: %s", at_server.why.text);
    ok(body->refs == 1, "what was queued is let go");
    shared_buf_unref(body);
    seen_clear(&at_server);
}

#define LONG_ANSWER (24u << 20) /* more than the kernel holds for a connection */

static void test_pause(void)
{
    auto_free char *body = mem_alloc(LONG_ANSWER);
    auto_buf struct buf ask = BUF_INIT, got = BUF_INIT;
    auto_close int fd = raw_connect();
    open_raw(fd);
    link_send(at_server.link, MSG_DONE, 0, 9, body, LONG_ANSWER);
    uv_run(&loop, UV_RUN_NOWAIT);
    frame_add(&ask, MSG_STATUS, 0, 1, "", 0);
    raw_send(fd, ask.s, ask.len);
    for (int i = 0; i < 50; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ok(!at_server.frames.len, "a client that does not take its answers is not heard");
    size_t want = FRAME_HEADER + (LONG_ANSWER);
    while (got.len < want) {
        ssize_t n = recv(fd, buf_room(&got, 65536), MIN(want - got.len, 65536u), MSG_DONTWAIT);
        got.len += n > 0 ? (size_t)n : 0;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    struct frame f;
    size_t used;
    ok(frame_find(got.s, got.len, FRAME_MAX, &f, &used, NULL) == 1 && f.len == LONG_ANSWER && f.number == 9,
       "a long answer arrives whole at a slow reader");
    ok(UNTIL(at_server.frames.len), "which is heard again then");
    link_send(at_server.link, MSG_DONE, 0, 10, body, 1 << 20);
    link_close(at_server.link);
    got.len = 0;
    want = FRAME_HEADER + (1 << 20);
    int64_t end_ms = clock_mono_ms() + 30000;
    while (got.len < want && clock_mono_ms() < end_ms) {
        ssize_t n = recv(fd, buf_room(&got, 65536), 65536, MSG_DONTWAIT);
        got.len += n > 0 ? (size_t)n : 0;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    ok(got.len == want && UNTIL(at_server.closed), "closing waits until what was sent is taken");
    seen_clear(&at_server);
}

/* ---- streams for libraft ---- */

static uv_stream_t *released;

static void release_ready(struct link *l)
{
    struct seen *s = link_arg(l);
    s->ready++;
    s->peer = *link_peer(l);
    if (l != s->link)
        buf_adds(&s->frames, link_peer_address(l));
    released = link_release(l);
}

static void stream_closed(uv_handle_t *h)
{
    free(h);
}

static void test_release(void)
{
    static const struct link_ops release = { release_ready, on_frame, on_closed };
    struct link_listen_conf conf = {
        .loop = &loop, .key = &key, .ops = &release, .arg = &at_server, .uses = HELLO_USE(CRED_PEER)
    };
    struct link_listener *door;
    struct seen s = { 0 };
    struct link_claim claim = { &key, CRED_PEER, NULL, 2, "h:1", 0, 0 };
    close(link_sock_listen_tcp(&port, NULL));
    link_listen_tcp(&door, &conf, "127.0.0.1", port, NULL);
    s.link = link_connect_tcp(&loop, "127.0.0.1", port, LINK_RAFT, &claim, &release, &s);
    ok(UNTIL(at_server.ready) && at_server.peer.raft_id == 2 && !s.ready, "a controller waits to be accepted");
    is_str(at_server.frames.s, "h:1", "its address is known");
    uv_stream_t *server_end = take(released);
    uv_buf_t yes = uv_buf_init((char[]){ HELLO_ACCEPTED }, 1);
    is_int(uv_try_write(server_end, &yes, 1), 1, "the other accepts it");
    ok(UNTIL(s.ready) && released, "both have the raw stream");
    uv_close((uv_handle_t *)server_end, stream_closed);
    uv_close((uv_handle_t *)take(released), stream_closed);
    link_listener_close(door);
    for (int i = 0; i < 10; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    ok(!s.closed && !at_server.closed, "and no link is left to close");
    s.link = at_server.link = NULL;
    seen_clear(&s);
    seen_clear(&at_server);
}

static void test_unix(void)
{
    struct link_listen_conf conf = { .loop = &loop, .ops = &ops, .arg = &at_server };
    struct link_listener *door;
    struct seen s = { 0 };
    auto_free char *path = mem_printf("/tmp/spur-link-%d.sock", getpid());
    struct err err = ERR_INIT;
    is_int(link_listen_unix(&door, &conf, path, &err), 0, "listens on a Unix socket");
    s.link = link_connect_unix(&loop, path, LINK_CONTROLLER, &ops, &s);
    ok(UNTIL(at_server.ready && s.ready) && at_server.peer.local && at_server.peer.uid == geteuid() &&
           at_server.peer.use == CRED_CLIENT,
       "the kernel names the peer");
    seen_clear(&s);
    seen_clear(&at_server);
    link_listener_close(door);
    unlink(path);
    s.link = link_connect_unix(&loop, path, LINK_CONTROLLER, &ops, &s);
    ok(UNTIL(s.closed) && s.why.code == ENOENT, "a socket that is not there closes the link");
    seen_clear(&s);
    char far[200];
    memset(far, 'x', sizeof(far) - 1);
    far[0] = '/', far[sizeof(far) - 1] = '\0';
    s.link = link_connect_unix(&loop, far, LINK_CONTROLLER, &ops, &s);
    ok(UNTIL(s.closed) && s.why.code == ENAMETOOLONG, "so does a path that is too long");
    seen_clear(&s);
    is_int(link_listen_unix(&door, &conf, far, &err), ENAMETOOLONG, "which is not listened on either");
}

int main(void)
{
    uv_timer_t tick; /* the loop wakes up often enough to look at its condition */
    alarm(200);
    uv_loop_init(&loop);
    uv_timer_init(&loop, &tick);
    uv_timer_start(&tick, on_tick, 20, 20);
    struct link_listener *door = listen_tcp(HELLO_USE(CRED_CLIENT) | HELLO_USE(CRED_AGENT));
    test_open();
    test_by_name();
    test_refused();
    test_splits();
    test_before_identity();
    test_replay();
    test_slow_reader();
    test_pause();
    link_listener_close(door);
    test_release();
    test_unix();
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    is_int(uv_loop_close(&loop), 0, "nothing is left on the loop");
    return test_done();
}
