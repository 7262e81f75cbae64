/* past - how long jobs ran; see past.h.  Whole numbers only: the same everywhere. */
#include "core/past.h"

#include <stdlib.h>

#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/pbutil.h"

#define PAST_SEEN 8000     /* after so many runs each counts half */
#define NEEDS_SEEN 5000    /* and after so many beginnings */
#define NEEDS_LEAST 200    /* fewer say nothing about what is usual */
#define FEW 100            /* one of so many */

static uint64_t gpus_of(const struct req *r)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        uint32_t times = g->scope == REQ_PER_JOB ? 1 : g->scope == REQ_PER_TASK ? req_tasks(r) : r->min_nodes;
        if (str_eq(g->name, "gpu"))
            gpus += g->count * times;
    }
    return gpus;
}

uint64_t past_size(const struct req *r)
{
    uint64_t gpus = gpus_of(r);
    return gpus ? gpus : req_cpus(r);
}

/* ---- classes ---- */

static uint64_t text_hash(const char *s)
{
    return s ? map_hash_bytes(s, strlen(s)) : 0;
}

void past_keys(const struct job *j, uint64_t out[static PAST_CLASSES])
{
    const uint64_t word[PAST_CLASSES] = {
        gpus_of(&j->spec->req) > 0, past_size(&j->spec->req),    j->time_limit_min,
        j->uid,                     text_hash(j->spec->account), text_hash(j->spec->name),
        j->script ? map_hash_bytes(j->script->data, j->script->len) : 0,
    };
    for (uint32_t i = 0; i < PAST_CLASSES; i++)
        out[i] = map_hash_bytes(word, (i + 1) * sizeof(*word)) | 1;
}

const struct past *past_find(const struct cluster *c, uint64_t key)
{
    return map_get(&c->past, key);
}

/* ---- one class ---- */

int64_t past_from_s(uint32_t bucket)
{
    return bucket ? 60LL << (bucket - 1) : 0;
}

uint32_t past_bucket(int64_t run_s)
{
    uint32_t b = 0;
    while (b + 1 < PAST_BUCKETS && run_s >= past_from_s(b + 1))
        b++;
    return b;
}

static void past_add(struct past *p, int64_t run_s)
{
    uint32_t b = past_bucket(run_s);
    p->n[b] += PAST_ONE;
    p->sum_s[b] += (uint64_t)run_s * PAST_ONE;
    p->seen += PAST_ONE;
    if (p->seen < PAST_SEEN * PAST_ONE)
        return;
    p->seen /= 2;
    for (b = 0; b < PAST_BUCKETS; b++)
        p->n[b] /= 2, p->sum_s[b] = p->n[b] ? p->sum_s[b] / 2 : 0;
}

/* ---- what is much ---- */

void past_began(struct cluster *c, uint32_t need)
{
    if (!c->learns || !need || need > PAST_NEEDS)
        return;
    c->needs[need - 1]++;
    if (++c->needs_seen < NEEDS_SEEN)
        return;
    c->needs_seen = 0;
    for (uint32_t i = 0; i < PAST_NEEDS; i++)
        c->needs_seen += c->needs[i] /= 2;
}

bool past_few(const struct cluster *c, uint32_t need)
{
    uint64_t n = 0;
    for (uint32_t i = MAX(need, 1u) - 1; i < PAST_NEEDS; i++)
        n += c->needs[i];
    return c->needs_seen >= NEEDS_LEAST && n * FEW <= c->needs_seen;
}

/* ---- all of them ---- */

struct seen {
    int64_t last_s;
    uint64_t key;
};

static int last_first(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->last_s != y->last_s)
        return x->last_s > y->last_s ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static struct past *past_new(struct cluster *c, uint64_t key)
{
    struct past *p = NEW(struct past);
    p->key = key;
    p->serial = c->past_serial++;
    map_put(&c->past, key, p);
    map_put(&c->past_by_serial, p->serial, p);
    snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
    return p;
}

static void past_drop(struct cluster *c, struct past *p)
{
    snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
    map_del(&c->past_by_serial, p->serial);
    free(p);
}

