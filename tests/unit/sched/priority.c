/* priority - priorities by factors: each number was computed by hand. */
#include <math.h>

#include "rig.h"
#include "sched/fairshare.h"
#include "sched/priority.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* 4 nodes with 4 CPUs and 1000 MB, 2 of them with 4 GPUs; partition `low` has factor 10, `high` (two nodes) 40. */
static void cluster_of_four(struct rig *r)
{
    static const struct rig_node nodes[] = { { "n1", "gpu:4", NULL, 1, 4, 1, 1, 1000 },
                                             { "n2", "gpu:4", NULL, 1, 4, 1, 1, 1000 },
                                             { "n3", NULL, NULL, 1, 4, 1, 1, 1000 },
                                             { "n4", NULL, NULL, 1, 4, 1, 1, 1000 } };
    Pb__Part low = PB__PART__INIT, high = PB__PART__INIT, *parts[] = { &low, &high };
    low.name = "low", low.nodes = "n[1-4]", low.is_default = true, low.priority_job_factor = 10;
    high.name = "high", high.nodes = "n[1-2]", high.priority_job_factor = 40;
    rig_up(r, nodes, 4, parts, 2);
}

static struct job job_like(struct spec *spec, const struct req *req)
{
    *spec = (struct spec){ .req = *req };
    return (struct job){ .id = 1,
                         .priority = 1,
                         .spec = spec,
                         .partition = "low",
                         .submit_s = 1000,
                         .eligible_s = 1000,
                         .time_limit_min = 10,
                         .array_task = TASK_NONE };
}

