/*
 * bcast - a file for all nodes of a job: passed to a receiver on this node, and to the agents below.
 *
 * Each request (open, a block, close) is sent to every leg at once: to the receiver, which writes as the user, and to
 * the first agent of each branch.  The reply is sent when all legs have replied, and names every node that failed.
 * Only requests under way are kept in memory.  When the client disconnects, the whole transfer ends, and no node keeps
 * a partial file.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/groups.h"
#include "node/user_requests.h"
#include "node/permit.h"
#include "node/receiver.h"

#define OPS_MAX 16u           /* operations under way at once: a client that sends more does not wait for replies */
#define FRAME_FULL (9u << 20) /* a block and its message */
#define BYTES_MAX (1u << 30)  /* bytes of all files together that may wait here for slow nodes */
#define FANOUT_MAX 64u
#define FANOUT 16u

struct leg {
    struct bcast *bcast;
    struct link *link;          /* NULL: the connection is closed */
    const char *name;           /* name of the leg's node */
    uint64_t answered;          /* number of operations */
    VEC(Pb__AgentAddr *) below; /* borrowed from `open` */
    struct err gone;
};

struct op {
    uint64_t number;
    size_t bytes;   /* that all legs together hold of this operation */
    size_t waiting; /* legs that have not replied */
    VEC(Pb__NodeFailure *) failed;
};

struct bcast {
    struct agent *agent;
    struct link *up;
    Pb__BcastOpen *open; /* the first request: it lists the nodes below */
    uint32_t uid;
    VEC(struct leg *) legs; /* the receiver first */
    VEC(struct op) ops;
    uint64_t done; /* number of operations before ops.at[0] */
};

static size_t bytes; /* of all operations without a reply */

/* ---- ends ---- */

static void free_op(struct op *op)
{
    bytes -= op->bytes;
    for (size_t i = 0; i < op->failed.n; i++)
        pb__node_failure__free_unpacked(op->failed.at[i], NULL);
    vec_clear(&op->failed);
}

static void bcast_drop(void *arg)
{
    struct bcast *b = arg;
    for (size_t i = 0; i < b->legs.n; i++) {
        struct leg *l = b->legs.at[i];
        if (l->link) {
            link_set_arg(l->link, NULL);
            link_close(l->link);
        }
        vec_clear(&l->below);
        free(l);
    }
    for (size_t i = 0; i < b->ops.n; i++)
        free_op(&b->ops.at[i]);
    vec_clear(&b->legs);
    vec_clear(&b->ops);
    if (b->open)
        pb__bcast_open__free_unpacked(b->open, NULL);
    free(b);
}

/* ---- replies ---- */

static void add_failure(struct op *op, const char *node, int code, const char *text)
{
    Pb__NodeFailure f = PB__NODE_FAILURE__INIT;
    f.node = (char *)node;
    f.code = code;
    f.text = (char *)text;
    /* The generated code frees an unpacked message as a whole: make the copy by packing and unpacking. */
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__node_failure__get_packed_size(&f);
    pb__node_failure__pack(&f, (uint8_t *)buf_room(&packed, n));
    vec_push(&op->failed, pb__node_failure__unpack(NULL, n, (uint8_t *)packed.s));
}

/* Replies are sent in the order of the requests. */
static void answer_up(struct bcast *b)
{
    while (b->ops.n && !b->ops.at[0].waiting) {
        struct op *op = &b->ops.at[0];
        Pb__BcastReply r = PB__BCAST_REPLY__INIT;
        r.failed = op->failed.at, r.n_failed = op->failed.n;
        link_send_pb(b->up, MSG_BCAST_REPLY, 0, op->number, &r.base);
        free_op(op);
        vec_remove(&b->ops, 0);
        b->done++;
    }
}

