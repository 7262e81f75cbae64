/* deadline - limits that may be lowered (--time-min), and deadlines. */
#include "rig.h"

/* Three of four nodes are busy for ten minutes, and a job waits for all four. */
static void fill_cluster(struct rig *r)
{
    rig_plain(r, 4, 1, 4, 1, 4000, NULL);
    rig_submit(r, (struct rig_job){ .nodes = 3, .exclusive = true, .limit_min = 10 });
    rig_plan(r);
    rig_submit(r, (struct rig_job){ .nodes = 4, .exclusive = true, .limit_min = 10 });
    rig_plan(r);
}

static void test_time_min(void)
{
    static const struct {
        uint32_t limit, least, want;
        const char *name;
    } cases[] = {
        { 20, 0, 0, "too long, and nothing else said" },
        { 20, 3, 10, "as long as there is before the planned start" },
        { 20, 10, 10, "exactly that" },
        { 20, 11, 0, "more than there is" },
        { 8, 3, 8, "its own limit when that fits" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        fill_cluster(&r);
        uint32_t id = rig_submit(
            &r, (struct rig_job){ .nodes = 1, .limit_min = cases[i].limit, .time_min = cases[i].least });
        is_int(rig_plan(&r), cases[i].want ? 1 : 0, "%s", cases[i].name);
        const struct job *j = cluster_job(r.c, id);
        is_int(j->time_limit_min, cases[i].want ? cases[i].want : cases[i].limit, "its limit");
        rig_down(&r);
    }
}

static void test_deadline(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 4, 1, 4000, NULL);
    uint32_t late = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 10, .deadline_s = r.now_s + 300 });
    uint32_t cut = rig_submit(
        &r, (struct rig_job){ .ntasks = 1, .limit_min = 10, .time_min = 2, .deadline_s = r.now_s + 300 });
    rig_plan(&r);
    is_str(rig_where(&r, late), "-", "it would not end in time");
    is_str(rig_why(&r, late), "DeadLine", "and is told so");
    is_str(rig_where(&r, cut), "n1:1/1", "with a shorter limit it does");
    is_int(cluster_job(r.c, cut)->time_limit_min, 5, "the time that is left");
    rig_down(&r);
}

int main(void)
{
    test_time_min();
    test_deadline();
    return test_done();
}
