/* het - heterogeneous jobs: all components start together, or none. */
#include "rig_het.h"

static void test_together(void)
{
    struct rig r;
    rig_plain(&r, 4, 1, 4, 1, 4000, NULL);
    uint32_t id = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .nodes = 2, .ntasks = 2 } }, 2);
    is_int(rig_plan(&r), 2, "both begin in one plan");
    is_str(rig_where(&r, id), "n1:1/1", "the first on a node");
    is_str(rig_where(&r, id + 1), "n2:1/1 n3:1/1", "the second on other nodes");
    uint32_t five = rig_submit_set(
        &r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1 }, { .ntasks = 1 }, { .ntasks = 1 }, { .ntasks = 1 } },
        5);
    is_int(rig_plan(&r), 0, "five components need five nodes, and there are four");
    is_str(rig_why(&r, five + 4), "Resources", "each of them is told what the first is");
    uint32_t one = rig_submit(&r, (struct rig_job){ .ntasks = 1 });
    is_int(rig_plan(&r), 1, "it delays no job");
    is_str(rig_where(&r, one), "n1:1/1", "behind it");
    rig_down(&r);
}

/* The set is first in the queue: later jobs must not delay it, and all its components get one start time. */
static void test_planned(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    uint32_t a = rig_submit(&r, (struct rig_job){ .nodes = 1, .ntasks = 4, .limit_min = 10 });
    is_int(rig_plan(&r), 1, "one node is busy for ten minutes");
    uint32_t set = rig_submit_set(
        &r, (struct rig_job[]){ { .ntasks = 4, .limit_min = 30 }, { .ntasks = 4, .limit_min = 30 } }, 2);
    uint32_t slow = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 60 });
    uint32_t quick = rig_submit(&r, (struct rig_job){ .ntasks = 1, .limit_min = 5 });
    is_int(rig_plan(&r), 1, "one fits beside the planned start of the set");
    is_str(rig_where(&r, slow), "-", "one that would last too long waits");
    is_str(rig_where(&r, quick), "n2:1/1", "one that ends before it goes");
    const struct job *first = cluster_job(r.c, set), *second = cluster_job(r.c, set + 1);
    is_int(first->why.planned_s, r.now_s + 600, "the first is planned for the end of what runs");
    is_int(second->why.planned_s, first->why.planned_s, "the second for the same moment");
    r.now_s += 600;
    rig_end(&r, quick);
    rig_end(&r, a);
    rig_plan(&r);
    is_str(rig_where(&r, set), "n1:4/4", "its time came");
    is_str(rig_where(&r, set + 1), "n2:4/4", "for both");
    rig_down(&r);
}

static void test_waits(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    uint32_t held = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1, .hold = HOLD_USER } }, 2);
    uint32_t later = rig_submit_set(
        &r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1, .begin_s = r.now_s + 100 } }, 2);
    is_int(rig_plan(&r), 0, "one held component holds all");
    is_str(rig_why(&r, held), "JobHeldUser", "and the first says so");
    is_str(rig_why(&r, later), "BeginTime", "nor before the last may begin");
    r.now_s += 100;
    is_int(rig_plan(&r), 2, "then all of it does");
    Pb__EvHold h = PB__EV_HOLD__INIT;
    h.job_id = held + 1, h.priority = 1000;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_HOLD, ev.hold = &h;
    rig_apply(&r, &ev);
    sched_changed(r.s, cluster_job(r.c, held + 1));
    is_int(rig_plan(&r), 2, "released, the other one does, too");
    rig_down(&r);
}