/* The half in which nothing ended for the longest time: so it is not looked for with every end. */
static void forget_half(struct cluster *c)
{
    size_t n = c->past.n, pos = 0;
    auto_free struct seen *all = mem_array(n, sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        const struct past *p = map_next(&c->past, &pos, &all[i].key);
        all[i].last_s = p->last_s;
    }
    qsort(all, n, sizeof(*all), last_first);
    for (size_t i = n / 2; i < n; i++)
        past_drop(c, map_del(&c->past, all[i].key));
}

/* Who was stopped by others says nothing about how long it would have run. */
static bool own_end(const struct job *j)
{
    enum job_state state = job_base(j);
    return state != JOB_PREEMPTED && state != JOB_NODE_FAIL && state != JOB_BOOT_FAIL;
}

void past_ended(struct cluster *c, const struct job *j)
{
    uint64_t key[PAST_CLASSES];
    if (!c->learns || !own_end(j))
        return;
    int64_t run_s = j->end_s - j->start_s - j->suspended_total_s + (job_checkpoints(j) ? j->ran_s : 0);
    past_keys(j, key);
    for (uint32_t i = 0; i < PAST_CLASSES; i++) {
        struct past *p = map_get(&c->past, key[i]);
        if (!p)
            p = past_new(c, key[i]);
        snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
        past_add(p, MIN(MAX(run_s, 0), past_from_s(PAST_BUCKETS)));
        p->last_s = j->end_s;
    }
    if (c->past.n > PAST_MOST)
        forget_half(c);
}

void past_config(struct cluster *c, bool learns)
{
    size_t pos = 0;
    c->learns = learns;
    if (learns)
        return;
    for (struct past *p; (p = map_next(&c->past, &pos, NULL));)
        past_drop(c, p);
    map_clear(&c->past);
    map_clear(&c->past_by_serial);
    memset(c->needs, 0, sizeof(c->needs));
    c->needs_seen = 0;
}

/* ---- as bytes ---- */

static void add_class(struct buf *out, uint32_t field, const struct past *p)
{
    Pb__Past pb = PB__PAST__INIT;
    uint32_t bucket[PAST_BUCKETS], n[PAST_BUCKETS];
    uint64_t sum_s[PAST_BUCKETS];
    pb.key = p->key, pb.seen = p->seen, pb.last_s = p->last_s;
    pb.bucket = bucket, pb.n = n, pb.sum_s = sum_s;
    for (uint32_t b = 0; b < PAST_BUCKETS; b++)
        if (p->n[b]) {
            bucket[pb.n_bucket++] = b;
            n[pb.n_n++] = p->n[b];
            sum_s[pb.n_sum_s++] = p->sum_s[b];
        }
    pb_add_message(out, field, &pb.base);
}

bool *past_encode(const struct cluster *c, uint64_t serial, struct buf *out, uint32_t field)
{
    struct past *p = map_get(&c->past_by_serial, serial);
    if (!p)
        return NULL;
    add_class(out, field, p);
    return &p->snap_queued;
}

static bool sound(const struct cluster *c, const Pb__Past *pb)
{
    if (!pb->key || past_find(c, pb->key) || pb->n_n != pb->n_bucket || pb->n_sum_s != pb->n_bucket)
        return false;
    for (size_t i = 0; i < pb->n_bucket; i++)
        if (pb->bucket[i] >= PAST_BUCKETS || !pb->n[i] || (i && pb->bucket[i] <= pb->bucket[i - 1]))
            return false;
    return true;
}

int past_decode(struct cluster *c, const Pb__Snapshot *s, struct err *err)
{
    Pb__Past *const *pb = s->pasts;
    for (size_t i = 0; i < s->n_needs && i < PAST_NEEDS; i++)
        c->needs_seen += c->needs[i] = MIN(s->needs[i], (uint32_t)NEEDS_SEEN);
    for (size_t i = 0; i < s->n_pasts; i++) {
        if (!sound(c, pb[i]))
            return err_set(err, EBADMSG, "what is known of earlier jobs does not fit together");
        struct past *p = past_new(c, pb[i]->key);
        p->seen = pb[i]->seen, p->last_s = pb[i]->last_s;
        for (size_t k = 0; k < pb[i]->n_bucket; k++)
            p->n[pb[i]->bucket[k]] = pb[i]->n[k], p->sum_s[pb[i]->bucket[k]] = pb[i]->sum_s[k];
    }
    return 0;
}