static void test_sums(void)
{
    struct rig r;
    cluster_of_four(&r);
    struct priority_whole w;
    priority_whole(r.c, &w);
    ok(w.nodes == 4 && w.cpus == 16 && w.top_part == 40, "the whole: 4 nodes, 16 CPUs, the highest partition's 40");
    const struct {
        const char *what;
        struct priority_conf conf;
        const char *part;
        uint32_t nodes, ntasks;
        int32_t nice, site;
        int64_t now_s;
        uint32_t want;
    } cases[] = {
        { "no weights give 1", { .max_age_s = 1000 }, "low", 1, 1, 0, 0, 1500, 1 },
        { "nice alone cannot go below 1", { .max_age_s = 1000 }, "low", 1, 1, 100, 0, 1500, 1 },
        { "a negative nice value counts as it is", { .max_age_s = 1000 }, "low", 1, 1, -100, 0, 1500, 100 },
        { "the site's word and nice add up", { .max_age_s = 1000 }, "low", 1, 1, -50, 30, 1500, 80 },
        { "half the age, half the weight",
          { .max_age_s = 1000, .weight = { [PRIO_AGE] = 1000 } },
          "low",
          1,
          1,
          0,
          0,
          1500,
          500 },
        { "age ends at its maximum",
          { .max_age_s = 1000, .weight = { [PRIO_AGE] = 1000 } },
          "low",
          1,
          1,
          0,
          0,
          9000,
          1000 },
        { "2 of 4 nodes and 8 of 16 CPUs are half",
          { .weight = { [PRIO_SIZE] = 1000 } },
          "low",
          2,
          8,
          0,
          0,
          1500,
          500 },
        { "1 of 4 nodes and 1 of 16 CPUs: (1/4 + 1/16) / 2",
          { .weight = { [PRIO_SIZE] = 1000 } },
          "low",
          1,
          1,
          0,
          0,
          1500,
          156 },
        { "small ones favoured: the rest of 1",
          { .weight = { [PRIO_SIZE] = 1000 }, .favor_small = true },
          "low",
          1,
          1,
          0,
          0,
          1500,
          843 },
        { "size by time: 8 CPUs in 10 minutes of 16",
          { .weight = { [PRIO_SIZE] = 1000 }, .flags = PRIO_SMALL_TO_TIME },
          "low",
          2,
          8,
          0,
          0,
          1500,
          50 },
        { "a partition of 10 beside one of 40", { .weight = { [PRIO_PART] = 5000 } }, "low", 1, 1, 0, 0, 1500, 1250 },
        { "the highest partition has all", { .weight = { [PRIO_PART] = 5000 } }, "high", 1, 1, 0, 0, 1500, 5000 },
        { "as it is, not normalised",
          { .weight = { [PRIO_PART] = 5000 }, .flags = PRIO_RAW_PART },
          "low",
          1,
          1,
          0,
          0,
          1500,
          50000 },
        { "of several partitions the best", { .weight = { [PRIO_PART] = 5000 } }, "low,high", 1, 1, 0, 0, 1500, 5000 },
        { "nice is taken from the sum", { .weight = { [PRIO_PART] = 5000 } }, "low", 1, 1, 250, 0, 1500, 1000 },
        { "TRES: 8 of 16 CPUs", { .tres = { { "cpu", 1000 } }, .ntres = 1 }, "low", 2, 8, 0, 0, 1500, 500 },
        { "TRES of the partition: 4 of 8 CPUs",
          { .tres = { { "cpu", 1000 } }, .ntres = 1 },
          "high",
          1,
          4,
          0,
          0,
          1500,
          500 },
        { "TRES as they are",
          { .tres = { { "cpu", 10 } }, .ntres = 1, .flags = PRIO_RAW_TRES },
          "low",
          2,
          8,
          0,
          0,
          1500,
          80 },
        { "a negative TRES weight",
          { .weight = { [PRIO_PART] = 5000 }, .tres = { { "node", -1000 } }, .ntres = 1 },
          "low",
          2,
          8,
          0,
          0,
          1500,
          750 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct spec spec;
        struct job j = job_like(&spec, &(struct req){ .min_nodes = cases[i].nodes,
                                                      .ntasks = cases[i].ntasks,
                                                      .ntasks_set = true,
                                                      .cpus_per_task = 1 });
        j.partition = (char *)(uintptr_t)cases[i].part;
        spec.nice = cases[i].nice, spec.site_factor = cases[i].site;
        is_int(priority_of(&cases[i].conf, r.c, &w, &j, NULL, cases[i].now_s), cases[i].want, "%s", cases[i].what);
    }
    rig_down(&r);
}

static void test_age(void)
{
    struct rig r;
    struct priority_whole w;
    struct priority_parts f;
    struct spec spec;
    cluster_of_four(&r);
    priority_whole(r.c, &w);
    struct priority_conf conf = { .max_age_s = 1000, .weight = { [PRIO_AGE] = 1000 } };
    struct job j = job_like(&spec, &(struct req){ .min_nodes = 1, .ntasks = 1, .cpus_per_task = 1 });
    j.eligible_s = 2000;
    priority_parts(&conf, r.c, &w, &j, r.c->part.at[0], NULL, 1500, &f);
    ok(near(f.factor[PRIO_AGE], 0), "a job that is not eligible yet does not age");
    conf.flags = PRIO_ACCRUE_ALWAYS;
    priority_parts(&conf, r.c, &w, &j, r.c->part.at[0], NULL, 1500, &f);
    ok(near(f.factor[PRIO_AGE], 0.5), "with ACCRUE_ALWAYS it does, since it was submitted");
    j.hold = HOLD_USER;
    conf.flags = 0;
    j.eligible_s = 1000;
    priority_parts(&conf, r.c, &w, &j, r.c->part.at[0], NULL, 1500, &f);
    ok(near(f.factor[PRIO_AGE], 0), "nor does a held job");
    conf.weight[PRIO_FAIRSHARE] = 100, conf.weight[PRIO_QOS] = 10;
    priority_parts(&conf, r.c, &w, &j, r.c->part.at[0], &(struct priority_given){ .fairshare = 0.5, .qos = 1 }, 1500,
                   &f);
    is_int(priority_sum(&conf, &f), 60, "what accounting gives is weighted like the rest");
    ok(priority_moves(&conf) && !priority_moves(&(struct priority_conf){ .weight = { [PRIO_PART] = 5 } }),
       "numbers move with time by age and fair share alone");
    rig_down(&r);
}

static void test_words(void)
{
    struct err err = ERR_INIT;
    struct priority_conf conf = { 0 };
    is_int(priority_flags("ACCRUE_ALWAYS,no_normal_part"), PRIO_ACCRUE_ALWAYS | PRIO_RAW_PART, "flags, in any case");
    is_int(priority_flags("NO_NORMAL_ALL"), PRIO_RAW_ASSOC | PRIO_RAW_PART | PRIO_RAW_QOS | PRIO_RAW_TRES,
           "all at once");
    is_int(priority_flags("DEPTH_OBLIVIOUS") & PRIO_NO_FAIR_TREE, PRIO_NO_FAIR_TREE, "one implies another");
    ok(!priority_tres_parse(&conf, "CPU=1000,Mem=-2.5,GRES/gpu:A100=3000", &err) && conf.ntres == 3, "TRES weights");
    is_str(conf.tres[2].name, "gres/gpu:A100", "a device's own name keeps its case");
    ok(near(conf.tres[1].weight, -2.5), "weights may be negative");
    static const char *const wrong[] = { "cpu", "cpu=", "=5", "cpu=5x", "cpu=nan" };
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        ok(priority_tres_parse(&conf, wrong[i], &err) == EINVAL && strstr(err.text, wrong[i]), "%s is refused by name",
           wrong[i]);
}

/* ---- fair tree ---- */

static void test_tree(void)
{
    /* a: 40 shares, used 25; b: 60 shares, used 75.  a: 0.4/0.25 = 1.6; b: 0.6/0.75 = 0.8: all of a before all of b. */
    struct fair_member m[] = {
        { FAIR_TOP, false, 40, 0 }, { FAIR_TOP, false, 60, 0 }, { 0, true, 1, 20 }, /* a1: 0.5 / 0.8 = 0.625 */
        { 0, true, 1, 5 },                                                          /* a2: 0.5 / 0.2 = 2.5 */
        { 1, true, 1, 0 },                                                          /* b1: used nothing */
        { 1, true, 3, 75 },                                                         /* b2: 0.75 / 1 */
    };
    fairshare_tree(m, ARRAY_LEN(m));
    ok(near(m[0].usage, 25) && near(m[1].usage, 75), "an account has used what its users did");
    ok(near(m[0].level, 1.6) && near(m[1].level, 0.8), "levels of the accounts");
    ok(near(m[2].level, 0.625) && near(m[3].level, 2.5) && isinf(m[4].level) && near(m[5].level, 0.75),
       "levels of users");
    ok(near(m[3].factor, 1) && near(m[2].factor, 0.75) && near(m[4].factor, 0.5) && near(m[5].factor, 0.25),
       "users of the better account first, whatever their siblings' cousins did");
}

static void test_ties(void)
{
    struct fair_member users[] = { { FAIR_TOP, true, 1, 10 }, { FAIR_TOP, true, 1, 10 }, { FAIR_TOP, true, 1, 20 } };
    fairshare_tree(users, 3);
    ok(near(users[0].factor, 1) && near(users[1].factor, 1) && near(users[2].factor, 1.0 / 3), "equals share a rank");

    /* Two accounts are equal: their users are ranked like siblings. */
    struct fair_member merged[] = {
        { FAIR_TOP, false, 1, 0 }, { FAIR_TOP, false, 1, 0 }, { 0, true, 1, 30 },
        { 0, true, 1, 10 },        { 1, true, 1, 20 },        { 1, true, 1, 20 },
    };
    fairshare_tree(merged, ARRAY_LEN(merged));
    ok(near(merged[3].factor, 1) && near(merged[4].factor, 0.75) && near(merged[5].factor, 0.75) &&
           near(merged[2].factor, 0.25),
       "equal accounts are walked as one");

    /* A user and an account are equal: the user ties with the best user of the account. */
    struct fair_member both[] = {
        { FAIR_TOP, false, 1, 0 }, { FAIR_TOP, true, 1, 10 }, { 0, true, 1, 8 }, { 0, true, 1, 2 }
    };
    fairshare_tree(both, 4);
    ok(near(both[1].factor, 1) && near(both[3].factor, 1) && near(both[2].factor, 1.0 / 3), "a user beside an account");
    fairshare_tree(NULL, 0); /* an empty tree is no trouble */
}

/* ---- classic fair share: as Slurm 26.05 printed it for this tree ---- */

static const struct fair_member classic_tree[] = {
    { FAIR_TOP, false, 1, 0, false }, /* 0: the account root */
    { 0, true, 1, 0, false },         { 0, false, 3, 0, false },
    { 0, false, 1, 0, false },                                   /* 1: its user root; 2: a; 3: b */
    { 0, false, 1, 0, false },        { 0, false, 3, 0, false }, /* others without usage */
    { 2, false, 2, 0, false },        { 2, false, 1, 0, false }, /* 6: a1; 7: a2, in a */
    { 3, true, 1, 2, false },         { 3, true, 2, 0, false },  /* 8, 9: in b */
    { 6, true, 1, 8, false },         { 6, true, 3, 1, false },  /* 10, 11: in a1 */
    { 7, true, 1, 3, false },         { 7, true, 1, 2, true },   /* 12: in a2; 13: in a2, with FairShare=parent */
};

static bool close_to(double a, double b)
{
    return fabs(a - b) < 0.00001;
}

static void test_classic(void)
{
    static const struct {
        size_t index;
        double norm_shares, used, factor;
    } want[] = {
        { 2, 0.333333, 0.875, -1 },
        { 6, 0.222222, 0.770833, -1 },
        { 7, 0.111111, 0.5, -1 },
        { 8, 0.037037, 0.125, 0.096388 },
        { 9, 0.074074, 0.083333, 0.458502 },
        { 10, 0.055556, 0.567708, 0.000839 },
        { 11, 0.166667, 0.59375, 0.084641 },
        { 12, 0.111111, 0.5, 0.044194 },
        { 13, 0.111111, 0.5, 0.044194 },
        { 1, 0.111111, 0, 1 },
    };
    struct fair_member m[ARRAY_LEN(classic_tree)];
    memcpy(m, classic_tree, sizeof(m));
    fairshare_classic(m, ARRAY_LEN(m), &(struct fair_classic){ .damping = 1 });
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct fair_member *f = &m[want[i].index];
        ok(close_to(f->norm_shares, want[i].norm_shares) && close_to(f->used, want[i].used), "member %zu: %f %f",
           want[i].index, f->norm_shares, f->used);
        ok(want[i].factor < 0 || close_to(f->factor, want[i].factor), "member %zu: its factor %f", want[i].index,
           f->factor);
    }
    memcpy(m, classic_tree, sizeof(m));
    fairshare_classic(m, ARRAY_LEN(m), &(struct fair_classic){ .damping = 2 });
    ok(close_to(m[12].factor, exp2(-4.5 / 2)), "damped, it is higher");
    fairshare_classic(NULL, 0, &(struct fair_classic){ .damping = 1 });
}

