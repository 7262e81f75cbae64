/* link_wait - a link under poll(); see link_wait.h. */
#include "io/link_wait.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "wire/bounds.h"

#define READ_ROOM (256u << 10)

void link_wait_use(struct link_wait *w, int fd, enum link_class class)
{
    link_wait_close(w);
    w->fd = fd;
    w->class = class;
}

void link_wait_move(struct link_wait *to, struct link_wait *from, enum link_class class)
{
    link_wait_use(to, take_fd(from->fd), class);
    to->tls = take(from->tls);
}

void link_wait_close(struct link_wait *w)
{
    if (w->fd >= 0)
        close(take_fd(w->fd));
    tls_free(take(w->tls));
    w->connecting = w->watched = false;
    w->at = 0;
    buf_reset(&w->in);
}

void link_wait_clear(struct link_wait *w)
{
    link_wait_close(w);
    buf_clear(&w->in);
    buf_clear(&w->plain);
}

/* ---- not waiting ---- */

int link_wait_begin(struct link_wait *w, const char *host, uint16_t port, enum link_class class, struct err *err)
{
    struct sockaddr_storage to;
    socklen_t len = link_address_parse(host, port, &to);
    if (!len || !port)
        return err_set(err, ECONNREFUSED, "%s is no numeric address", host);
    struct err why = ERR_INIT;
    int fd = link_sock_connect((struct sockaddr *)&to, len, class, &why);
    if (fd < 0)
        return err_set(err, why.code, "cannot connect to %s:%u: %s", host, port, why.text);
    link_wait_use(w, fd, class);
    w->connecting = true;
    return 0;
}

int link_wait_connected(struct link_wait *w, struct err *err)
{
    int rc = link_sock_outcome(w->fd);
    w->connecting = false;
    return rc ? err_set(err, rc, "cannot connect: %s", strerror(rc)) : 0;
}

