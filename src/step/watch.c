/* watch - descriptors and timers that a step waits for; see watch.h. */
#include "step/watch.h"

#include "base/clock.h"
#include "base/mem.h"

struct watch_one {
    int fd;
    short events;
    watch_fd_fn *fn;
    void *arg;
};

struct moment {
    int64_t at_ms;
    watch_time_fn *fn;
    void *arg;
};

struct watch {
    VEC(struct watch_one) fds;
    VEC(struct moment) moments;
};

static struct watch *of(struct step *s)
{
    if (!s->watch)
        s->watch = NEW(struct watch);
    return s->watch;
}

static struct watch_one *find(const struct step *s, int fd)
{
    for (size_t i = 0; s->watch && i < s->watch->fds.n; i++)
        if (s->watch->fds.at[i].fd == fd)
            return &s->watch->fds.at[i];
    return NULL;
}

void watch_fd(struct step *s, int fd, short events, watch_fd_fn *fn, void *arg)
{
    struct watch_one one = { fd, events, fn, arg }, *old = find(s, fd);
    if (old)
        *old = one;
    else
        vec_push(&of(s)->fds, one);
}

void watch_drop(struct step *s, int fd)
{
    struct watch_one *old = find(s, fd);
    if (old)
        *old = s->watch->fds.at[--s->watch->fds.n];
}

void watch_at(struct step *s, int64_t at_ms, watch_time_fn *fn, void *arg)
{
    struct watch *w = of(s);
    for (size_t i = 0; i < w->moments.n; i++)
        if (w->moments.at[i].fn == fn && w->moments.at[i].arg == arg) {
            w->moments.at[i].at_ms = at_ms;
            return;
        }
    if (at_ms)
        vec_push(&w->moments, ((struct moment){ at_ms, fn, arg }));
}

nfds_t watch_count(const struct step *s)
{
    return s->watch ? s->watch->fds.n : 0;
}

void watch_poll(const struct step *s, struct pollfd *fds)
{
    for (nfds_t i = 0; i < watch_count(s); i++)
        fds[i] = (struct pollfd){ s->watch->fds.at[i].fd, s->watch->fds.at[i].events, 0 };
}

void watch_handle(struct step *s, const struct pollfd *fds, nfds_t n)
{
    /* Find watches by descriptor, not by index: a handler may have dropped some. */
    for (nfds_t i = 0; i < n; i++) {
        const struct watch_one *one = fds[i].revents ? find(s, fds[i].fd) : NULL;
        if (one)
            one->fn(s, one->fd, fds[i].revents, one->arg);
    }
    int64_t now = clock_mono_ms();
    for (size_t i = 0; s->watch && i < s->watch->moments.n; i++) {
        struct moment m = s->watch->moments.at[i];
        if (m.at_ms && now >= m.at_ms) {
            s->watch->moments.at[i].at_ms = 0;
            m.fn(s, m.arg);
        }
    }
}

int64_t watch_next_ms(const struct step *s)
{
    int64_t next = -1;
    for (size_t i = 0; s->watch && i < s->watch->moments.n; i++) {
        int64_t at = s->watch->moments.at[i].at_ms;
        if (at && (next < 0 || at < next))
            next = at;
    }
    return next;
}
