/* inquiry - requests to supervisors and their replies; see inquiry.h. */
#include "node/inquiry.h"

#include <unistd.h>

#include "base/errnum.h"
#include "base/mem.h"

struct inquiry {
    struct agent *agent;
    struct link *link;
    uint64_t number, id; /* of the client's frame; of the frames to the supervisors */
    enum msg_type reply;
    VEC(struct step_key) open; /* steps that have not replied */
    bool begun;
    struct buf body;
    struct inquiry *next;
};

static struct inquiry *first;
static uint64_t last_id;

bool inquiry_may(const struct step_run *r, const struct link_peer *peer)
{
    return peer->uid == r->uid || peer->uid == 0 || peer->uid == geteuid();
}

static void forget(struct inquiry *q)
{
    struct inquiry **at = &first;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    vec_clear(&q->open);
    buf_clear(&q->body);
    free(q);
}

static void asker_gone(void *arg)
{
    forget(arg);
}

struct inquiry *inquiry_new(struct agent *a, struct link *c, uint64_t number, enum msg_type reply)
{
    if (listen_held(c)) {
        listen_refuse(c, number, EBUSY, "one thing at a time on one connection");
        return NULL;
    }
    struct inquiry *q = NEW(struct inquiry);
    q->agent = a;
    q->link = c;
    q->number = number;
    q->id = ++last_id;
    q->reply = reply;
    q->next = first;
    first = q;
    listen_hold(c, asker_gone, q);
    return q;
}

void inquiry_ask(struct inquiry *q, struct step_run *r, enum msg_type type, const ProtobufCMessage *question)
{
    if (!r->answering || r->report)
        return;
    vec_push(&q->open, r->key);
    link_send_pb(r->supervisor, type, 0, q->id, question);
}

static void finish_if_all(struct inquiry *q)
{
    if (!q->begun || q->open.n)
        return;
    listen_hold(q->link, NULL, NULL);
    link_send(q->link, q->reply, 0, q->number, q->body.s, q->body.len);
    forget(q);
}

void inquiry_begin(struct inquiry *q)
{
    q->begun = true;
    finish_if_all(q);
}

/* The step has replied, or never will.  False: it is not part of this inquiry. */
static bool close_one(struct inquiry *q, struct step_key key)
{
    for (size_t i = 0; i < q->open.n; i++)
        if (step_key_eq(q->open.at[i], key)) {
            vec_remove(&q->open, i);
            return true;
        }
    return false;
}

void inquiry_answer(struct step_run *r, const struct frame *f)
{
    struct inquiry *q = first;
    while (q && q->id != f->number)
        q = q->next;
    if (!q || f->type != q->reply || !close_one(q, r->key))
        return;
    buf_add(&q->body, f->body, f->len);
    finish_if_all(q);
}

void inquiry_gone(struct step_run *r)
{
    for (struct inquiry *q = first, *next; q; q = next) {
        next = q->next;
        if (close_one(q, r->key))
            finish_if_all(q);
    }
}