/* By the formulas that Slurm documents: R = Rparent * rl^k. */
static void test_oblivious(void)
{
    struct fair_member m[ARRAY_LEN(classic_tree)];
    memcpy(m, classic_tree, sizeof(m));
    fairshare_classic(m, ARRAY_LEN(m), &(struct fair_classic){ .oblivious = true, .damping = 1 });
    double a = 0.875 / (3.0 / 9), local = 0.5625 / (2.0 / 9) / a, k = 1 / (1 + pow(5 * log(a), 2)),
           a1 = a * pow(local, k);
    ok(close_to(m[2].used / m[2].norm_shares, a), "at the first level it is use by norm_shares");
    ok(close_to(m[6].used / m[6].norm_shares, a1),
       "a member with less usage than its siblings deviates little from its account");
    ok(close_to(m[7].used, 0.3125), "one with more usage has its own ratio");
    ok(close_to(m[8].factor, exp2(-0.125 / (1.0 / 27))) && close_to(m[9].factor, 1),
       "in an account that used more than it should");
    double own = (0.0625 / (1.0 / 6)) / (0.5625 / (2.0 / 9));
    ok(close_to(m[11].used / m[11].norm_shares, a1 * pow(own, 1 / (1 + pow(5 * log(a1), 2)))),
       "a level below, the same again");
    ok(close_to(m[13].used, m[7].used) && close_to(m[13].norm_shares, m[7].norm_shares), "with its account's values");
}

int main(void)
{
    test_sums();
    test_age();
    test_words();
    test_tree();
    test_ties();
    test_classic();
    test_oblivious();
    return test_done();
}