/* The operation that this leg replies to next; NULL: none is under way. */
static struct op *next_op(struct leg *l)
{
    uint64_t at = l->answered - l->bcast->done;
    if (at >= l->bcast->ops.n)
        return NULL;
    l->answered++;
    l->bcast->ops.at[at].waiting--;
    return &l->bcast->ops.at[at];
}

static void leg_gone(struct leg *l)
{
    struct op *op;
    l->link = NULL;
    while ((op = next_op(l)))
        add_failure(op, l->name, l->gone.code, l->gone.text);
    answer_up(l->bcast);
}

static void hear_receiver(struct leg *l, struct op *op, const struct frame *f)
{
    Pb__Done *d = f->type == MSG_DONE ? pb__done__unpack(NULL, f->len, f->body) : NULL;
    if (!d)
        add_failure(op, l->name, EPROTO, "its receiver answers what it was not asked");
    else if (d->code)
        add_failure(op, l->name, d->code, d->text);
    if (d)
        pb__done__free_unpacked(d, NULL);
}

static void hear_branch(struct leg *l, struct op *op, const struct frame *f)
{
    Pb__BcastReply *r = f->type == MSG_BCAST_REPLY ? pb__bcast_reply__unpack(NULL, f->len, f->body) : NULL;
    Pb__Failure *no = f->type == MSG_FAILURE ? pb__failure__unpack(NULL, f->len, f->body) : NULL;
    for (size_t i = 0; r && i < r->n_failed; i++)
        add_failure(op, r->failed[i]->node, r->failed[i]->code, r->failed[i]->text);
    if (!r)
        add_failure(op, l->name, no ? no->code : EPROTO, no ? no->text : "it answers what it was not asked");
    if (r)
        pb__bcast_reply__free_unpacked(r, NULL);
    if (no)
        pb__failure__free_unpacked(no, NULL);
}

static void leg_frame(struct link *c, const struct frame *f)
{
    struct leg *l = link_arg(c);
    struct op *op = l ? next_op(l) : NULL;
    if (!op)
        return;
    if (l == l->bcast->legs.at[0])
        hear_receiver(l, op, f);
    else
        hear_branch(l, op, f);
    answer_up(l->bcast);
}

static void leg_closed(struct link *c, const struct err *why)
{
    struct leg *l = link_arg(c);
    if (!l)
        return;
    int code = why && why->code ? why->code : ECONNRESET;
    err_set(&l->gone, code, "its daemon cannot be reached: %s", why && why->text[0] ? why->text : strerror(code));
    leg_gone(l);
}

static const struct link_ops leg_ops = { NULL, leg_frame, leg_closed };

/* ---- sending down ---- */

static struct leg *new_leg(struct bcast *b, const char *name)
{
    struct leg *l = NEW(struct leg);
    l->bcast = b;
    l->name = name;
    vec_push(&b->legs, l);
    return l;
}

/* The address comes from the configuration, not from the user: a user who could choose it would receive the agent's
 * credential and could use it elsewhere. */