/* A set with components in two partitions, one of which is down. */
static void test_partitions(void)
{
    static const struct rig_node nodes[] = {
        { .name = "n1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000, .weight = 1 },
        { .name = "n2", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000, .weight = 1 },
    };
    Pb__Part a = PB__PART__INIT, b = PB__PART__INIT, d = PB__PART__INIT, *parts[] = { &a, &b, &d };
    a.name = (char[]){ "main" }, a.nodes = (char[]){ "n1" }, a.priority_tier = 1;
    b.name = (char[]){ "other" }, b.nodes = (char[]){ "n2" }, b.priority_tier = 1;
    d.name = (char[]){ "down" }, d.nodes = (char[]){ "n2" }, d.state = PB__PART_STATE__PART_DOWN, d.priority_tier = 1;
    struct rig r;
    rig_up(&r, nodes, 2, parts, 3);
    uint32_t no = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1, .part = "down" } }, 2);
    uint32_t yes = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1, .part = "down,other" } }, 2);
    is_int(rig_plan(&r), 2, "one set begins");
    is_str(rig_where(&r, no), "-", "not the one with a partition that is down");
    is_str(rig_where(&r, yes + 1), "n2:1/1", "the second component in the second of its partitions");
    rig_down(&r);
}

static void test_all_or_nothing(void)
{
    struct rig r;
    struct err err = ERR_INIT;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    uint64_t before = cluster_digest(r.c);
    struct rig_part part[2];
    Pb__EvSubmit *more[] = { &part[1].ev };
    rig_part_fill(&r, &part[0], &(struct rig_job){ .ntasks = 1 }, 1, r.c->next_blob);
    rig_part_fill(&r, &part[1], &(struct rig_job){ .ntasks = 2 }, 3, r.c->next_blob + 1);
    part[0].ev.het = more, part[0].ev.n_het = 1;
    Pb__Event ev = PB__EVENT__INIT;
    ev.at_ms = r.c->last_ms, ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &part[0].ev;
    ok(cluster_apply(r.c, &ev, &err) == EINVAL, "components follow each other: %s", err.text);
    is_int(cluster_digest(r.c), before, "and nothing of a wrong set is there");
    part[1].ev.job_id = 2, part[1].ev.spec = 999;
    ok(cluster_apply(r.c, &ev, &err) != 0, "nor when its last part cannot be read: %s", err.text);
    is_int(cluster_digest(r.c), before, "nothing at all");
    free(part[0].bytes);
    free(part[1].bytes);
    uint32_t id = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1 } }, 2);
    Pb__EvStart start[3] = { PB__EV_START__INIT, PB__EV_START__INIT, PB__EV_START__INIT },
                *with[2] = { &start[1], &start[2] };
    start[0].job_id = id, start[0].het = with, start[0].n_het = 1, start[1].job_id = id;
    before = cluster_digest(r.c);
    ev.body_case = PB__EVENT__BODY_START, ev.start = &start[0];
    ok(cluster_apply(r.c, &ev, &err) != 0, "a start with itself: %s", err.text);
    start[0].n_het = 2, start[1].job_id = start[2].job_id = id + 1;
    ok(cluster_apply(r.c, &ev, &err) != 0, "a component twice: %s", err.text);
    is_int(cluster_digest(r.c), before, "change nothing");
    rig_down(&r);
}

static const char *explained(struct rig *r, uint32_t id)
{
    static char text[512];
    struct why_text t;
    sched_explain(r->s, r->c, cluster_job(r->c, id), r->now_s, &t);
    snprintf(text, sizeof(text), "%s", t.sentence);
    why_text_clear(&t);
    return text;
}

static void test_explained(void)
{
    struct rig r;
    rig_plain(&r, 2, 1, 4, 1, 4000, NULL);
    rig_submit(&r, (struct rig_job){ .nodes = 1, .ntasks = 4, .limit_min = 10 });
    rig_plan(&r);
    uint32_t set = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1 } }, 2);
    uint32_t many = rig_submit_set(&r, (struct rig_job[]){ { .ntasks = 1 }, { .ntasks = 1 }, { .ntasks = 1 } }, 3);
    rig_plan(&r);
    ok(strstr(explained(&r, set), "starts with all 2 components of job 2; component 1 "), "%s", explained(&r, set));
    ok(strstr(explained(&r, set + 1), "component 1 "), "the same for a component");
    ok(strstr(explained(&r, many), "need more nodes than there are"), "%s", explained(&r, many));
    rig_down(&r);
}

int main(void)
{
    test_explained();
    test_together();
    test_planned();
    test_waits();
    test_partitions();
    test_all_or_nothing();
    return test_done();
}
