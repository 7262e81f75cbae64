/* clock - the cluster's time: it moves evenly, is corrected in bounded steps, and most clocks are right. */
#include "ctl/cluster_clock.h"
#include "rig.h"

#define HOUR_MS 3600000LL
#define T0 1800000000000LL

/* Read once a second for so long, with the wall clock so far off; the time that passed. */
static int64_t run_for(struct cluster_clock *c, int64_t *mono_ms, int64_t true_ms, int64_t off_ms, int64_t for_ms)
{
    int64_t from = c->last_ms;
    bool back = false;
    for (int64_t i = 1000; i <= for_ms; i += 1000) {
        int64_t before = c->last_ms;
        back |= cluster_clock_read(c, true_ms + i + off_ms, *mono_ms + i) < before;
    }
    *mono_ms += for_ms;
    ok(!back, "time does not go back");
    return c->last_ms - from;
}

static void test_slew(void)
{
    static const struct {
        const char *name;
        int64_t off_ms, least_ms, most_ms;
    } cases[] = {
        { "right", 0, 60000, 60000 },
        { "two hours ahead", 2 * HOUR_MS, 66000, 66000 },
        { "two hours behind", -2 * HOUR_MS, 54000, 54000 },
        { "a second ahead", 1000, 61000, 61000 },
        { "a second behind", -1000, 59000, 59000 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct cluster_clock c = { 0 };
        int64_t mono_ms = 5000;
        cluster_clock_lead(&c, 0, T0, mono_ms);
        int64_t passed = run_for(&c, &mono_ms, T0, cases[i].off_ms, 60000);
        ok(passed >= cases[i].least_ms && passed <= cases[i].most_ms,
           "a minute with a wall clock that is %s takes %lld ms", cases[i].name, (long long)passed);
    }
}

/* Many short turns correct it as well as few long ones. */
static void test_short_turns(void)
{
    struct cluster_clock c = { 0 };
    cluster_clock_lead(&c, 0, T0, 0);
    for (int64_t i = 1; i <= 10000; i++)
        cluster_clock_read(&c, T0 + i + 500, i);
    ok(c.last_ms == T0 + 10500, "half a second is made up in ten, turn by turn of a millisecond");
}

static void test_lead(void)
{
    struct cluster_clock c = { 0 };
    cluster_clock_lead(&c, T0 - HOUR_MS, T0, 0);
    ok(cluster_clock_read(&c, T0, 0) == T0, "a controller that has just booted believes its wall clock");
    c = (struct cluster_clock){ 0 };
    cluster_clock_lead(&c, T0 + HOUR_MS, T0, 0);
    ok(cluster_clock_read(&c, T0, 0) == T0 + HOUR_MS, "but never goes behind the log");
    ok(cluster_clock_read(&c, T0 + 1000, 1000) == T0 + HOUR_MS + 900, "from where time goes on at once");
    c = (struct cluster_clock){ 0 };
    cluster_clock_follow(&c, T0, T0 + 40, 1000);
    cluster_clock_lead(&c, T0, T0 + 2 * HOUR_MS, 61000);
    ok(c.at_ms == T0 + 60000, "a follower whose wall clock stepped since goes on where the last leader was");
    c = (struct cluster_clock){ 0 };
    cluster_clock_follow(&c, T0 - HOUR_MS, T0, 1000);
    ok(!c.anchored, "an old entry, read from the disk, says nothing about the time");
    cluster_clock_follow(&c, T0, T0, 1000);
    cluster_clock_follow(&c, T0 + 5000, T0, 2000);
    ok(c.at_ms == T0 + 5000, "an entry that is ahead moves it");
    cluster_clock_follow(&c, T0 - HOUR_MS, T0, 12000);
    ok(c.last_ms == T0 + 14000, "one that is behind slows it down");
}

static void test_median(void)
{
    static const struct {
        const char *name;
        size_t n;
        int64_t others[5], want;
    } cases[] = {
        { "alone", 0, { 0 }, 100 },
        { "one other clock proves nothing", 1, { 7300 }, 100 },
        { "two that agree do", 2, { 7300, 7310 }, 7300 },
        { "two that disagree do not", 2, { 7300, -7300 }, 100 },
        { "three of four", 3, { 101, 99, 7300 }, 100 },
        { "of the two in the middle the nearer one", 3, { 7300, 7310, 7320 }, 7300 },
        { "the same below", 3, { -7300, -7310, -7320 }, -7300 },
        { "most of six", 5, { 7300, 90, 100, 110, -5 }, 100 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t others[5];
        memcpy(others, cases[i].others, sizeof(others));
        ok(cluster_clock_median(100, others, cases[i].n) == cases[i].want, "%s", cases[i].name);
    }
}

/* ---- the vote of the nodes ---- */

static void beat(struct rig *r, uint32_t node, int64_t skew_ms)
{
    Pb__Heartbeat h = PB__HEARTBEAT__INIT;
    h.now_ms = r->now_ms + skew_ms;
    h.sent_ms = 77;
    rig_node_says(r, node, MSG_HEARTBEAT, &h.base);
}

static void test_vote(void)
{
    struct rig r;
    rig_up(&r);
    struct ctl_clock v = ctl_clock(r.t, r.now_ms, 0, NULL, 0);
    ok(!v.off && !v.correct_ms, "a clock that agrees with the nodes' is right");
    v = ctl_clock(r.t, r.now_ms + 2 * HOUR_MS, 1000, NULL, 0);
    ok(!v.off, "the result is used for some seconds");
    v = ctl_clock(r.t, r.now_ms + 2 * HOUR_MS, 6000, NULL, 0);
    ok(v.off && v.correct_ms == -2 * HOUR_MS, "one that is two hours ahead of all nodes is off");
    v = ctl_clock(r.t, r.now_ms, 12000, NULL, 0);
    ok(!v.off, "and right again");
    beat(&r, 1, 2 * HOUR_MS);
    Pb__HeartbeatReply *said = rig_said(&r, 1, MSG_HEARTBEAT_REPLY);
    ok(said && said->sent_ms == 77 && said->now_ms == r.now_ms, "a heartbeat is answered with the cluster's time");
    rig_free(said);
    is_str(ctl_cluster(r.t)->node[0].reason, "Clock skew +7200 s", "a node that is off gets a reason");
    is_str(node_state_name(node_shown_state(&ctl_cluster(r.t)->node[0]), false), "idle", "and is of use");
    v = ctl_clock(r.t, r.now_ms, 20000, NULL, 0);
    ok(!v.off, "one node does not outvote the others");
    beat(&r, 1, 100);
    ok(str_empty(ctl_cluster(r.t)->node[0].reason), "a clock that is right again takes the reason back");
    rig_down(&r);
}

int main(void)
{
    test_slew();
    test_short_turns();
    test_lead();
    test_median();
    test_vote();
    return test_done();
}
