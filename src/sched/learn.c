/*
 * learn - how long jobs like this one ran.
 *
 * Jobs are alike when they are of one size; more so when they ask for the same limit, are of the same user, account,
 * name and script.  Of each class it is remembered how many ran how long, by doublings of a minute: enough to say what
 * is still to come of a job that has run for some time already.  Few things run for just as long as the mean: most end
 * early, and who has run for a day will probably run for another.  A narrow class is believed as far as it has seen
 * enough; what is long past is slowly forgotten.
 *
 * All this is in the memory of the leader.  The next one learns it anew.
 */
#include <math.h>

#include "sched/sched_priv.h"

#define BUCKETS 20          /* up to a year */
#define PRIOR 3             /* a class is believed like the wider one until it has seen so many */
#define PAST_SEEN 1000      /* after so many each counts half */
#define PAST_MAX 65536      /* classes that are remembered */
#define UNKNOWN_S 86400.0   /* what is expected of a job without limit or history */

struct past {
    float seen;
    float n[BUCKETS], sum_s[BUCKETS];
};

uint64_t learn_gpus(const struct req *r)
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

uint64_t learn_size(const struct req *r)
{
    uint64_t gpus = learn_gpus(r);
    return gpus ? gpus : req_cpus(r);
}

/* ---- classes ---- */

enum { CLASS_ALL, CLASS_SIZE, CLASS_LIMIT, CLASS_USER, CLASS_ACCOUNT, CLASS_NAME, CLASS_SCRIPT, CLASSES };

static uint64_t text_hash(const char *s)
{
    return s ? map_hash_bytes(s, strlen(s)) : 0;
}

/* From the widest to the narrowest: each takes one more word into account. */
static void classes(const struct job *j, uint64_t out[static CLASSES])
{
    const uint64_t word[CLASSES] = {
        learn_gpus(&j->spec->req) > 0, learn_size(&j->spec->req), j->time_limit_min,
        j->uid,                        text_hash(j->spec->account), text_hash(j->spec->name),
        j->script ? map_hash_bytes(j->script->data, j->script->len) : 0,
    };
    for (uint32_t i = 0; i < CLASSES; i++)
        out[i] = map_hash_bytes(word, (i + 1) * sizeof(*word)) | 1;
}

/* ---- one class ---- */

static double bucket_from(uint32_t b)
{
    return b ? 60.0 * (double)(1u << (b - 1)) : 0;
}

static uint32_t bucket_of(double run_s)
{
    uint32_t b = 0;
    while (b + 1 < BUCKETS && run_s >= bucket_from(b + 1))
        b++;
    return b;
}

static void past_add(struct past *p, double run_s)
{
    uint32_t b = bucket_of(run_s);
    p->n[b]++;
    p->sum_s[b] += (float)run_s;
    if (++p->seen < PAST_SEEN)
        return;
    p->seen /= 2;
    for (b = 0; b < BUCKETS; b++)
        p->n[b] /= 2, p->sum_s[b] /= 2;
}

/* Of those that ran longer than `ran_s`: how many, and how much longer in all.  Within a doubling they are spread evenly. */
static double past_left(const struct past *p, double ran_s, double *n)
{
    uint32_t b = bucket_of(ran_s);
    double from = bucket_from(b), to = bucket_from(b + 1), left = 0;
    *n = 0;
    if (p->n[b] > 0 && ran_s > 0) {
        double share = to > from ? (to - ran_s) / (to - from) : 0;
        *n = p->n[b] * share;
        left = *n * (to - ran_s) / 2;
        b++;
    }
    for (; b < BUCKETS; b++) {
        *n += p->n[b];
        left += p->sum_s[b] - p->n[b] * ran_s;
    }
    return left;
}

/* ---- all of them ---- */

double learn_left_s(const struct sched *s, const struct job *j, double ran_s)
{
    uint64_t key[CLASSES];
    double limit = j->time_limit_min == INFINITE_MIN || !j->time_limit_min ? INFINITY : j->time_limit_min * 60.0;
    double mean = MAX(ran_s, UNKNOWN_S); /* with nothing known: as long again */
    mean = MIN(mean, limit);
    classes(j, key);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct past *p = map_get(&s->past, key[i]);
        double n, left = p ? past_left(p, ran_s, &n) : 0;
        if (p)
            mean = (left + mean * PRIOR) / (n + PRIOR);
    }
    return MIN(mean, limit);
}

void learn_run(struct sched *s, const struct job *j, double run_s)
{
    uint64_t key[CLASSES];
    classes(j, key);
    if (s->past.n > PAST_MAX)
        learn_forget(s);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct past *p = map_get(&s->past, key[i]);
        if (!p) {
            p = NEW(struct past);
            map_put(&s->past, key[i], p);
        }
        past_add(p, run_s);
    }
}

void learn_forget(struct sched *s)
{
    size_t pos = 0;
    for (struct past *p; (p = map_next(&s->past, &pos, NULL));)
        free(p);
    map_clear(&s->past);
}
