/*
 * io_priv - what io.c (the tasks' ends) and io_client.c (the listeners' ends) share.
 */
#ifndef SPUR_STEP_IO_PRIV_H
#define SPUR_STEP_IO_PRIV_H

#include "base/vec.h"
#include "step/io.h"
#include "wire/stream.h"

struct io_client {
    bool main;       /* the step's srun: its word counts, the tasks wait for it */
    bool over;       /* given up, or it has all it will get */
    bool again;      /* it was connected before */
    bool held;       /* after a break nothing is sent before it told what it has */
    struct link_wait link;
    int64_t give_up_ms, retry_ms;
    char *unix_path, *host;
    uint16_t port;
    struct buf token;
    struct stream st;
};

struct io {
    VEC(struct io_client *) clients; /* the step's srun first, if there is one */
    nfds_t polled;                   /* of them, in the last poll */
    bool connected;                  /* io_connect was called: who comes now is called at once */
    bool no_more;                    /* no process is left that could write */
    io_frame_fn *on_frame;
    struct buf recent; /* frames of the last output: for those who attach */
};

/* ---- io.c ---- */
/* A frame of stdin, or one that ends it: to the tasks that it is for. */
void io_take_stdin(struct step *s, const Pb__IoData *d, bool may_end);
/* Nobody hears that stream any more: whoever writes to it learns it as of any broken pipe. */
void io_close_stream(struct step *s, uint32_t fd);
/* Too much waits for tasks that do not read: it is not acknowledged, so that no more comes. */
bool io_stdin_full(const struct step *s);
/* The srun of the step is gone: no input will come, and the report says why. */
void io_srun_gone(struct step *s, const char *why);

/* ---- io_client.c ---- */
struct io_client *io_client_new(const Pb__IoEndpoint *to, const char *host, bool main);
void io_client_connect(struct step *s, struct io_client *c); /* the first time */
void io_client_flush(struct step *s, struct io_client *c);
short io_client_events(const struct io_client *c); /* what to poll its fd for */
void io_client_handle(struct step *s, struct io_client *c, short revents);
void io_client_due(struct step *s, struct io_client *c, int64_t now); /* try again, or give up */
int64_t io_client_next_ms(const struct io_client *c);                 /* -1: no moment is set */
void io_client_over(struct step *s, struct io_client *c, const char *why);

#endif