static void connect_leg(struct leg *l)
{
    struct agent *a = l->bcast->agent;
    struct link_claim claim = { .key = &a->key, .use = CRED_AGENT, .node = a->name, .to = l->name };
    const struct site_node *at = site_node(a->site, l->name);
    if (at)
        l->link = link_connect_tcp(a->loop, str_or(at->addr, at->name), at->port, LINK_AGENT, &claim, &leg_ops, l);
    else
        err_set(&l->gone, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
}

/* Divide the nodes below into branches; the first node of each branch receives the list of the rest. */
static void make_branches(struct bcast *b)
{
    const Pb__BcastOpen *o = b->open;
    size_t width = MIN(o->fanout ? o->fanout : FANOUT, FANOUT_MAX), n = o->n_below, branches = MIN(width, n);
    for (size_t i = 0, at = 0; i < branches; i++) {
        size_t share = n / branches + (i < n % branches);
        struct leg *l = new_leg(b, o->below[at]->name);
        for (size_t k = 1; k < share; k++)
            vec_push(&l->below, o->below[at + k]);
        at += share;
        connect_leg(l);
    }
}

static void new_op(struct bcast *b, const struct frame *f)
{
    struct op op = { .number = f->number, .waiting = b->legs.n, .bytes = b->legs.n * (size_t)f->len };
    bytes += op.bytes;
    vec_push(&b->ops, op);
}

/* A leg whose connection is closed fails the operation at once. */
static void pass_on(struct bcast *b, const struct frame *f, const Pb__BcastOpen *open)
{
    new_op(b, f);
    for (size_t i = 0; i < b->legs.n; i++) {
        struct leg *l = b->legs.at[i];
        if (!l->link) {
            leg_gone(l);
        } else if (open) {
            Pb__BcastOpen o = *open;
            o.below = l->below.at, o.n_below = l->below.n;
            link_send_pb(l->link, MSG_BCAST_OPEN, 0, 0, &o.base);
        } else {
            link_send(l->link, f->type, 0, 0, f->body, f->len);
        }
    }
}

static struct bcast *bcast_begin(struct agent *a, struct link *c, Pb__BcastOpen *o, const Pb__Permit *p,
                                 const struct groups *g, struct err *err)
{
    int fd = receiver_start(a, p, err);
    if (fd < 0)
        return NULL;
    struct bcast *b = NEW(struct bcast);
    b->agent = a;
    b->up = c;
    b->uid = p->uid;
    b->open = o;
    struct leg *own = new_leg(b, a->name);
    own->link = link_from_fd(a->loop, fd, &leg_ops, own);
    receiver_as(a, own->link, p, g);
    make_branches(b);
    listen_hold(c, bcast_drop, b);
    return b;
}

void bcast_open(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    struct err err = ERR_INIT;
    struct bcast *b = listen_holder(c, bcast_drop);
    Pb__BcastOpen *o = pb__bcast_open__unpack(NULL, f->len, f->body);
    Pb__Permit *p = o ? permit_open(&a->key, o->permit, a->name, peer, clock_cluster_ms(), &err) : NULL;
    if (!o)
        err_set(&err, EBADMSG, "a file to receive that does not parse");
    else if (p && !b && listen_held(c))
        err_set(&err, EBUSY, "one thing at a time on one connection");
    else if (p && o->n_below >= a->site->nnodes)
        err_set(&err, EINVAL, "a file for more nodes than there are");
    else if (p && b && (b->uid != p->uid || b->ops.n >= OPS_MAX))
        err_set(&err, EPERM, "one file at a time, of one user");
    bool first = p && !b && !err.code;
    struct groups g;
    bool wait = first && !groups_of(a, p->uid, p->gid, p->user_name, &g);
    if (first && !wait)
        b = bcast_begin(a, c, o, p, &g, &err);
    if (wait) {
        listen_park(c, f);
    } else if (err.code) {
        log_info("file refused path=%s why=%s", o ? o->path : "?", err.text);
        listen_refuse(c, f->number, err.code, "%s", err.text);
    } else {
        pass_on(b, f, o);
    }
    if (o && !(first && b))
        pb__bcast_open__free_unpacked(o, NULL);
    if (p)
        pb__permit__free_unpacked(p, NULL);
}

void bcast_more(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    (void)peer;
    struct bcast *b = listen_holder(c, bcast_drop);
    if (!b)
        listen_refuse(c, f->number, EPROTO, "no file was opened");
    else if (f->len > FRAME_FULL)
        listen_refuse(c, f->number, EFBIG, "a block of a file that is too big");
    else if (bytes + b->legs.n * (size_t)f->len > BYTES_MAX)
        listen_refuse(c, f->number, ENOBUFS, "node %s has too many blocks of files on their way", a->name);
    else if (b->ops.n >= OPS_MAX)
        link_close(c);
    else
        pass_on(b, f, NULL);
}
