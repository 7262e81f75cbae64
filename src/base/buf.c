/* buf - bytes that grow; see buf.h. */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

void buf_clear(struct buf *b)
{
    free(b->s);
    *b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    if (b->s)
        b->s[0] = '\0';
}

char *buf_take(struct buf *b)
{
    char *s = b->s ? b->s : mem_str("");
    *b = (struct buf)BUF_INIT;
    return s;
}

void buf_grow(struct buf *b, size_t n)
{
    size_t need = b->len + n + 1, cap = b->cap ? b->cap : 64;
    while (cap < need)
        cap += cap / 2 + 64;
    b->s = mem_grow(b->s, cap, 1);
    b->cap = cap;
}

void buf_addv(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    char *to = buf_room(b, 80);
    size_t room = b->cap - b->len;
    int n = vsnprintf(to, room, fmt, ap);
    if (n >= 0 && (size_t)n >= room) {
        to = buf_room(b, (size_t)n);
        vsnprintf(to, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    if (n > 0)
        b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_addv(b, fmt, ap);
    va_end(ap);
}

void buf_cut(struct buf *b, size_t n)
{
    if (n >= b->len) {
        buf_reset(b);
        return;
    }
    memmove(b->s, b->s + n, b->len - n + 1);
    b->len -= n;
}

int buf_read(struct buf *b, int fd, size_t max)
{
    size_t start = b->len;
    for (;;) {
        char *to = buf_room(b, 4096);
        ssize_t n = read(fd, to, b->cap - b->len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            break;
        b->len += (size_t)n;
        if (b->len - start > max)
            return EFBIG;
    }
    b->s[b->len] = '\0';
    return 0;
}

int buf_read_file(struct buf *b, const char *path, size_t max)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : buf_read(b, fd, max);
}
