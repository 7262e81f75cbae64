/* summary - the result of a policy in numbers; see summary.h. */
#include "sim/summary.h"

#include <stdlib.h>

#include "base/mem.h"

#define HOUR 3600.0

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct list {
    double *at;
    size_t n;
};

static double mean_of(const struct list *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += l->at[i];
    return l->n ? sum / (double)l->n : 0;
}

/* Of a sorted list. */
static double quantile_of(const struct list *l, double q)
{
    return l->n ? l->at[MIN((size_t)(q * (double)l->n), l->n - 1)] : 0;
}

static double node_use(const struct drive_conf *conf, const struct drive_out *out)
{
    const struct trace *t = conf->trace;
    double per = conf->gpus ? conf->gpus : conf->cpus, all = per * conf->nodes, sum = 0, span = 0;
    int64_t last = t->job.n ? t->job.at[t->job.n - 1].arrive_s : 0;
    for (size_t i = 0; i + 1 < out->sample.n && out->sample.at[i + 1].at_s <= last; i++) {
        double dt = (double)(out->sample.at[i + 1].at_s - out->sample.at[i].at_s);
        sum += dt * out->sample.at[i].busy;
        span += dt;
    }
    return span > 0 ? sum / span / all : 0;
}

static void summary_gather(struct summary *s, const struct drive_conf *conf, const struct drive_out *out,
                           struct list *done, struct list *wait, struct list *big)
{
    for (size_t i = 0; i < conf->trace->job.n; i++) {
        const struct trace_job *t = &conf->trace->job.at[i];
        const struct drive_job *j = &out->job[i];
        if (j->end_s < 0) {
            s->refused++;
            continue;
        }
        double completion = (double)(j->end_s - t->arrive_s) / HOUR, waited = completion - (double)t->run_s / HOUR;
        done->at[done->n++] = completion;
        wait->at[wait->n++] = waited;
        if (t->gpus >= BIG_GPUS || (!t->gpus && t->cpus >= 4 * BIG_GPUS))
            big->at[big->n++] = waited;
        s->starved += waited > 24 * 7;
    }
}

void summary_make(struct summary *s, const char *name, const struct drive_conf *conf, const struct drive_out *out)
{
    size_t n = conf->trace->job.n;
    struct list done = { mem_array(n + 1, sizeof(double)), 0 }, wait = { mem_array(n + 1, sizeof(double)), 0 },
                big = { mem_array(n + 1, sizeof(double)), 0 };
    *s = (struct summary){ .name = name, .jobs = n };
    summary_gather(s, conf, out, &done, &wait, &big);
    struct list *all[] = { &done, &wait, &big };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        qsort(all[i]->at, all[i]->n, sizeof(double), by_value);
    s->mean_h = mean_of(&done), s->median_h = quantile_of(&done, 0.5), s->p99_h = quantile_of(&done, 0.99);
    s->wait_mean_h = mean_of(&wait), s->wait_median_h = quantile_of(&wait, 0.5),
    s->wait_p99_h = quantile_of(&wait, 0.99);
    s->wait_max_h = quantile_of(&wait, 1);
    s->big_wait_p99_h = quantile_of(&big, 0.99), s->big_wait_mean_h = mean_of(&big);
    s->used = node_use(conf, out);
    s->starved = done.n ? s->starved / (double)done.n : 0;
    s->preemptions = out->preemptions;
    s->predicted_h = out->predicted / HOUR, s->predicted_p90_h = out->predicted_p90 / HOUR;
    s->speed = out->wall_s > 0 ? (double)out->last_s / out->wall_s : 0;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        free(all[i]->at);
}

/* ---- by size ---- */

static uint32_t size_of(const struct trace_job *t)
{
    return t->gpus ? t->gpus : t->cpus;
}

static void size_line(FILE *f, const struct drive_conf *conf, const struct drive_out *out, uint32_t from, uint32_t to)
{
    const struct trace *t = conf->trace;
    struct list wait = { mem_array(t->job.n + 1, sizeof(double)), 0 };
    double run_h = 0;
    for (size_t i = 0; i < t->job.n; i++)
        if (size_of(&t->job.at[i]) >= from && size_of(&t->job.at[i]) < to && out->job[i].end_s >= 0) {
            run_h += (double)t->job.at[i].run_s / HOUR;
            wait.at[wait.n++] = (double)(out->job[i].end_s - t->job.at[i].arrive_s - t->job.at[i].run_s) / HOUR;
        }
    qsort(wait.at, wait.n, sizeof(double), by_value);
    if (wait.n)
        fprintf(f, "  %5u-%-5u %8zu jobs of %7.2f h; wait: mean %7.2f, median %7.2f, p90 %7.2f, p99 %7.2f h\n", from,
                to - 1, wait.n, run_h / (double)wait.n, mean_of(&wait), quantile_of(&wait, 0.5),
                quantile_of(&wait, 0.9), quantile_of(&wait, 0.99));
    free(wait.at);
}

void summary_sizes(FILE *f, const struct drive_conf *conf, const struct drive_out *out)
{
    for (uint32_t from = 1; from && from <= 1u << 20; from *= 2)
        size_line(f, conf, out, from, from * 2);
}

void summary_head(FILE *f)
{
    fprintf(f, "%-22s %8s %8s %8s %8s %8s %8s %9s %9s %6s %7s %8s %8s\n", "policy", "mean h", "median h", "p99 h",
            "wait h", "w.p99 h", "w.max h", "big w. h", "big p99 h", "used %", "week+ %", "preempt", "x real");
}

void summary_line(FILE *f, const struct summary *s)
{
    fprintf(f, "%-22s %8.2f %8.3f %8.1f %8.2f %8.1f %8.0f %9.1f %9.1f %6.1f %7.3f %8llu %8.0f\n", s->name, s->mean_h,
            s->median_h, s->p99_h, s->wait_mean_h, s->wait_p99_h, s->wait_max_h, s->big_wait_mean_h, s->big_wait_p99_h,
            100 * s->used, 100 * s->starved, (unsigned long long)s->preemptions, s->speed);
    if (s->predicted_h > 0)
        fprintf(f, "  first predicted start: off by %.2f h (median), %.1f h (nine in ten)\n", s->predicted_h,
                s->predicted_p90_h);
    if (s->refused)
        fprintf(f, "  %zu of %zu jobs were refused\n", s->refused, s->jobs);
}

void summary_csv(FILE *f, const struct summary *s, size_t n)
{
    fprintf(f, "policy,jobs,refused,completion_mean_h,completion_median_h,completion_p99_h,wait_mean_h,wait_median_h,"
               "wait_p99_h,"
               "wait_max_h,big_wait_mean_h,big_wait_p99_h,used,starved,preemptions,prediction_error_median_h,"
               "prediction_error_p90_h\n");
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s,%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.5f,%.5f,%llu,%.4f,%.4f\n", s[i].name,
                s[i].jobs, s[i].refused, s[i].mean_h, s[i].median_h, s[i].p99_h, s[i].wait_mean_h, s[i].wait_median_h,
                s[i].wait_p99_h, s[i].wait_max_h, s[i].big_wait_mean_h, s[i].big_wait_p99_h, s[i].used, s[i].starved,
                (unsigned long long)s[i].preemptions, s[i].predicted_h, s[i].predicted_p90_h);
}
