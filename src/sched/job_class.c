/*
 * job_class - pending jobs that ask for the same thing, so that one test answers for all of them.
 *
 * A class keeps the queue keys of its jobs in order.  Two jobs are in the same class if their signatures are equal: the
 * partition, the reservation, the limits that apply, and every field of the request that the scheduler reads.
 */
#include "base/str.h"
#include "core/het.h"
#include "sched/fit_cache.h"
#include "sched/limit.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"

/* Everything that decides where and when a job can start, as bytes. */
static void class_signature(const struct sched *s, const struct cluster *c, struct buf *b, const struct job *j,
                            const struct part *p, const struct resv_choice *in)
{
    const uint64_t numbers[] = {
        p->index,
        s->by_user ? j->uid + 1ull : 0,
        s->qos_preempts.n ? oversub_qos(s, c, j) : 0,
        in->resv ? in->resv->pb->id * 2ull + in->magnetic : 0,
        job_limit_in(j, p->pb),
        j->mem_per_node_mb,
        j->mem_per_cpu_mb,
        (uint64_t)j->spec->deadline_s,
        het_leads(j) ? j->id : 0,
        (uint64_t)topo_switch_until_s(s, j),
    };
    buf_add(b, numbers, sizeof(numbers));
    req_signature(&j->spec->req, b);
    limit_signature(s, c, j, p, b);
}

void class_judge(struct sched *s, const struct cluster *c, struct job_class *cls)
{
    enum why_code was = cls->state == CLASS_UNSCHEDULABLE ? cls->unschedulable : WHY_NONE;
    enum why_code is = need_unschedulable(s, c, &cls->need);
    cls->tier = c->part.at[cls->need.part]->pb->priority_tier;
    cls->unschedulable = is;
    if (is != WHY_NONE)
        cls->state = CLASS_UNSCHEDULABLE;
    else if (cls->state == CLASS_UNSCHEDULABLE)
        cls->state = CLASS_UNTESTED;
    if (was != is)
        for (size_t i = cls->head; i < cls->keys.n; i++)
            vec_push(&s->why_changed, queue_key_id(cls->keys.at[i]));
}

struct job_class *class_get(struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                            const struct resv_choice *in)
{
    auto_buf struct buf key = BUF_INIT;
    class_signature(s, c, &key, j, p, in);
    uint64_t hash = map_hash_bytes(key.s, key.len);
    struct job_class *first = map_get(&s->class_by_hash, hash);
    for (struct job_class *cls = first; cls; cls = cls->hash_next)
        if (cls->signature_len == key.len && !memcmp(cls->signature, key.s, key.len))
            return cls;
    struct job_class *cls = NEW(struct job_class);
    cls->hash = hash;
    cls->signature_len = key.len;
    cls->signature = buf_take(&key);
    cls->hash_next = first;
    cls->deadline_s = j->spec->deadline_s;
    cls->het = het_leads(j) ? j->id : 0;
    req_copy(&cls->req, &j->spec->req);
    mem_set_str(&cls->req.reservation, in->resv ? in->resv->pb->name : NULL);
    need_init(&cls->need, s, c, &cls->req, j, p);
    cls->need.magnetic = in->magnetic;
    s->gres_bind_seen |= cls->need.gres_bind;
    map_put(&s->class_by_hash, hash, cls);
    cls->at = s->classes.n;
    vec_push(&s->classes, cls);
    class_judge(s, c, cls);
    return cls;
}

void class_free(struct job_class *cls)
{
    need_clear(&cls->need);
    req_clear(&cls->req);
    vec_clear(&cls->keys);
    vec_clear(&cls->fit_cache.at);
    free(cls->signature);
    free(cls);
}

static void class_drop(struct sched *s, struct job_class *cls)
{
    struct job_class *first = map_get(&s->class_by_hash, cls->hash);
    if (first == cls) {
        map_del(&s->class_by_hash, cls->hash);
        if (cls->hash_next)
            map_put(&s->class_by_hash, cls->hash, cls->hash_next);
    } else {
        while (first->hash_next != cls)
            first = first->hash_next;
        first->hash_next = cls->hash_next;
    }
    s->classes.at[cls->at] = s->classes.at[--s->classes.n];
    s->classes.at[cls->at]->at = cls->at;
    class_free(cls);
}

/* Empty classes are kept for a while: the next job is often like the last. */
void classes_sweep(struct sched *s)
{
    size_t empty = 0;
    for (size_t i = 0; i < s->classes.n; i++)
        empty += !class_count(s->classes.at[i]);
    if (empty < 64 + s->classes.n / 2)
        return;
    for (size_t i = s->classes.n; i-- > 0;)
        if (!class_count(s->classes.at[i]))
            class_drop(s, s->classes.at[i]);
}

/* Index of the first key at or after `key`. */
static size_t class_find_key(const struct job_class *cls, uint64_t key)
{
    size_t lo = cls->head, hi = cls->keys.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (cls->keys.at[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void class_add_key(struct job_class *cls, uint64_t key)
{
    cls->changed = true;
    if (cls->head > 64 && cls->head > cls->keys.n / 2) {
        memmove(cls->keys.at, cls->keys.at + cls->head, class_count(cls) * sizeof(*cls->keys.at));
        cls->keys.n -= cls->head;
        cls->head = 0;
    }
    if (key < cls->fit_cache.key)
        fit_cache_invalidate(cls); /* fewer planned starts count for this job than for the one that was tested */
    size_t at = class_find_key(cls, key);
    vec_push(&cls->keys, key);
    memmove(cls->keys.at + at + 1, cls->keys.at + at, (cls->keys.n - 1 - at) * sizeof(*cls->keys.at));
    cls->keys.at[at] = key;
}

void class_remove_key(struct job_class *cls, uint64_t key)
{
    size_t at = class_find_key(cls, key);
    if (at >= cls->keys.n || cls->keys.at[at] != key)
        return;
    if (at == cls->head)
        cls->head++;
    else
        vec_remove(&cls->keys, at);
    if (cls->head == cls->keys.n)
        cls->head = cls->keys.n = 0;
}
