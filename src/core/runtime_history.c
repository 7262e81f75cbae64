/* runtime_history - how long jobs ran; see runtime_history.h.  Integer arithmetic only: every controller gets the same.
 */
#include "core/runtime_history.h"

#include <stdlib.h>

#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/pbutil.h"

#define RUNTIME_SEEN 8000    /* after so many runs the weight of all earlier ones is halved */
#define ESTIMATES_SEEN 5000  /* the same for estimates, after so many starts */
#define ESTIMATES_LEAST 200  /* with fewer starts no estimate is called rare */
#define RARE 100             /* rare: at most one start of so many */

/* ---- classes ---- */

static uint64_t text_hash(const char *s)
{
    return s ? map_hash_bytes(s, strlen(s)) : 0;
}

void runtime_class_keys(const struct job *j, uint64_t out[static RUNTIME_CLASS_KEYS])
{
    const uint64_t word[RUNTIME_CLASS_KEYS] = {
        req_gpus(&j->spec->req) > 0, req_size(&j->spec->req),    j->time_limit_min,
        j->uid,                     text_hash(j->spec->account), text_hash(j->spec->name),
        j->script ? map_hash_bytes(j->script->data, j->script->len) : 0,
    };
    for (uint32_t i = 0; i < RUNTIME_CLASS_KEYS; i++)
        out[i] = map_hash_bytes(word, (i + 1) * sizeof(*word)) | 1;
}

const struct runtime_class *runtime_class_find(const struct cluster *c, uint64_t key)
{
    return map_get(&c->runtime_classes, key);
}

/* ---- one class ---- */

int64_t runtime_bucket_start_s(uint32_t bucket)
{
    return bucket ? 60LL << (bucket - 1) : 0;
}

uint32_t runtime_bucket(int64_t run_s)
{
    uint32_t b = 0;
    while (b + 1 < RUNTIME_BUCKETS && run_s >= runtime_bucket_start_s(b + 1))
        b++;
    return b;
}

static void runtime_class_add(struct runtime_class *p, int64_t run_s)
{
    uint32_t b = runtime_bucket(run_s);
    p->n[b] += RUNTIME_ONE;
    p->sum_s[b] += (uint64_t)run_s * RUNTIME_ONE;
    p->seen += RUNTIME_ONE;
    if (p->seen < RUNTIME_SEEN * RUNTIME_ONE)
        return;
    p->seen /= 2;
    for (b = 0; b < RUNTIME_BUCKETS; b++)
        p->n[b] /= 2, p->sum_s[b] = p->n[b] ? p->sum_s[b] / 2 : 0;
}

/* ---- estimates ---- */

void runtime_history_began(struct cluster *c, uint32_t estimate)
{
    if (!c->learns || !estimate || estimate > RUNTIME_ESTIMATES)
        return;
    c->estimates[estimate - 1]++;
    if (++c->estimates_seen < ESTIMATES_SEEN)
        return;
    c->estimates_seen = 0;
    for (uint32_t i = 0; i < RUNTIME_ESTIMATES; i++)
        c->estimates_seen += c->estimates[i] /= 2;
}

bool runtime_estimate_rare(const struct cluster *c, uint32_t estimate)
{
    uint64_t n = 0;
    for (uint32_t i = MAX(estimate, 1u) - 1; i < RUNTIME_ESTIMATES; i++)
        n += c->estimates[i];
    return c->estimates_seen >= ESTIMATES_LEAST && n * RARE <= c->estimates_seen;
}

/* ---- all classes ---- */

struct class_age {
    int64_t last_s;
    uint64_t key;
};

