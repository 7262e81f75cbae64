/* order - one order for many nodes, localized for each node; and its meaning for emulated nodes. */
#include <errno.h>
#include <stdlib.h>

#include "base/errnum.h"
#include "base/str.h"
#include "node/emulate.h"
#include "node/order.h"
#include "test.h"

static const struct cred_key key = { { 1, 2, 3 } };

/* Job 7 has n[1-1000]: 600 nodes of 4 CPUs, then 400 of 8.  Its step 2 is on n3, n601 and n1000. */
static uint8_t *make(uint32_t step_id, const char *node, size_t *len)
{
    static uint32_t on[] = { 2, 600, 999 }, tasks[] = { 2, 1, 3 };
    static uint32_t r0[] = { 0, 3 }, r1[] = { 1 }, r2[] = { 2, 4, 5 };
    Pb__NodeAlloc small = PB__NODE_ALLOC__INIT, big = small, share = small, rest = small;
    small.cpus = 4, small.node_cpus = 16, small.count = 600;
    big.cpus = 8, big.node_cpus = 32, big.count = 400;
    share.cpus = 2, share.count = 2;
    rest.cpus = 3, rest.count = 1;
    Pb__NodeAlloc *alloc[] = { &small, &big }, *parts[] = { &share, &rest };
    Pb__Ranks a = PB__RANKS__INIT, b = a, c = a, *ranks[] = { &a, &b, &c };
    a.rank = r0, a.n_rank = 2, b.rank = r1, b.n_rank = 1, c.rank = r2, c.n_rank = 3;
    Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    o.job_id = 7, o.attempt = 1, o.step_id = step_id, o.issued_ms = 1000000;
    o.spec = &spec;
    o.node = (char *)node;
    o.nodes = (char *)"n[1-1000]";
    o.alloc = alloc, o.n_alloc = 2;
    if (step_id == 2) {
        o.step_nodes = (char *)"n[3,601,1000]";
        o.step_node = on, o.n_step_node = 3;
        o.step_tasks = tasks, o.n_step_tasks = 3;
        o.step_ranks = ranks, o.n_step_ranks = 3;
        o.step_allocs = parts, o.n_step_allocs = 2;
    }
    *len = pb__launch_order__get_packed_size(&o);
    uint8_t *body = malloc(*len);
    pb__launch_order__pack(&o, body);
    return body;
}

static Pb__LaunchOrder *open_on(const char *name, uint32_t step_id, const char *node, int64_t now_ms, struct err *err)
{
    size_t len;
    auto_free uint8_t *body = make(step_id, node, &len);
    auto_buf struct buf out = BUF_INIT;
    struct step_key about;
    cred_sign(&key, CRED_LAUNCH, body, len, &out);
    Pb__Signed *s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    Pb__LaunchOrder *o = order_open(&key, s, name, now_ms, &about, err);
    ok(about.job_id == 7 && about.step_id == step_id && about.attempt == 1, "whose order it is");
    pb__signed__free_unpacked(s, NULL);
    return o;
}