int link_wait_write(struct link_wait *w, const void *p, size_t len, size_t *n, struct err *err)
{
    ssize_t k;
    *n = 0;
    if (w->tls)
        return tls_write(w->tls, p, len, n, err);
    do
        k = send(w->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (k < 0 && errno == EINTR);
    if (k < 0)
        return errno == EAGAIN ? EAGAIN : err_set(err, errno, "%m");
    *n = (size_t)k;
    return 0;
}

/* All the room there is, but of a stranger no more than its frame may have; of TLS a whole record, so that none of it
 * stays behind where poll() does not see it. */
static size_t read_room(struct link_wait *w)
{
    size_t most = (size_t)link_limits[w->class].frame_max + FRAME_HEADER;
    if (w->tls)
        most = MAX(most, (size_t)TLS_RECORD);
    buf_room(&w->in, MIN(READ_ROOM, most));
    return MIN(w->in.cap - w->in.len - 1, most);
}

/* Records until none is left or READ_ROOM bytes came. */
static int read_records(struct link_wait *w, struct err *err)
{
    size_t got = 0, n;
    int rc = 0;
    while (!rc && got < READ_ROOM) {
        size_t room = read_room(w);
        rc = tls_read(w->tls, w->in.s + w->in.len, room, &n, got ? NULL : err);
        w->in.len += n;
        got += n;
        if (w->class == LINK_STRANGER)
            break;
    }
    return got ? 0 : rc;
}

int link_wait_read(struct link_wait *w, struct err *err)
{
    ssize_t k;
    buf_cut(&w->in, w->at);
    w->at = 0;
    if (w->tls)
        return read_records(w, err);
    size_t room = read_room(w);
    do
        k = recv(w->fd, w->in.s + w->in.len, room, MSG_DONTWAIT);
    while (k < 0 && errno == EINTR);
    if (k < 0)
        return errno == EAGAIN ? EAGAIN : err_set(err, errno, "%m");
    if (k == 0)
        return err_set(err, ECONNRESET, "the connection was closed");
    w->in.len += (size_t)k;
    return 0;
}

int link_wait_frame(struct link_wait *w, struct frame *f, struct err *err)
{
    size_t used;
    if (w->at == w->in.len)
        return 0;
    const char *in = w->in.s ? w->in.s + w->at : ""; /* nothing was read yet */
    int rc = frame_find(in, w->in.len - w->at, link_limits[w->class].frame_max, f, &used, err);
    if (rc <= 0)
        return rc;
    w->at += used;
    w->last = used;
    return frame_unpack(f, &w->plain, err) || bounds_check_frame(f, err) ? -1 : 1;
}

void link_wait_secret(struct link_wait *w, bool server, const void *token, size_t len)
{
    w->tls = server ? tls_serve_secret(token, len) : tls_connect_secret(token, len);
    tls_use_fd(w->tls, w->fd);
}

short link_wait_events(const struct link_wait *w, bool sending)
{
    if (w->connecting)
        return POLLIN | POLLOUT;
    if (w->tls && !tls_is_open(w->tls))
        return tls_wants_out(w->tls) || !tls_begun(w->tls) ? POLLIN | POLLOUT : POLLIN;
    return (short)(POLLIN | (sending ? POLLOUT : 0));
}

/* ---- waiting ---- */

int link_wait_poll(const struct link_wait *w, short events, int64_t deadline_ms, struct err *err)
{
    struct pollfd p = { w->fd, events, 0 };
    int64_t left = deadline_ms < 0 ? -1 : MAX(deadline_ms - clock_mono_ms(), 0);
    int n = poll(&p, 1, (int)MIN(left, INT32_MAX));
    if (n > 0)
        return 0;
    if (!n)
        return err_set(err, ETIMEDOUT, "no answer in time");
    return errno == EINTR || errno == EAGAIN ? EINTR : err_set(err, errno, "%m");
}

int link_wait_unix(struct link_wait *w, const char *path, enum link_class class, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    int fd = link_sock_connect_unix(path, err);
    if (fd < 0)
        return err->code;
    link_wait_use(w, fd, class);
    return 0;
}

int link_wait_send_bytes(struct link_wait *w, const void *p, size_t len, int64_t deadline_ms, struct err *err)
{
    for (size_t at = 0, n; at < len; at += n) {
        int rc = link_wait_write(w, (const char *)p + at, len - at, &n, err);
        if (rc == EAGAIN)
            rc = link_wait_poll(w, w->tls && !tls_wants_out(w->tls) ? POLLIN : POLLOUT, deadline_ms, err);
        if (rc && rc != EINTR) /* half a frame may be sent: it is finished whatever signals come */
            return rc;
    }
    return 0;
}

int link_wait_send(struct link_wait *w, enum msg_type type, uint16_t flags, uint64_t number,
                   const ProtobufCMessage *msg, int64_t deadline_ms, struct err *err)
{
    auto_buf struct buf out = BUF_INIT;
    frame_add_pb(&out, type, flags, number, msg);
    return link_wait_send_bytes(w, out.s, out.len, deadline_ms, err);
}

static int next_frame(struct link_wait *w, struct frame *f, int64_t deadline_ms, struct err *err)
{
    for (;;) {
        int rc = link_wait_frame(w, f, err);
        if (rc)
            return rc > 0 ? 0 : err->code;
        rc = link_wait_poll(w, POLLIN, deadline_ms, err);
        if (!rc)
            rc = link_wait_read(w, err);
        if (rc && rc != EAGAIN)
            return rc;
    }
}

/* ---- is the peer there? ---- */

void link_wait_watch(struct link_wait *w, uint32_t slurmd_timeout_s)
{
    w->watched = true;
    liveness_start(&w->live, slurmd_timeout_s, clock_mono_ms());
}

int link_wait_watch_ms(const struct link_wait *w)
{
    return w->fd < 0 || !w->watched ? -1 : (int)MAX(liveness_next(&w->live) - clock_mono_ms(), 0);
}

/* Nothing came: ask whether the peer is there, or leave it. */
static int check_silence(struct link_wait *w, struct err *err)
{
    int64_t now_ms = clock_mono_ms();
    Pb__Done empty = PB__DONE__INIT;
    switch (liveness_check(&w->live, now_ms)) {
    case LIVENESS_FINE: return 0;
    case LIVENESS_ASK: return link_wait_send(w, MSG_PING, 0, 0, &empty.base, now_ms + w->live.interval_ms, err);
    case LIVENESS_DEAD: break;
    }
    return err_set(err, ECONNRESET, "the %s does not answer", link_limits[w->class].name);
}

/* The next frame that is more than a sign of life. */
static int next_watched(struct link_wait *w, struct frame *f, int64_t deadline_ms, struct err *err)
{
    for (;;) {
        int64_t check_ms = liveness_next(&w->live);
        bool last = deadline_ms >= 0 && deadline_ms <= check_ms;
        int rc = next_frame(w, f, last ? deadline_ms : check_ms, err);
        if (!rc)
            liveness_heard(&w->live, clock_mono_ms());
        if (!rc && f->type != MSG_PONG)
            return 0;
        if (rc == ETIMEDOUT && (!last || clock_mono_ms() >= check_ms)) {
            int dead = check_silence(w, err);
            rc = dead ? dead : last ? ETIMEDOUT : 0;
        }
        if (rc)
            return rc;
    }
}

int link_wait_next(struct link_wait *w, struct frame *f, int64_t deadline_ms, struct err *err)
{
    struct err own = ERR_INIT;
    err = err ? err : &own;
    return w->watched ? next_watched(w, f, deadline_ms, err) : next_frame(w, f, deadline_ms, err);
}