static int by_last_end(const void *a, const void *b)
{
    const struct class_age *x = a, *y = b;
    if (x->last_s != y->last_s)
        return x->last_s > y->last_s ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static struct runtime_class *runtime_class_new(struct cluster *c, uint64_t key)
{
    struct runtime_class *p = NEW(struct runtime_class);
    p->key = key;
    p->serial = c->runtime_serial++;
    map_put(&c->runtime_classes, key, p);
    map_put(&c->runtime_by_serial, p->serial, p);
    snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
    return p;
}

static void runtime_class_drop(struct cluster *c, struct runtime_class *p)
{
    snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
    map_del(&c->runtime_by_serial, p->serial);
    free(p);
}

/* Drop the half of the classes in which no job has ended for the longest time: half, so that it happens rarely. */
static void drop_oldest_half(struct cluster *c)
{
    size_t n = c->runtime_classes.n, pos = 0;
    auto_free struct class_age *all = mem_array(n, sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        const struct runtime_class *p = map_next(&c->runtime_classes, &pos, &all[i].key);
        all[i].last_s = p->last_s;
    }
    qsort(all, n, sizeof(*all), by_last_end);
    for (size_t i = n / 2; i < n; i++)
        runtime_class_drop(c, map_del(&c->runtime_classes, all[i].key));
}

/* A job that was preempted or lost its node says nothing about how long it would have run. */
static bool ended_by_itself(const struct job *j)
{
    enum job_state state = job_base(j);
    return state != JOB_PREEMPTED && state != JOB_NODE_FAIL && state != JOB_BOOT_FAIL;
}

void runtime_history_ended(struct cluster *c, const struct job *j)
{
    uint64_t key[RUNTIME_CLASS_KEYS];
    if (!c->learns || !ended_by_itself(j))
        return;
    int64_t run_s = j->end_s - j->start_s - j->suspended_total_s + (job_checkpoints(j) ? j->ran_s : 0);
    runtime_class_keys(j, key);
    for (uint32_t i = 0; i < RUNTIME_CLASS_KEYS; i++) {
        struct runtime_class *p = map_get(&c->runtime_classes, key[i]);
        if (!p)
            p = runtime_class_new(c, key[i]);
        snap_stale(c->snap, SNAP_HISTORY, p->serial, &p->snap_queued);
        runtime_class_add(p, MIN(MAX(run_s, 0), runtime_bucket_start_s(RUNTIME_BUCKETS)));
        p->last_s = j->end_s;
    }
    if (c->runtime_classes.n > RUNTIME_CLASSES_MAX)
        drop_oldest_half(c);
}

void runtime_history_config(struct cluster *c, bool learns)
{
    size_t pos = 0;
    c->learns = learns;
    if (learns)
        return;
    for (struct runtime_class *p; (p = map_next(&c->runtime_classes, &pos, NULL));)
        runtime_class_drop(c, p);
    map_clear(&c->runtime_classes);
    map_clear(&c->runtime_by_serial);
    memset(c->estimates, 0, sizeof(c->estimates));
    c->estimates_seen = 0;
}

/* ---- in snapshots ---- */

static void encode_class(struct buf *out, uint32_t field, const struct runtime_class *p)
{
    Pb__RuntimeClass pb = PB__RUNTIME_CLASS__INIT;
    uint32_t bucket[RUNTIME_BUCKETS], n[RUNTIME_BUCKETS];
    uint64_t sum_s[RUNTIME_BUCKETS];
    pb.key = p->key, pb.seen = p->seen, pb.last_s = p->last_s;
    pb.bucket = bucket, pb.n = n, pb.sum_s = sum_s;
    for (uint32_t b = 0; b < RUNTIME_BUCKETS; b++)
        if (p->n[b]) {
            bucket[pb.n_bucket++] = b;
            n[pb.n_n++] = p->n[b];
            sum_s[pb.n_sum_s++] = p->sum_s[b];
        }
    pb_pack_field(out, field, &pb.base);
}

bool *runtime_class_encode(const struct cluster *c, uint64_t serial, struct buf *out, uint32_t field)
{
    struct runtime_class *p = map_get(&c->runtime_by_serial, serial);
    if (!p)
        return NULL;
    encode_class(out, field, p);
    return &p->snap_queued;
}

static bool class_is_sound(const struct cluster *c, const Pb__RuntimeClass *pb)
{
    if (!pb->key || runtime_class_find(c, pb->key) || pb->n_n != pb->n_bucket || pb->n_sum_s != pb->n_bucket)
        return false;
    for (size_t i = 0; i < pb->n_bucket; i++)
        if (pb->bucket[i] >= RUNTIME_BUCKETS || !pb->n[i] || (i && pb->bucket[i] <= pb->bucket[i - 1]))
            return false;
    return true;
}

int runtime_history_decode(struct cluster *c, const Pb__Snapshot *s, struct err *err)
{
    Pb__RuntimeClass *const *pb = s->runtime_classes;
    for (size_t i = 0; i < s->n_estimates && i < RUNTIME_ESTIMATES; i++)
        c->estimates_seen += c->estimates[i] = MIN(s->estimates[i], (uint32_t)ESTIMATES_SEEN);
    for (size_t i = 0; i < s->n_runtime_classes; i++) {
        if (!class_is_sound(c, pb[i]))
            return err_set(err, EBADMSG, "a class of the runtime history is malformed");
        struct runtime_class *p = runtime_class_new(c, pb[i]->key);
        p->seen = pb[i]->seen, p->last_s = pb[i]->last_s;
        for (size_t k = 0; k < pb[i]->n_bucket; k++)
            p->n[pb[i]->bucket[k]] = pb[i]->n[k], p->sum_s[pb[i]->bucket[k]] = pb[i]->sum_s[k];
    }
    return 0;
}
