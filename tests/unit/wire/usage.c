/* usage - sums of tasks and sums of sums: totals, and which task had most and least. */
#include "test.h"
#include "wire/usage.h"

static void add(struct usage_sum *u, uint32_t node, uint32_t rank, uint64_t cpu, uint64_t rss)
{
    uint64_t value[USAGE_METRICS] = { [USAGE_CPU_MS] = cpu, [USAGE_RSS_KB] = rss };
    usage_sum_task(u, node, rank, value);
}

static void test_tasks(void)
{
    struct usage_sum u;
    usage_sum_init(&u);
    add(&u, 0, 4, 100, 10);
    add(&u, 0, 5, 50, 30);
    add(&u, 0, 6, 200, 30);
    is_int(u.pb.ntasks, 3, "every task is counted");
    is_int(u.pb.cpu_ms->total, 350, "the total is the sum");
    ok(u.pb.cpu_ms->max == 200 && u.pb.cpu_ms->max_task == 6, "the most, and whose");
    ok(u.pb.cpu_ms->min == 50 && u.pb.cpu_ms->min_task == 5, "the least, and whose");
    is_int(u.pb.rss_kb->max_task, 5, "of equals the first");
    is_int(u.pb.pages->max, 0, "what no task used is 0");
}

static void test_nodes(void)
{
    struct usage_sum a, b, all;
    usage_sum_init(&a);
    usage_sum_init(&b);
    usage_sum_init(&all);
    add(&a, 0, 0, 5, 7);
    add(&b, 0, 1, 9, 3);
    b.pb.user_us = 11;
    usage_sum_add(&all, NULL, -1);
    is_int(all.pb.ntasks, 0, "nothing adds nothing");
    usage_sum_add(&all, &a.pb, 2);
    usage_sum_add(&all, &b.pb, 3);
    is_int(all.pb.ntasks, 2, "nodes add up");
    is_int(all.pb.cpu_ms->total, 14, "with their totals");
    ok(all.pb.cpu_ms->max_node == 3 && all.pb.cpu_ms->max_task == 1, "the most is on its node");
    ok(all.pb.rss_kb->min == 3 && all.pb.rss_kb->min_node == 3, "the least, too");
    ok(all.pb.rss_kb->max == 7 && all.pb.rss_kb->max_node == 2, "each measure has its own");
    is_int(all.pb.user_us, 11, "and the times");
    struct usage_sum again;
    usage_sum_init(&again);
    usage_sum_add(&again, &all.pb, -1);
    is_int(again.pb.cpu_ms->max_node, 3, "a sum that is passed on keeps its nodes");
    ok(usage_metric_of(&again.pb, USAGE_RSS_KB)->max == 7 && !usage_metric_of(NULL, USAGE_CPU_MS),
       "measures by number");
}

int main(void)
{
    test_tasks();
    test_nodes();
    return test_done();
}
