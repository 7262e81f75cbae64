/* runtime_history - the same on every controller, and bounded. */
#include "core/runtime_history.h"
#include "rig.h"

static void learns(struct rig *r, bool yes)
{
    rig_learns = yes;
    rig_config(r, "gpu:2", 4);
}

/* Job `id` of `uid`, called `name`, ran for so long. */
static void ran(struct rig *r, uint32_t id, const char *name, uint32_t uid, int64_t run_s, uint32_t state)
{
    rig_submit_as(r, id, name, 0, 0, uid);
    rig_start(r, id, 0, 1);
    r->now_s += run_s;
    rig_end(r, id, state, true);
}

/* As if job 1 had been another user's and had ended now; without the event, as there are many. */
static void ended(struct rig *r, uint32_t uid)
{
    struct job like = *cluster_job(r->c, 1);
    like.uid = uid, like.end_s = ++r->now_s, like.start_s = like.end_s - 45;
    runtime_history_ended(r->c, &like);
}

static const struct runtime_class *of(const struct rig *r, uint32_t id, uint32_t class)
{
    uint64_t key[RUNTIME_CLASS_KEYS];
    runtime_class_keys(cluster_job(r->c, id), key);
    return runtime_class_find(r->c, key[class]);
}

static void test_classes(void)
{
    struct rig r;
    rig_up(&r);
    ran(&r, 1, "a", 1001, 30, JOB_COMPLETED);
    is_int(r.c->runtime_classes.n, 0, "nothing is remembered unless it is asked for");
    learns(&r, true);
    ran(&r, 2, "a", 1001, 30, JOB_COMPLETED);
    ran(&r, 3, "a", 1001, 100, JOB_FAILED);
    ran(&r, 4, "b", 1001, 7200, JOB_TIMEOUT);
    ran(&r, 5, "a", 1002, 30, JOB_COMPLETED);
    const struct runtime_class *all = of(&r, 2, RUNTIME_KEY_KIND), *user = of(&r, 2, RUNTIME_KEY_USER),
                               *name = of(&r, 2, RUNTIME_KEY_NAME);
    ok(all && all->seen == 4 * RUNTIME_ONE && user && user->seen == 3 * RUNTIME_ONE && name &&
           name->seen == 2 * RUNTIME_ONE,
       "classes from wide to narrow");
    ok(name && name->n[0] == RUNTIME_ONE && name->n[1] == RUNTIME_ONE && name->sum_s[1] == 100 * RUNTIME_ONE,
       "how many ran how long");
    is_int(name ? name->last_s : 0, r.now_s - 30 - 7200, "and when the last one ended");
    ran(&r, 6, "a", 1001, 30, JOB_NODE_FAIL);
    ran(&r, 7, "a", 1001, 30, JOB_PREEMPTED);
    rig_submit_as(&r, 8, "a", 0, 0, 1001);
    rig_end(&r, 8, JOB_CANCELLED, true);
    ok(all && all->seen == 4 * RUNTIME_ONE, "a job that was stopped by others, or never began, says nothing");
    ok(rig_round_trip(&r), "a snapshot has it");
    learns(&r, true);
    ok(r.c->runtime_classes.n > 0, "another configuration that asks for it changes nothing");
    learns(&r, false);
    ok(!r.c->runtime_classes.n && rig_round_trip(&r), "one that does not forgets it all");
    rig_down(&r);
    rig_learns = false;
}

/* So many jobs began of which so much was expected. */
static void began(struct rig *r, uint32_t n, uint32_t need)
{
    for (uint32_t i = 0; i < n; i++)
        runtime_history_began(r->c, need);
}