static void test_own_part(void)
{
    static const struct {
        const char *name;
        uint32_t index, first, nranks, rank, cpus, node_cpus, share;
    } rows[] = {
        { "n3", 2, 0, 2, 3, 4, 16, 2 },
        { "n601", 600, 2, 1, 1, 8, 32, 2 },
        { "n1000", 999, 3, 3, 5, 8, 32, 3 },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        Pb__LaunchOrder *o = open_on(rows[i].name, 2, NULL, 1000000, &err);
        ok(o, "a node of the step takes the order");
        if (!o)
            continue;
        is_str(o->node, rows[i].name, "and is named in it");
        ok(o->node_index == rows[i].index && o->first_task == rows[i].first, "its place and first task");
        ok(o->n_ranks == rows[i].nranks && o->ranks[o->n_ranks - 1] == rows[i].rank, "its ranks");
        is_int(o->n_alloc, 1000, "the shares of all nodes stand there");
        is_str(o->alloc[700]->name, "n701", "by name");
        ok(o->alloc[rows[i].index]->cpus == rows[i].cpus && o->node_cpus == rows[i].node_cpus, "its CPUs");
        ok(o->step_alloc && o->step_alloc->cpus == rows[i].share && !o->n_step_allocs, "its share of the step");
        pb__launch_order__free_unpacked(o, NULL);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *name, *node;
        uint32_t step;
        int64_t now_ms;
        int want;
        const char *what;
    } rows[] = {
        { "n4", NULL, 2, 1000000, ESLURM_INVALID_NODE_NAME, "a node of the job that the step does not use" },
        { "x1", NULL, 2, 1000000, ESLURM_INVALID_NODE_NAME, "a node that is not named" },
        { "n2", NULL, PB__STEP_NUMBER__STEP_BATCH, 1000000, ESLURM_INVALID_NODE_NAME, "a script belongs to the first" },
        { "n1", "n3", PB__STEP_NUMBER__STEP_BATCH, 1000000, ESLURM_INVALID_NODE_NAME, "an order for one other node" },
        { "n3", NULL, 2, 1000000 + LAUNCHED_LOG_WINDOW_MS + 1, ETIME, "an old order" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        Pb__LaunchOrder *o = open_on(rows[i].name, rows[i].step, rows[i].node, rows[i].now_ms, &err);
        ok(!o && err.code == rows[i].want, "%s", rows[i].what);
        if (o)
            pb__launch_order__free_unpacked(o, NULL);
    }
}

/* An order that was localized before: its part must lie inside the allocation. */
static void test_named(void)
{
    Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
    Pb__NodeAlloc one = PB__NODE_ALLOC__INIT, *alloc[] = { &one };
    struct err err = ERR_INIT;
    o.node = o.nodes = (char *)"n1";
    is_int(order_localize(&o, "n1", &err), EBADMSG, "an order for this node without an allocation is refused");
    o.alloc = alloc, o.n_alloc = 1, o.node_index = 1;
    is_int(order_localize(&o, "n1", &err), EBADMSG, "so is one whose part lies outside of it");
    o.node_index = 0;
    is_int(order_localize(&o, "n1", &err), 0, "and one inside is taken");
}

static void test_forged(void)
{
    size_t len;
    auto_free uint8_t *body = make(2, NULL, &len);
    auto_buf struct buf out = BUF_INIT;
    struct cred_key other = { { 9 } };
    struct err err = ERR_INIT;
    struct step_key about;
    cred_sign(&other, CRED_LAUNCH, body, len, &out);
    Pb__Signed *s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    ok(!order_open(&key, s, "n3", 1000000, &about, &err) && err.code == ESLURM_INVALID_JOB_CREDENTIAL && !about.job_id,
       "another key's order is no order");
    struct emulate_part part;
    ok(emulate_plan(&key, s, "n3", 0, 1000000, &part, &err) == ESLURM_INVALID_JOB_CREDENTIAL,
       "nor for an emulated node");
    pb__signed__free_unpacked(s, NULL);
}

static void test_emulated(void)
{
    size_t len;
    auto_free uint8_t *body = make(2, NULL, &len);
    auto_buf struct buf out = BUF_INIT;
    struct err err = ERR_INIT;
    struct emulate_part p;
    cred_sign(&key, CRED_LAUNCH, body, len, &out);
    Pb__Signed *s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    ok(!emulate_plan(&key, s, "n3", 1.5, 1000000, &p, &err) && p.tasks == 2 && p.first_task == 0 && p.run_ms == 1500,
       "an emulated node finds its part");
    ok(!emulate_plan(&key, s, "n1000", 1.5, 1000000, &p, &err) && p.tasks == 3 && p.node_index == 2 && p.ranks,
       "and the next one its own, from the same order");
    ok(emulate_plan(&key, s, "n5", 0, 1000000, &p, &err) == ESLURM_INVALID_NODE_NAME, "or none");
    pb__signed__free_unpacked(s, NULL);
}

static void test_sleep(void)
{
    static const struct {
        const char *script;
        bool good;
        double want;
    } rows[] = {
        { "#!/bin/sh\nsleep 5\n", true, 5 },
        { "#!/bin/sh\n# words\n\n  sleep 0.5m  \n", true, 30 },
        { "#!/bin/sh\nsleep 1h", true, 3600 },
        { "#!/bin/sh\nsleep 5\necho\n", false, 0 },
        { "#!/bin/sh\nsleep $N\n", false, 0 },
        { "#!/bin/sh\nsleep -1\n", false, 0 },
        { "#!/bin/sh\nsleep 1e99\n", false, 0 },
        { "#!/bin/sh\nsleep nan\n", false, 0 },
        { "#!/bin/sh\n", false, 0 },
        { "", false, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        double s = 0;
        bool good = emulate_sleep(rows[i].script, strlen(rows[i].script), &s);
        ok(good == rows[i].good && (!good || s == rows[i].want),
           good ? "a script that only sleeps" : "and one that does not");
    }
}

int main(void)
{
    test_own_part();
    test_refused();
    test_named();
    test_forged();
    test_emulated();
    test_sleep();
    return test_done();
}
