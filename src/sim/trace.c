/* trace - the history of a cluster as data; see trace.h. */
#include "sim/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "sim/world.h"

#define DAY_S 86400
#define DAY_MIN 1440

static uint32_t trace_minutes(int64_t run_s)
{
    return (uint32_t)((run_s + 59) / 60);
}

/* The first step that is sufficient, or `more` steps above it. */
static uint32_t round_limit(int64_t run_s, size_t more)
{
    static const uint32_t steps[] = { 60, 240, 720, DAY_MIN, 3 * DAY_MIN, 7 * DAY_MIN, 14 * DAY_MIN };
    uint32_t need = trace_minutes(run_s);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (need <= steps[i])
            return steps[MIN(i + more, ARRAY_LEN(steps) - 1)];
    return steps[ARRAY_LEN(steps) - 1];
}

static uint32_t limit_for(const struct trace_job *j, enum trace_limits how, uint32_t most, struct rng *rng)
{
    switch (how) {
    case LIMITS_LADDER: return round_limit(j->run_s, 0);
    case LIMITS_EQUAL: return most;
    case LIMITS_EXACT: return trace_minutes(j->run_s);
    case LIMITS_ENOUGH: return MAX(round_limit(j->run_s, 0), trace_minutes(j->run_s));
    case LIMITS_LOOSE: break;
    }
    uint32_t kind = (uint32_t)rng_below(rng, 3);
    return kind == 2 ? most : round_limit(j->run_s, kind ? 1 + (size_t)rng_below(rng, 2) : 0);
}

static void give_limits(struct trace *t, const struct trace_conf *conf)
{
    struct rng rng = { conf->seed ^ 0x11e5 };
    uint32_t most = 0;
    for (size_t i = 0; i < t->job.n; i++)
        most = MAX(most, round_limit(t->job.at[i].run_s, 0));
    for (size_t i = 0; i < t->job.n; i++)
        t->job.at[i].limit_min = limit_for(&t->job.at[i], conf->limits, most, &rng);
}

static int by_arrival(const void *a, const void *b)
{
    const struct trace_job *x = a, *y = b;
    return (x->arrive_s > y->arrive_s) - (x->arrive_s < y->arrive_s);
}

static void trace_finish(struct trace *t, const struct trace_conf *conf)
{
    qsort(t->job.at, t->job.n, sizeof(*t->job.at), by_arrival);
    if (conf->max_jobs)
        t->job.n = MIN(t->job.n, conf->max_jobs);
    give_limits(t, conf);
    struct rng rng = { conf->seed ^ 0xc4ec };
    for (size_t i = 0; i < t->job.n; i++)
        t->job.at[i].checkpoints = (double)(rng_next(&rng) >> 11) / 9007199254740992.0 < conf->checkpoints;
    int64_t first = t->job.n ? t->job.at[0].arrive_s : 0;
    for (size_t i = 0; i < t->job.n; i++)
        t->job.at[i].arrive_s -= first;
}

static bool take_line(struct trace *t, const struct trace_conf *conf, char *line)
{
    char *at = line, *field[6] = { 0 };
    for (size_t i = 0; i < ARRAY_LEN(field) && at; i++)
        field[i] = strsep(&at, ",");
    if (!field[5])
        return false;
    double arrive = strtod(field[1], NULL), run = strtod(field[5], NULL);
    uint64_t gpus;
    if (!str_u64(field[4], 1, UINT32_MAX, &gpus) || !(run >= 0) || !(arrive >= 0))
        return false;
    if (conf->to_day > 0 && (arrive < conf->from_day * DAY_S || arrive >= conf->to_day * DAY_S))
        return true;
    struct trace_job j = { .arrive_s = (int64_t)arrive, .run_s = MAX((int64_t)(run + 0.5), 1), .gpus = (uint32_t)gpus };
    vec_push(&t->job, j);
    return true;
}

int trace_load(struct trace *t, const struct trace_conf *conf, struct err *err)
{
    gzFile f = gzopen(conf->path, "rb");
    if (!f)
        return err_set(err, errno ? errno : ENOMEM, "%s: %m", conf->path);
    char line[4096];
    int rc = 0;
    for (unsigned n = 1; !rc && gzgets(f, line, sizeof(line)); n++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] && line[0] != '#' && !take_line(t, conf, line))
            rc = err_set(err, EINVAL, "%s:%u: not \"id,arrival,,,gpus,duration\"", conf->path, n);
    }
    gzclose(f);
    if (!rc)
        trace_finish(t, conf);
    return rc;
}

/* ---- synthetic jobs ---- */

static double random_unit(struct rng *r)
{
    return ((double)(rng_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

/* Log-normal: most jobs are short, a few are very long. */
static double random_lognormal(struct rng *r, double median, double sigma)
{
    double z = sqrt(-2 * log(random_unit(r))) * cos(2 * M_PI * random_unit(r));
    return median * exp(sigma * z);
}

void trace_make_cpu(struct trace *t, const struct trace_conf *conf, uint32_t cpus, double load, double days)
{
    struct rng rng = { conf->seed ^ 0xc0ffee };
    double want = load * cpus * days * DAY_S, have = 0;
    while (have < want) {
        uint32_t size = 1u << rng_below(&rng, rng_chance(&rng, 10) ? 10 : 6);
        double run = MIN(random_lognormal(&rng, 1200, 1.9), 7.0 * DAY_S);
        struct trace_job j = { .arrive_s = (int64_t)(random_unit(&rng) * days * DAY_S),
                               .run_s = MAX((int64_t)run, 1),
                               .cpus = MIN(size, cpus / 4) };
        have += (double)j.run_s * j.cpus;
        vec_push(&t->job, j);
    }
    trace_finish(t, conf);
}

void trace_clear(struct trace *t)
{
    vec_clear(&t->job);
}
