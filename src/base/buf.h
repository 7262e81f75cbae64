/*
 * buf - bytes that grow.
 *
 * `s` is always NUL-terminated once anything was added, so text and bytes are one type.
 */
#ifndef SPUR_BASE_BUF_H
#define SPUR_BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

struct buf {
    char *s;
    size_t len, cap;
};

#define BUF_INIT                                                                                                       \
    {                                                                                                                  \
        NULL, 0, 0                                                                                                     \
    }
#define auto_buf __attribute__((cleanup(buf_clear)))

void buf_clear(struct buf *b);           /* free; reusable after */
void buf_reset(struct buf *b);           /* empty, keep the room */
char *buf_take(struct buf *b);           /* the bytes are yours ("" when empty), the buf is empty */
void buf_grow(struct buf *b, size_t n); /* make room for n more bytes and a NUL */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_addv(struct buf *b, const char *fmt, va_list ap);
void buf_cut(struct buf *b, size_t n); /* drop the first n bytes */

/* Output is made of short texts: these are inline. */

/* Make room for n more bytes; returns where they go; len is unchanged. */
static inline char *buf_room(struct buf *b, size_t n)
{
    if (b->cap - b->len <= n)
        buf_grow(b, n);
    return b->s + b->len;
}

static inline void buf_add(struct buf *b, const void *p, size_t n)
{
    char *to = buf_room(b, n);
    if (n)
        memcpy(to, p, n);
    b->len += n;
    b->s[b->len] = '\0';
}

static inline void buf_adds(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

static inline void buf_addc(struct buf *b, char c)
{
    char *to = buf_room(b, 1);
    to[0] = c;
    to[1] = '\0';
    b->len++;
}

/* Append all of `fd`.  EFBIG past `max` bytes, errno otherwise. */
int buf_read(struct buf *b, int fd, size_t max);
/* Append the file at `path`. */
int buf_read_file(struct buf *b, const char *path, size_t max);

#endif
