/*
 * io_priv - what io.c (the tasks' ends) and io_client.c (the clients' ends) share.
 */
#ifndef SPUR_STEP_IO_PRIV_H
#define SPUR_STEP_IO_PRIV_H

#include "base/vec.h"
#include "step/io.h"
#include "wire/stream.h"

struct io_client {
    bool main;       /* the step's srun: the tasks wait for it */
    bool over;       /* given up, or finished */
    bool again;      /* was connected before */
    bool held;       /* after a reconnection: send nothing until the client says what it has received */
    struct link_wait link;
    struct as_user dial; /* connects to unix_path */
    int64_t give_up_ms, retry_ms;
    char *unix_path, *host;
    uint16_t port;
    struct buf token;
    struct stream st;
};

struct io {
    VEC(struct io_client *) clients; /* the step's srun first, if there is one */
    nfds_t polled;                   /* number of descriptors in the last poll */
    bool connected;                  /* io_connect was called: a new client is connected at once */
    bool no_more;                    /* no process is left that could write */
    io_frame_fn *on_frame;
    struct buf recent; /* frames of recent output, for clients that attach */
};

/* ---- io.c ---- */
/* Pass a frame of stdin, or its end, to the tasks that receive stdin. */
void io_take_stdin(struct step *s, const Pb__IoData *d, bool may_end);
/* No client receives that stream any more: close it, so that a task that writes to it gets SIGPIPE. */
void io_close_stream(struct step *s, uint32_t fd);
/* Too much stdin waits for tasks that do not read: do not acknowledge it, so that srun sends no more. */
bool io_stdin_full(const struct step *s);
/* The step's srun is gone: no input will arrive, and the report gives the reason. */
void io_srun_gone(struct step *s, const char *why);

/* ---- io_client.c ---- */
struct io_client *io_client_new(const Pb__IoEndpoint *to, const char *host, bool main);
void io_client_connect(struct step *s, struct io_client *c); /* for the first time */
void io_client_flush(struct step *s, struct io_client *c);
short io_client_events(const struct io_client *c); /* events to poll its fd for */
void io_client_handle(struct step *s, struct io_client *c, short revents);
void io_client_due(struct step *s, struct io_client *c, int64_t now); /* retry, or give up */
int64_t io_client_next_ms(const struct io_client *c);                 /* -1: no moment is set */
void io_client_over(struct step *s, struct io_client *c, const char *why);

#endif
