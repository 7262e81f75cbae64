/* output - the streams of tasks become srun's; see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define PART_MAX 65536 /* a line longer than this is shown in pieces */
#define LINE_MAX_BYTES 4096

void output_init(struct output *o, uint32_t ntasks, bool label)
{
    *o = (struct output){
        .fd = { -1, STDOUT_FILENO, STDERR_FILENO }, .only = { -1, -1, -1 }, .label = label, .ntasks = ntasks
    };
    for (uint32_t last = ntasks ? ntasks - 1 : 0; last >= 10; last /= 10)
        o->width++;
    o->width++;
    o->part = mem_array((size_t)ntasks * 2 + 1, sizeof(struct buf));
}

void output_clear(struct output *o)
{
    for (size_t i = 0; o->part && i < (size_t)o->ntasks * 2; i++)
        buf_clear(&o->part[i]);
    free(o->part);
    o->part = NULL;
}

/* All of it: a pipe that is full and does not block is waited for; one that is closed takes no more. */
static void output_put(struct output *o, unsigned stream, const char *p, size_t n)
{
    while (n && o->fd[stream] >= 0) {
        ssize_t k = write(o->fd[stream], p, n);
        if (k < 0 && errno == EAGAIN)
            poll(&(struct pollfd){ o->fd[stream], POLLOUT, 0 }, 1, -1);
        else if (k < 0 && errno != EINTR) {
            o->broken[stream] = errno == EPIPE;
            o->fd[stream] = -1;
        }
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
}

static void add_line(struct buf *out, const char *label, const char *p, size_t n, bool whole)
{
    buf_adds(out, label);
    buf_add(out, p, n);
    if (!whole)
        buf_addc(out, '\n');
}

static void add_labelled(struct output *o, uint32_t task, unsigned stream, const char *p, size_t n)
{
    struct buf *part = &o->part[task * 2 + stream - 1];
    auto_buf struct buf out = BUF_INIT;
    char label[32];
    snprintf(label, sizeof(label), "%*u: ", (int)o->width, task);
    if (n)
        buf_add(part, p, n);
    size_t at = 0;
    for (const char *nl; at < part->len && (nl = memchr(part->s + at, '\n', part->len - at));
         at = (size_t)(nl - part->s) + 1)
        add_line(&out, label, part->s + at, (size_t)(nl - part->s) + 1 - at, true);
    buf_cut(part, at);
    if (part->len && (!n || part->len > PART_MAX)) {
        add_line(&out, label, part->s, part->len, false);
        buf_reset(part);
    }
    output_put(o, stream, out.s, out.len);
}

/* Up to the last newline; the rest waits for its own, unless it grows long: then it is no line. */
static void add_lines(struct output *o, uint32_t task, unsigned stream, const char *p, size_t n)
{
    struct buf *part = &o->part[task * 2 + stream - 1];
    const char *last = n ? memrchr(p, '\n', n) : NULL;
    size_t whole = last ? (size_t)(last - p) + 1 : 0;
    if (!n || part->len + n - whole > LINE_MAX_BYTES)
        whole = n;
    if (part->len && (whole || !n)) {
        output_put(o, stream, part->s, part->len);
        buf_reset(part);
    }
    output_put(o, stream, p, whole);
    if (whole < n)
        buf_add(part, p + whole, n - whole);
}

void output_add(struct output *o, uint32_t task, unsigned stream, const void *p, size_t n)
{
    if (task >= o->ntasks || stream < 1 || stream > 2 || (o->only[stream] >= 0 && o->only[stream] != task))
        return;
    if (o->label)
        add_labelled(o, task, stream, p, n);
    else if (o->lines)
        add_lines(o, task, stream, p, n);
    else
        output_put(o, stream, p, n);
}
