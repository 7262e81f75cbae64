/*
 * crowd - answers that many may want: made once for all who ask the same, no more often than the controller can spare.
 *
 * Who asks about everything (all jobs, all nodes) is answered at the end of a turn, behind whatever changes
 * something, from the state as it is then: never from one before the question.  All who asked the same get the same
 * bytes, and so does who asks while nothing has changed.  While much changes, making answers may take a twentieth of
 * the controller's time: who comes sooner waits for others to come, 100 ms at the most.  Where several get one
 * answer it is packed, if they can unpack it.
 *
 * What is shown is the same for every user, so users share.  A rule by which it is not has to become part of what is
 * compared.
 */
#ifndef SPUR_CTL_CROWD_H
#define SPUR_CTL_CROWD_H

#include "ctl/ctl_priv.h"

struct page { /* one frame of an answer */
    struct sheet *sheet;
    uint16_t flags;
};

struct pages {
    VEC(struct page) v;
    size_t bytes;
};

void pages_add(struct pages *p, struct buf *body, bool more); /* the body is taken */
/* To whoever asked; the pages can go to others, too. */
void pages_say(struct ctl *t, uint64_t session, uint64_t number, enum msg_type reply, const struct pages *p);
void pages_clear(struct pages *p);

/* The whole answer to a question, from the state as it is. */
typedef void crowd_fn(struct ctl *t, const ProtobufCMessage *question, struct pages *out);

/* Answered by crowd_answer(), now or later. */
void crowd_ask(const struct ctl_call *call, enum msg_type reply, crowd_fn *make);
void crowd_answer(struct ctl *t); /* at the end of a turn */
void crowd_clear(struct ctl *t);  /* whoever waits will ask another controller */

#endif
