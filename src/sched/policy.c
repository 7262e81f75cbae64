/*
 * policy - in which order jobs of one tier stand.
 *
 * By default it is Slurm's: the higher priority first, then the older.  SpurPolicy=short orders by a moment: when a job
 * came, plus a grace that grows with the GPU-time it is expected to need.  Small jobs pass big ones, but only those
 * that came not too much earlier: whoever waits comes to the front by waiting, and nobody waits for ever.  The moment
 * does not move with time, so the order need not be made anew.
 *
 * docs/scheduling.md has what it does to traces, and why the grace is what it is.
 */
#include <math.h>

#include "sched/priority.h"
#include "sched/sched_priv.h"

#define GRACE_S (8 * 3600.0)        /* of a job of one GPU-hour */
#define GRACE_POWER 0.4             /* how it grows with GPU-hours: slowly, or the biggest would pay for all */
#define PATIENCE_S (7 * 86400.0)    /* the longest */
#define PRIOR 3                     /* a class is believed like the wider one until it has seen so many */
#define UNKNOWN_S 86400.0           /* what is expected of a job without limit or history */
#define PAST_MAX 65536              /* classes that are remembered */

/* ---- what jobs like this one needed ---- */

struct past {
    double n, sum_s;
};

static uint64_t gpus_of(const struct req *r)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        uint32_t times = g->scope == REQ_PER_JOB ? 1 : g->scope == REQ_PER_TASK ? req_tasks(r) : r->min_nodes;
        if (fit_is_gpu(g))
            gpus += g->count * times;
    }
    return gpus;
}

/* GPUs; CPUs for those without. */
static uint64_t size_of(const struct req *r)
{
    uint64_t gpus = gpus_of(r);
    return gpus ? gpus : req_cpus(r);
}

enum { CLASS_ALL, CLASS_SIZE, CLASS_LIMIT, CLASS_USER, CLASS_ACCOUNT, CLASS_NAME, CLASSES };

static uint64_t text_hash(const char *s)
{
    return s ? map_hash_bytes(s, strlen(s)) : 0;
}

/* From the widest to the narrowest: each takes one more word into account. */
static void classes(const struct job *j, uint64_t out[static CLASSES])
{
    const uint64_t word[CLASSES] = {
        gpus_of(&j->spec->req) > 0, size_of(&j->spec->req), j->time_limit_min, j->uid, text_hash(j->spec->account),
        text_hash(j->spec->name),
    };
    for (uint32_t i = 0; i < CLASSES; i++)
        out[i] = map_hash_bytes(word, (i + 1) * sizeof(*word)) | 1;
}

static double limit_s(const struct job *j)
{
    return j->time_limit_min == INFINITE_MIN || !j->time_limit_min ? INFINITY : j->time_limit_min * 60.0;
}

static double expected_s(const struct sched *s, const struct job *j)
{
    uint64_t key[CLASSES];
    double limit = limit_s(j), mean = MIN(limit, UNKNOWN_S);
    classes(j, key);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct past *p = map_get(&s->past, key[i]);
        if (p)
            mean = (p->sum_s + mean * PRIOR) / (p->n + PRIOR);
    }
    return MIN(mean, limit);
}

void policy_learn(struct sched *s, const struct job *j)
{
    if (s->conf.policy != POLICY_SHORT || !j->start_s || !job_ended(j) || j->end_s < j->start_s)
        return;
    uint64_t key[CLASSES];
    classes(j, key);
    if (s->past.n > PAST_MAX)
        policy_forget(s);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct past *p = map_get(&s->past, key[i]);
        if (!p) {
            p = NEW(struct past);
            map_put(&s->past, key[i], p);
        }
        p->n++;
        p->sum_s += (double)(j->end_s - j->start_s);
    }
}

void policy_forget(struct sched *s)
{
    size_t pos = 0;
    for (struct past *p; (p = map_next(&s->past, &pos, NULL));)
        free(p);
    map_clear(&s->past);
}

/* ---- the order ---- */

/* An administrator's word (--priority, nice) still moves a job: a point is a minute. */
static int64_t turn_s(const struct sched *s, const struct job *j)
{
    double gpu_h = expected_s(s, j) * (double)size_of(&j->spec->req) / 3600;
    double grace = MIN(GRACE_S * pow(gpu_h, GRACE_POWER), PATIENCE_S);
    return j->submit_s + (int64_t)grace - ((int64_t)priority_plain(j) - 1) * 60;
}

uint64_t policy_rank(const struct sched *s, const struct job *j)
{
    if (s->conf.policy != POLICY_SHORT)
        return (uint64_t)~job_priority(j) << 32 | j->id;
    int64_t turn = turn_s(s, j);
    return (uint64_t)(uint32_t)MIN(MAX(turn, 0), (int64_t)UINT32_MAX) << 32 | j->id;
}
