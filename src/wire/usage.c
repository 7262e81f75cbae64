/* usage - what the tasks of a step used, summed up; see usage.h. */
#include "wire/usage.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

static const size_t place[USAGE_METRICS] = {
    [USAGE_CPU_MS] = offsetof(Pb__StepUsage, cpu_ms),   [USAGE_RSS_KB] = offsetof(Pb__StepUsage, rss_kb),
    [USAGE_VM_KB] = offsetof(Pb__StepUsage, vm_kb),     [USAGE_PAGES] = offsetof(Pb__StepUsage, pages),
    [USAGE_READ] = offsetof(Pb__StepUsage, read_bytes), [USAGE_WRITE] = offsetof(Pb__StepUsage, write_bytes),
};

static Pb__Metric **usage_at(const Pb__StepUsage *u, enum usage_metric which)
{
    return (Pb__Metric **)(void *)((char *)u + place[which]);
}

const Pb__Metric *usage_metric_of(const Pb__StepUsage *u, enum usage_metric which)
{
    return u ? *usage_at(u, which) : NULL;
}

void usage_sum_init(struct usage_sum *u)
{
    pb__step_usage__init(&u->pb);
    for (int i = 0; i < USAGE_METRICS; i++) {
        pb__metric__init(&u->metric[i]);
        *usage_at(&u->pb, (enum usage_metric)i) = &u->metric[i];
    }
}

/* The first to have most, and the first to have least. */
static void usage_merge_one(Pb__Metric *m, const Pb__Metric *more, bool first)
{
    m->total += more->total;
    if (first || more->max > m->max)
        m->max = more->max, m->max_node = more->max_node, m->max_task = more->max_task;
    if (first || more->min < m->min)
        m->min = more->min, m->min_node = more->min_node, m->min_task = more->min_task;
}

void usage_sum_task(struct usage_sum *u, uint32_t node, uint32_t rank, const uint64_t value[static USAGE_METRICS])
{
    for (int i = 0; i < USAGE_METRICS; i++) {
        Pb__Metric one = PB__METRIC__INIT;
        one.total = one.max = one.min = value[i];
        one.max_node = one.min_node = node;
        one.max_task = one.min_task = rank;
        usage_merge_one(&u->metric[i], &one, !u->pb.ntasks);
    }
    u->pb.ntasks++;
}

void usage_sum_add(struct usage_sum *u, const Pb__StepUsage *more, int64_t node)
{
    if (!more || !more->ntasks)
        return;
    for (int i = 0; i < USAGE_METRICS; i++) {
        const Pb__Metric *m = usage_metric_of(more, (enum usage_metric)i);
        Pb__Metric one = PB__METRIC__INIT;
        if (m)
            one = *m;
        if (node >= 0)
            one.max_node = one.min_node = (uint32_t)node;
        usage_merge_one(&u->metric[i], &one, !u->pb.ntasks);
    }
    u->pb.ntasks += more->ntasks;
    u->pb.user_us += more->user_us;
    u->pb.sys_us += more->sys_us;
}
