/*
 * native - one connection, pipelined submissions: how many jobs a second are made durable.
 *
 *     native N [WINDOW [go]]    submit N held jobs, WINDOW (256) under way at a time, to the cluster of $SLURM_CONF;
 *                               `go`: they are not held, and of many sizes
 *
 * Prints one line: jobs, seconds, jobs per second.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "client/reach.h"
#include "wire/cred.h"
#include "wire/frame.h"

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void add_submit(struct buf *out, uint64_t number, bool hold)
{
    Pb__SubmitRequest r = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec s = PB__JOB_SPEC__INIT;
    static char script[] = "#!/bin/sh\ntrue\n", env[] = "PATH=/usr/bin:/bin\0HOME=/root";
    char *argv[] = { "native" };
    uint8_t key[16];
    cred_random(key, sizeof(key));
    s.name = "native";
    s.workdir = "/tmp";
    s.std_out = "/dev/null";
    s.argv = argv;
    s.n_argv = 1;
    s.hold = hold;
    if (!hold)
        s.ntasks = 1 + (uint32_t)(number % 64), s.time_limit_min = 10 * (1 + (uint32_t)(number % 7));
    r.key = (ProtobufCBinaryData){ 16, key };
    r.spec = &s;
    r.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    r.env = (ProtobufCBinaryData){ sizeof(env), (uint8_t *)env };
    frame_add_pb(out, MSG_SUBMIT, 0, number, &r.base);
}

static unsigned take_replies(struct buf *in, unsigned *refused)
{
    struct frame f;
    size_t used, at = 0;
    unsigned n = 0;
    struct err err;
    while (frame_find(in->s + at, in->len - at, FRAME_MAX, &f, &used, &err) > 0) {
        Pb__SubmitReply *r = f.type == MSG_SUBMIT_REPLY ? pb__submit_reply__unpack(NULL, f.len, f.body) : NULL;
        *refused += !r || r->code;
        if (r)
            pb__submit_reply__free_unpacked(r, NULL);
        at += used;
        n++;
    }
    buf_cut(in, at);
    return n;
}

int main(int argc, char **argv)
{
    unsigned total = argc > 1 ? (unsigned)atoi(argv[1]) : 10000, window = argc > 2 ? (unsigned)atoi(argv[2]) : 256;
    struct err err = ERR_INIT;
    struct site *site;
    if (site_load_client(&site, site_find_conf(), &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    struct link_wait link = LINK_WAIT_INIT;
    for (size_t i = 0; i < site->nctl && link.fd < 0; i++)
        reach_controller(&link, site, site->ctl[i].id, NULL, 0, &err);
    int fd = link.fd;
    if (fd < 0)
        return fprintf(stderr, "%s\n", err.text), 1;
    auto_buf struct buf out = BUF_INIT, in = BUF_INIT;
    unsigned sent = 0, done = 0, refused = 0;
    double t0 = now();
    while (done < total) {
        while (sent < total && sent - done < window)
            add_submit(&out, ++sent, argc < 4);
        struct pollfd p = { fd, (short)(POLLIN | (out.len ? POLLOUT : 0)), 0 };
        poll(&p, 1, -1);
        if (p.revents & POLLOUT) {
            ssize_t n = send(fd, out.s, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (n > 0)
                buf_cut(&out, (size_t)n);
        }
        if (p.revents & (POLLIN | POLLHUP)) {
            ssize_t n = recv(fd, buf_room(&in, 65536), 65536, MSG_DONTWAIT);
            if (n == 0)
                return fprintf(stderr, "the controller closed the connection\n"), 1;
            if (n > 0)
                in.len += (size_t)n;
            done += take_replies(&in, &refused);
        }
    }
    double s = now() - t0;
    printf("native submissions: %u jobs in %.3f s, %.0f/s, %u refused\n", done, s, done / s, refused);
    return refused ? 1 : 0;
}
