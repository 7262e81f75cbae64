/*
 * rig - a cluster and the events that change it.
 *
 * rig_apply() sees to it that an event that does not fit changes nothing: it compares the bytes before and after.
 */
#ifndef SPUR_TEST_CORE_RIG_H
#define SPUR_TEST_CORE_RIG_H

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/cluster.h"
#include "core/pbutil.h"
#include "test.h"

#define TEXT(s) ((char *)(uintptr_t)(s))
#define AT_S 1800000000

struct rig {
    struct cluster *c;
    int64_t now_s;
};

static inline bool rig_same(const struct buf *a, const struct buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->s, b->s, a->len));
}

static inline int rig_apply(struct rig *r, Pb__Event *ev)
{
    struct err err = ERR_INIT;
    auto_buf struct buf before = BUF_INIT, after = BUF_INIT;
    cluster_encode(r->c, &before);
    ev->at_ms = r->now_s * 1000;
    int rc = cluster_apply(r->c, ev, &err);
    if (!rc)
        return 0;
    cluster_encode(r->c, &after);
    if (!rig_same(&before, &after))
        (void)ok(false, "a refused event of kind %d (%s) changed the state", ev->body_case, err.text);
    return rc;
}

#define RIG_EVENT(r, Case, field, body)                                                            \
    ({                                                                                             \
        Pb__Event ev_ = PB__EVENT__INIT;                                                           \
        ev_.body_case = PB__EVENT__BODY_##Case;                                                    \
        ev_.field = (body);                                                                        \
        rig_apply((r), &ev_);                                                                      \
    })

/* How long jobs ran is remembered from the next configuration on. */
static bool rig_learns;

static inline int rig_config(struct rig *r, const char *gres, uint32_t nodes)
{
    Pb__EvConfig e = PB__EV_CONFIG__INIT;
    Pb__NodeDef def[8], *defs[8];
    Pb__NodeHw hw = PB__NODE_HW__INIT;
    char names[8][8];
    hw.boards = 1, hw.sockets = 1, hw.cores = 4, hw.threads = 1, hw.cpus = 4, hw.mem_mb = 8000;
    for (uint32_t i = 0; i < nodes; i++) {
        pb__node_def__init(&def[i]);
        snprintf(names[i], sizeof(names[i]), "n%u", i + 1);
        def[i].name = names[i], def[i].hw = &hw, def[i].gres = TEXT(gres), def[i].features = TEXT("plain");
        defs[i] = &def[i];
    }
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    char all[16];
    snprintf(all, sizeof(all), "n[1-%u]", nodes);
    part.name = TEXT("main"), part.nodes = all, part.is_default = true;
    e.cluster = TEXT("test"), e.nodes = defs, e.n_nodes = nodes, e.parts = parts, e.n_parts = 1;
    e.learns = rig_learns;
    return RIG_EVENT(r, CONFIG, config, &e);
}

static inline void rig_up(struct rig *r)
{
    *r = (struct rig){ .c = cluster_new(), .now_s = AT_S };
    rig_config(r, "gpu:2", 4);
    for (uint32_t i = 0; i < 4; i++) {
        Pb__EvNodeUp up = PB__EV_NODE_UP__INIT;
        up.node = i, up.state = NODE_IDLE | NODE_REGISTERED, up.boot_id = TEXT("b"), up.version = TEXT("1");
        RIG_EVENT(r, NODE_UP, node_up, &up);
    }
}

static inline void rig_down(struct rig *r)
{
    cluster_free(r->c);
}

/* A job with spec, script and environment; `tasks`: an array of so many.  The blobs are numbered from `blob`. */
static inline int rig_submit_as(struct rig *r, uint32_t id, const char *name, uint32_t tasks, uint8_t key, uint32_t uid)
{
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    auto_buf struct buf bytes = BUF_INIT;
    spec.name = TEXT(name);
    pb_pack(&bytes, &spec.base);
    const struct {
        const void *p;
        size_t len;
    } want[] = { { bytes.s, bytes.len }, { "#!/bin/sh\n", 10 }, { "A=1", 4 } };
    Pb__Blob blob[3], *blobs[3];
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
    uint64_t ids[3];
    for (size_t i = 0; i < 3; i++) {
        struct blob *known = cluster_find_blob(r->c, want[i].p, want[i].len);
        ids[i] = known ? known->id : r->c->next_blob + e.n_blobs;
        if (known)
            continue;
        Pb__Blob *b = blobs[e.n_blobs] = &blob[e.n_blobs];
        pb__blob__init(b);
        b->id = ids[i], b->data = (ProtobufCBinaryData){ want[i].len, (uint8_t *)(uintptr_t)want[i].p };
        e.n_blobs++;
    }
    uint8_t bits[2] = { (uint8_t)((1u << tasks) - 1), 0 }, key_bytes[16];
    memset(key_bytes, key, sizeof(key_bytes));
    e.job_id = id, e.uid = uid, e.gid = uid, e.spec = ids[0], e.script = ids[1], e.env = ids[2], e.blobs = blobs;
    e.partition = TEXT("main"), e.priority = 1, e.time_limit_min = 10, e.eligible_s = r->now_s, e.requeue = true,
    e.user_name = TEXT("ada");
    if (key)
        e.key = (ProtobufCBinaryData){ 16, key_bytes };
    if (tasks)
        e.is_array = true, e.array_pending = (ProtobufCBinaryData){ 1, bits };
    return RIG_EVENT(r, SUBMIT, submit, &e);
}