static void test_few(void)
{
    struct rig r;
    rig_up(&r);
    began(&r, 1000, 10);
    is_int(r.c->estimates_seen, 0, "what was expected is not counted unless it is asked for");
    learns(&r, true);
    began(&r, 199, 10);
    ok(!runtime_estimate_rare(r.c, 160), "of less than two hundred runs it is unknown what is much");
    began(&r, 791, 10);
    began(&r, 10, 150);
    ok(runtime_estimate_rare(r.c, 150) && runtime_estimate_rare(r.c, RUNTIME_ESTIMATES), "one of a hundred is few");
    ok(!runtime_estimate_rare(r.c, 10), "the many are not");
    ok(rig_round_trip(&r), "a snapshot has it");
    began(&r, 10, 150);
    ok(!runtime_estimate_rare(r.c, 150), "two of a hundred are not few");
    began(&r, 100000, 10);
    ok(r.c->estimates_seen < 5000 && runtime_estimate_rare(r.c, 150), "what is long past counts less");
    runtime_history_began(r.c, RUNTIME_ESTIMATES + 1);
    runtime_history_began(r.c, 0);
    ok(rig_round_trip(&r), "numbers that are none change nothing");
    learns(&r, false);
    ok(!r.c->estimates_seen && rig_round_trip(&r), "and it is forgotten when no policy asks for it");
    rig_down(&r);
    rig_learns = false;
}

static void test_bounded(void)
{
    struct rig r;
    rig_up(&r);
    learns(&r, true);
    size_t most = 0;
    ran(&r, 1, "a", 1001, 45, JOB_COMPLETED);
    for (uint32_t i = 0; i < 12000; i++)
        ended(&r, 1001);
    const struct runtime_class *p = of(&r, 1, RUNTIME_KEY_SCRIPT);
    ok(p && p->seen < 8000 * RUNTIME_ONE && p->seen >= 4000 * RUNTIME_ONE && p->n[0] == p->seen &&
           p->sum_s[0] == 45ull * p->seen,
       "what is long past counts less (%u)", p ? p->seen / RUNTIME_ONE : 0);
    for (uint32_t i = 0; i < 40000; i++) { /* four classes each: of a user, and narrower */
        ended(&r, 2000 + i);
        most = MAX(most, r.c->runtime_classes.n);
    }
    ok(most <= RUNTIME_CLASSES_MAX && r.c->runtime_classes.n > RUNTIME_CLASSES_MAX / 4,
       "160,000 classes: no more than %zu were remembered", most);
    ran(&r, 2, "a", 2000 + 39999, 45, JOB_COMPLETED);
    p = of(&r, 2, RUNTIME_KEY_SCRIPT);
    ok(of(&r, 1, RUNTIME_KEY_SIZE) && p && p->seen == 2 * RUNTIME_ONE, "the wide ones and the latest are among them");
    ok(rig_round_trip(&r), "a snapshot has them");
    rig_down(&r);
    rig_learns = false;
}

static void test_damaged(void)
{
    struct cluster *c;
    struct err err = ERR_INIT;
    Pb__RuntimeClass twice = PB__RUNTIME_CLASS__INIT, *list[] = { &twice, &twice };
    uint32_t bucket[] = { 3, 3, RUNTIME_BUCKETS }, n[] = { 1, 1, 1 };
    uint64_t sum[] = { 1, 1, 1 };
    static const struct {
        const char *what;
        size_t list, from, buckets, ns;
        uint64_t key;
    } bad[] = { { "a class that is there twice", 2, 0, 1, 1, 7 }, { "a doubling that is there twice", 1, 0, 2, 2, 7 },
                { "one that does not exist", 1, 2, 1, 1, 7 },     { "one without a number", 1, 0, 1, 0, 7 },
                { "a class without a key", 1, 0, 1, 1, 0 } };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        Pb__Snapshot s = PB__SNAPSHOT__INIT;
        auto_buf struct buf b = BUF_INIT;
        s.format = 1, s.learns = true, s.runtime_classes = list, s.n_runtime_classes = bad[i].list;
        twice.key = bad[i].key, twice.bucket = bucket + bad[i].from, twice.n_bucket = bad[i].buckets;
        twice.n = n, twice.n_n = bad[i].ns, twice.sum_s = sum, twice.n_sum_s = bad[i].buckets;
        pb_pack(&b, &s.base);
        is_int(cluster_decode(&c, b.s, b.len, &err), EBADMSG, "%s is refused", bad[i].what);
    }
}

int main(void)
{
    test_classes();
    test_few();
    test_bounded();
    test_damaged();
    return test_done();
}