static inline int rig_submit(struct rig *r, uint32_t id)
{
    return rig_submit_as(r, id, "job", 0, 0, 1001);
}

/* Starts on `n` nodes from `first` on, two CPUs and a GPU on each: odd numbers the upper, even the lower.  With
 * `new_id` a task leaves its array. */
static inline int rig_start_task(struct rig *r, uint32_t id, uint32_t first, uint32_t n, uint32_t task, uint32_t new_id)
{
    uint8_t one = id % 2 ? 2 : 1, cores = id % 2 ? 12 : 3;
    Pb__EvStart e = PB__EV_START__INIT;
    Pb__NodeAlloc at[4], *list[4];
    Pb__Gres gres = PB__GRES__INIT, *shares[] = { &gres };
    gres.slot = 1, gres.count = 1, gres.index = (ProtobufCBinaryData){ 1, &one };
    for (uint32_t i = 0; i < n; i++) {
        pb__node_alloc__init(&at[i]);
        at[i].node = first + i, at[i].cpus = 2, at[i].tasks = 1, at[i].mem_mb = 100;
        at[i].cores = (ProtobufCBinaryData){ 1, &cores };
        at[i].gres = shares, at[i].n_gres = 1;
        list[i] = &at[i];
    }
    e.job_id = id, e.attempt = MAX(r->c->next_attempt, 1u), e.partition = TEXT("main"), e.alloc = list, e.n_alloc = n,
    e.time_limit_min = 10;
    e.task = task, e.new_id = new_id, e.split = new_id != 0;
    return RIG_EVENT(r, START, start, &e);
}

static inline int rig_start(struct rig *r, uint32_t id, uint32_t first, uint32_t n)
{
    return rig_start_task(r, id, first, n, 0, 0);
}

static inline int rig_end(struct rig *r, uint32_t id, uint32_t state, bool all_done)
{
    Pb__EvEnd e = PB__EV_END__INIT;
    e.job_id = id, e.state = state, e.all_done = all_done;
    return RIG_EVENT(r, END, end, &e);
}

static inline int rig_node_done(struct rig *r, uint32_t id, uint32_t pos)
{
    Pb__EvNodeDone e = PB__EV_NODE_DONE__INIT;
    struct job *j = cluster_job(r->c, id);
    e.job_id = id, e.attempt = j ? j->attempt : 0, e.node = &pos, e.n_node = 1;
    return RIG_EVENT(r, NODE_DONE, node_done, &e);
}

static inline int rig_requeue(struct rig *r, uint32_t id, bool all_done)
{
    Pb__EvRequeue e = PB__EV_REQUEUE__INIT;
    e.job_id = id, e.all_done = all_done, e.eligible_s = r->now_s;
    return RIG_EVENT(r, REQUEUE, requeue, &e);
}

static inline const char *rig_state(const struct rig *r, uint32_t id)
{
    struct job *j = cluster_job(r->c, id);
    return j ? job_state_name(j->state) : "gone";
}

/* Do the bytes that the records kept equal those that are made anew? */
static inline bool rig_kept_bytes_same(struct rig *r, const struct buf *fresh)
{
    auto_buf struct buf kept = BUF_INIT;
    struct snapshot *s = cluster_snapshot(r->c);
    snapshot_write(s, &kept);
    bool same = rig_same(&kept, fresh) && kept.len == snapshot_size(s);
    snapshot_free(s);
    return same;
}

/* Through bytes and back: true when the copy writes the same bytes and counts the same use. */
static inline bool rig_round_trip(struct rig *r)
{
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cluster *copy;
    cluster_encode(r->c, &a);
    if (cluster_decode(&copy, a.s, a.len, &err))
        return false;
    cluster_encode(copy, &b);
    bool same = rig_same(&a, &b) && rig_kept_bytes_same(r, &a);
    for (size_t i = 0; i < r->c->nnodes; i++) {
        const struct node *x = &r->c->node[i], *y = &copy->node[i];
        same &= x->cpus_used == y->cpus_used && x->jobs == y->jobs && x->mem_used_mb == y->mem_used_mb &&
                x->completing == y->completing;
        same &= x->ngres == y->ngres && bitmap_count(&x->cores_used) == bitmap_count(&y->cores_used) &&
                str_eq(x->features, y->features);
        for (uint32_t g = 0; same && g < x->ngres; g++)
            same &= x->gres[g].used == y->gres[g].used && x->gres[g].count == y->gres[g].count &&
                    str_eq(x->gres[g].name, y->gres[g].name);
    }
    cluster_free(r->c);
    r->c = copy;
    return same;
}

#endif
