/* topo - which nodes a network gives: small trees and blocks, as Slurm was observed to choose. */
#include "net.h"
#include "text/hostlist.h"

static const char tree[] = "SwitchName=s1 Nodes=n[1-4]\nSwitchName=s2 Nodes=n[5-8]\nSwitchName=s3 Nodes=n[9-11]\n"
                           "SwitchName=s4 Nodes=n12\nSwitchName=s5 Switches=s[1-2]\nSwitchName=s6 Switches=s[3-4]\n"
                           "SwitchName=s0 Switches=s[5-6]\n";
static const char blocks[] = "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockName=b3 Nodes=n[9-12]\n"
                             "BlockName=b4 Nodes=n[13-16]\nBlockSizes=4,8\n";

struct pick_case {
    const char *busy; /* busy as a whole before */
    struct rig_job job;
    const char *want; /* NULL: it waits */
};

/* "n[1-2,5]" of a running job; NULL when it waits. */
static char *nodes_of(const struct rig *r, uint32_t id)
{
    const struct job *j = cluster_job(r->c, id);
    if (!j || job_base(j) != JOB_RUNNING)
        return NULL;
    struct strs names = STRS_INIT;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        strs_add(&names, r->c->node[j->alloc.at[i].node].name);
    char *text = hostlist_compress_sorted(names.at, names.n);
    strs_clear(&names);
    return text;
}

static void make_busy(struct rig *r, const char *list)
{
    auto_strs struct strs names = STRS_INIT;
    (void)hostlist_expand(list, &names, NULL);
    for (size_t i = 0; i < names.n; i++) {
        rig_submit(r, (struct rig_job){ .nodelist = names.at[i], .exclusive = true, .nodes = 1 });
        rig_plan(r);
    }
}

static void describe(const struct rig_job *j, char *out, size_t room)
{
    size_t n = 0;
    const struct {
        const char *fmt;
        uint32_t v;
    } numbers[] = { { "-N%u ", j->nodes },
                    { "to %u ", j->max_nodes },
                    { "-n%u ", j->ntasks },
                    { "-c%u ", j->cpus },
                    { "--segment=%u ", j->segment } };
    *out = '\0';
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i].v) {
            char text[32];
            snprintf(text, sizeof(text), "%u", numbers[i].v);
            const char *at = strchr(numbers[i].fmt, '%');
            n += (size_t)snprintf(out + n, room - n, "%.*s%s ", (int)(at - numbers[i].fmt), numbers[i].fmt, text);
        }
    snprintf(out + n, room - n, "%s%s%s%s%s%s%s%s%s", j->nodelist ? "-w " : "", j->nodelist ? j->nodelist : "",
             j->exclude ? "-x " : "", j->exclude ? j->exclude : "", j->switches ? "--switches=" : "",
             j->switches ? j->switches : "", j->consolidate ? " consolidated" : "", j->apart ? " spread" : "",
             j->topo_alone ? " alone" : "");
}

static void try_case(const struct pick_case *c, size_t nodes)
{
    struct rig r;
    char what[200];
    struct err err = ERR_INIT;
    rig_plain(&r, nodes, 2, 4, 1, 4000, "gpu:4");
    rig_plan(&r);
    make_busy(&r, c->busy);
    uint32_t id = rig_submit(&r, c->job);
    int rc = sched_feasible(r.s, r.c, cluster_job(r.c, id), &err);
    rig_plan(&r);
    auto_free char *got = rc ? mem_str("impossible") : nodes_of(&r, id);
    describe(&c->job, what, sizeof(what));
    is_str(got, c->want, "%s%s%s", what, *c->busy ? " beside " : "", c->busy);
    rig_down(&r);
}

static void test_tree(void)
{
    static const struct pick_case cases[] = {
        { "", { .nodes = 1 }, "n1" },
        { "", { .nodes = 2 }, "n[9-10]" },
        { "", { .nodes = 3 }, "n[9-11]" },
        { "", { .nodes = 4 }, "n[1-4]" },
        { "", { .nodes = 5 }, "n[1-5]" },
        { "", { .nodes = 8 }, "n[1-8]" },
        { "", { .nodes = 9 }, "n[1-8,12]" },
        { "", { .nodes = 12 }, "n[1-12]" },
        { "", { .ntasks = 1 }, "n1" },
        { "", { .ntasks = 9 }, "n[9-10]" },
        { "", { .ntasks = 24 }, "n[9-11]" },
        { "", { .ntasks = 30 }, "n[1-4]" },
        { "", { .ntasks = 33 }, "n[1-5]" },
        { "", { .ntasks = 65 }, "n[1-8,12]" },
        { "", { .nodes = 2, .max_nodes = 5 }, "n[1-5]" },
        { "", { .nodes = 1, .max_nodes = 3 }, "n[9-11]" },
        { "", { .nodes = 2, .max_nodes = 20 }, "n[1-12]" },
        { "", { .nodes = 3, .ntasks = 20 }, "n[9-11]" },
        { "", { .nodes = 3, .nodelist = "n3,n9" }, "n[1,3,9]" },
        { "", { .nodelist = "n1,n9" }, "n[1,9]" },
        { "", { .nodes = 2, .nodelist = "n12" }, "n[9,12]" },
        { "", { .nodes = 5, .contiguous = true }, "n[1-5]" },
        { "", { .nodes = 3, .max_nodes = 6, .use_min_nodes = true }, "n[9-11]" },
        { "", { .nodes = 4, .exclude = "n2" }, "n[5-8]" },
        { "", { .nodes = 4, .exclude = "n2,n6" }, "n[9-12]" },
        { "n[1-2]", { .nodes = 1 }, "n3" },
        { "n[1-2]", { .nodes = 2 }, "n[3-4]" },
        { "n[1-2]", { .nodes = 3 }, "n[9-11]" },
        { "n[1-2]", { .nodes = 4 }, "n[5-8]" },
        { "n[1-2]", { .nodes = 5 }, "n[3,5-8]" },
        { "n[1-2]", { .ntasks = 9 }, "n[3-4]" },
        { "n[1-2]", { .ntasks = 17 }, "n[9-11]" },
        { "n[1-2]", { .nodes = 2, .switches = "1" }, "n[3-4]" },
        { "n[1-2]", { .nodes = 5, .switches = "2" }, "n[3,5-8]" },
        { "n1,n5,n9", { .nodes = 1 }, "n2" },
        { "n1,n5,n9", { .nodes = 2 }, "n[10-11]" },
        { "n1,n5,n9", { .nodes = 4 }, "n[2-4,6]" },
        { "n1,n5,n9", { .nodes = 6 }, "n[2-4,6-8]" },
        { "n1,n5,n9", { .nodes = 7 }, "n[2-4,6-8,12]" },
        { "n1,n5,n9", { .nodes = 8 }, "n[2-4,6-8,10-11]" },
        { "n1,n5,n9", { .nodes = 4, .switches = "1" }, NULL },
        { "n1,n5,n9", { .nodes = 6, .switches = "2" }, "n[2-4,6-8]" },
        { "n1,n5,n9", { .nodes = 7, .switches = "2" }, NULL },
        { "", { .ntasks = 4 }, "n12" },
        { "", { .nodes = 1, .ntasks = 4 }, "n1" },
        { "", { .ntasks = 1, .cpus = 8 }, "n1" },
        { "", { .nodes = 1, .max_nodes = 2, .ntasks = 8 }, "n[9-10]" },
        { "", { .ntasks = 4, .per_node = 4 }, "n1" },
        { "", { .ntasks = 8, .per_node = 4 }, "n[9-10]" },
        { "", { .nodes = 1, .gpus = "2" }, "n1" },
        { "", { .nodes = 1, .max_nodes = 2 }, "n[9-10]" },
        { "n1,n5,n9", { .nodes = 2, .max_nodes = 4 }, "n[2-4,6]" },
        { "n1,n5,n9", { .nodes = 3, .max_nodes = 8 }, "n[2-4,6-8,10-11]" },
        { "n1,n5,n9", { .nodes = 2, .max_nodes = 6, .switches = "1" }, "n[2-4]" },
        { "n1,n5,n9", { .nodes = 4, .max_nodes = 6, .switches = "2" }, "n[2-4,6-8]" },
        { "n1,n5,n9", { .nodes = 2, .max_nodes = 4, .ntasks = 20 }, "n[2-4,6]" },
        { "n1,n5,n9", { .ntasks = 28 }, "n[2-4,6]" },
        { "n1,n5,n9", { .nodes = 4, .nodelist = "n2" }, "n[2-4,6]" },
        { "n1,n5,n9", { .nodes = 4, .nodelist = "n12,n2" }, "n[2-4,12]" },
        { "n1,n5,n9", { .nodes = 5, .nodelist = "n2,n6,n10" }, "n[2-4,6,10]" },
        { "n[1-2],n[5-6],n12", { .nodes = 4 }, "n[3-4,7-8]" },
        { "n[1-2],n[5-6],n12", { .nodes = 5 }, "n[3-4,7-9]" },
        { "n[1-2],n[5-6],n12", { .nodes = 6 }, "n[3-4,7-10]" },
        { "n[1-2],n[5-6],n12", { .nodes = 7 }, "n[3-4,7-11]" },
    };
    net_up(TOPO_TREE, tree);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        try_case(&cases[i], 12);
}

static void test_block(void)
{
    static const struct pick_case cases[] = {
        { "", { .nodes = 1 }, "n1" },
        { "", { .nodes = 2 }, "n[13-14]" },
        { "", { .nodes = 4 }, "n[13-16]" },
        { "", { .nodes = 5 }, "n[9,13-16]" },
        { "", { .nodes = 8 }, "n[9-16]" },
        { "", { .nodes = 9 }, "n[5,9-16]" },
        { "", { .nodes = 10 }, "n[5-6,9-16]" },
        { "", { .nodes = 13 }, "n[1,5-16]" },
        { "", { .nodes = 16 }, "n[1-16]" },
        { "", { .ntasks = 9 }, "n[13-14]" },
        { "", { .ntasks = 33 }, "impossible" },
        { "", { .nodes = 2, .max_nodes = 5 }, "n[13-14]" },
        { "", { .nodes = 1, .max_nodes = 3 }, "n13" },
        { "", { .nodelist = "n3,n9", .nodes = 3 }, "impossible" },
        { "", { .nodelist = "n3", .nodes = 2 }, "n[1,3]" },
        { "", { .nodes = 5, .contiguous = true }, "n[9,13-16]" },
        { "", { .ntasks = 8, .spread = true }, "n13" },
        { "", { .nodes = 4, .exclude = "n2" }, "n[13-16]" },
        { "", { .nodes = 7, .exclude = "n2,n6,n10" }, "n[9,11-16]" },
        { "", { .nodes = 6, .segment = 1 }, "n[9-10,13-16]" },
        { "", { .nodes = 6, .segment = 2 }, "n[9-10,13-16]" },
        { "", { .nodes = 10, .segment = 2 }, "n[5-6,9-16]" },
        { "", { .nodes = 2, .segment = 3 }, "n[13-14]" },
        { "", { .nodes = 6, .segment = 3 }, "n[9-11,13-15]" },
        { "", { .nodes = 12, .segment = 3 }, "n[1-3,5-7,9-11,13-15]" },
        { "", { .nodes = 15, .segment = 3 }, "impossible" },
        { "", { .nodes = 12, .segment = 4 }, "n[5-16]" },
        { "", { .nodes = 10, .segment = 5 }, "n[1,5-9,13-16]" },
        { "", { .nodes = 12, .segment = 6 }, "n[1-2,5-10,13-16]" },
        { "", { .nodes = 16, .segment = 8 }, "n[1-16]" },
        { "", { .nodes = 8, .segment = 9 }, "n[9-16]" },
        { "n1", { .nodes = 1 }, "n2" },
        { "n1", { .nodes = 2 }, "n[2-3]" },
        { "n1", { .nodes = 4 }, "n[13-16]" },
        { "n1", { .nodes = 5 }, "n[2,5-8]" },
        { "n1", { .nodes = 7 }, "n[2-8]" },
        { "n1", { .nodes = 8 }, "n[9-16]" },
        { "n1", { .nodes = 9 }, "n[2,9-16]" },
        { "n1", { .nodes = 11 }, "n[2-4,9-16]" },
        { "n1", { .nodes = 12 }, "n[5-16]" },
        { "n1", { .nodes = 13 }, "n[2,5-16]" },
        { "n1", { .nodes = 4, .segment = 2 }, "n[2-3,13-14]" },
        { "n1", { .nodes = 6, .segment = 2 }, "n[2-3,13-16]" },
        { "n1", { .nodes = 6, .segment = 3 }, "n[2-4,13-15]" },
        { "n1", { .nodes = 14, .segment = 2 }, "n[2-3,5-16]" },
        { "n1", { .nodes = 12, .segment = 3 }, "n[2-7,9-11,13-15]" },
        { "n[1-2],n5", { .nodes = 3 }, "n[6-8]" },
        { "n[1-2],n5", { .nodes = 5 }, "n[3-4,6-8]" },
        { "n[1-2],n5", { .nodes = 6 }, "n[9-10,13-16]" },
        { "n[1-2],n5", { .nodes = 12 }, "n[3,6-16]" },
        { "n[1-2],n5", { .nodes = 8, .segment = 2 }, "n[3-4,6-7,13-16]" },
        { "n[1-2],n5", { .nodes = 9, .segment = 3 }, "n[6-11,13-15]" },
        { "n1,n5,n9,n13", { .nodes = 3 }, "n[14-16]" },
        { "n1,n5,n9,n13", { .nodes = 4 }, NULL },
        { "n1,n5,n9,n13", { .nodes = 5 }, "n[10-11,14-16]" },
        { "n1,n5,n9,n13", { .nodes = 7 }, NULL },
        { "n1,n5,n9,n13", { .nodes = 9 }, "n[6-8,10-12,14-16]" },
        { "n1,n5,n9,n13", { .nodes = 8, .segment = 2 }, "n[2-3,6-7,10-11,14-15]" },
        { "n1,n5,n9,n13", { .nodes = 8, .segment = 1 }, "n[6-7,10-12,14-16]" },
        { "", { .nodes = 8, .segment = 4, .consolidate = true }, "n[9-16]" },
        { "", { .nodes = 8, .segment = 2, .apart = true }, "n[1-2,5-6,9-10,13-14]" },
        { "", { .nodes = 4, .segment = 2, .apart = true }, "n[9-10,13-14]" },
        { "", { .nodes = 8, .segment = 1, .apart = true }, "impossible" },
        { "", { .nodes = 4, .segment = 1, .apart = true }, "n[1,5,9,13]" },
        { "", { .nodes = 12, .segment = 4, .consolidate = true }, "n[5-16]" },
        { "", { .nodes = 4, .segment = 2, .apart = true, .consolidate = true }, "n[9-10,13-14]" },
        { "n1,n5", { .nodes = 6, .segment = 2 }, "n[2-3,6-7,13-14]" },
        { "n1,n5", { .nodes = 6, .segment = 2, .consolidate = true }, "n[9-10,13-16]" },
        { "n1,n5", { .nodes = 6, .segment = 2, .apart = true }, "n[2-3,6-7,13-14]" },
        { "n1,n5", { .nodes = 2, .segment = 1, .consolidate = true }, "n[6-7]" },
        { "", { .nodes = 4, .segment = 2, .gpus = "16" }, "n[13-16]" },
        { "", { .nodes = 4, .segment = 2, .nodelist = "n[1-2],n[5-6]" }, "n[1-2,5-6]" },
        { "", { .nodes = 4, .segment = 2, .nodelist = "n1,n[5-7]" }, "impossible" },
        { "", { .nodes = 4, .max_nodes = 8, .segment = 2 }, "n[13-16]" },
    };
    net_up(TOPO_BLOCK, blocks);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        try_case(&cases[i], 16);
}

static void weigh(struct rig *r, const char *list, uint32_t weight)
{
    auto_strs struct strs names = STRS_INIT;
    (void)hostlist_expand(list, &names, NULL);
    for (size_t i = 0; i < names.n; i++) {
        Pb__EvNodeUpdate e = PB__EV_NODE_UPDATE__INIT;
        Pb__Event ev = PB__EVENT__INIT;
        e.node = cluster_node(r->c, names.at[i])->index, e.has_weight = true, e.weight = weight;
        ev.body_case = PB__EVENT__BODY_NODE_UPDATE, ev.node_update = &e;
        rig_apply(r, &ev);
    }
    sched_changed(r->s, NULL);
}

/* Nodes of low weight come first, all of them; the network decides about the rest. */
static void test_weights(void)
{
    static const struct {
        const char *light, *middle, *busy;
        uint32_t nodes;
        const char *want;
    } cases[] = {
        { "n[5-8]", "n9", "", 1, "n5" },           { "n[5-8]", "n9", "", 2, "n[5-6]" },
        { "n[5-8]", "n9", "", 5, "n[5-9]" },       { "n[5-8]", "n9", "", 6, "n[5-10]" },
        { "n[5-8]", "n9", "", 8, "n[5-12]" },      { "n[5-8]", "n9", "", 9, "n[1-2,5-11]" },
        { "n[5-8]", "n9", "n[5-6]", 3, "n[7-9]" }, { "n[5-8]", "n9", "n[5-6]", 5, "n[7-11]" },
        { "n1,n5,n9", "", "", 2, "n[1,5]" },       { "n1,n5,n9", "", "", 4, "n[1-2,5,9]" },
    };
    net_up(TOPO_TREE, tree);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 12, 2, 4, 1, 4000, NULL);
        weigh(&r, "n[1-12]", 10);
        weigh(&r, cases[i].light, 1);
        weigh(&r, cases[i].middle, 5);
        make_busy(&r, cases[i].busy);
        uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = cases[i].nodes });
        rig_plan(&r);
        auto_free char *got = nodes_of(&r, id);
        is_str(got, cases[i].want, "-N%u where %s are light%s%s", cases[i].nodes, cases[i].light,
               *cases[i].busy ? ", beside " : "", cases[i].busy);
        rig_down(&r);
    }
}

/* --switches is insisted on for a while, and no event is needed when that is over. */
static void test_patience(void)
{
    struct rig r;
    struct plan p;
    net_up(TOPO_TREE, tree);
    rig_plain(&r, 12, 2, 4, 1, 4000, NULL);
    rig_plan(&r);
    make_busy(&r, "n1,n5");
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = 4, .switches = "1@0:10" });
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    is_int(p.starts.n, 0, "four nodes under one switch are not there");
    is_int(p.next_s, r.now_s + 10, "the plan asks to be made again when the patience ends");
    is_int(p.whys.n ? p.whys.at[0].why.planned_s : 0, r.now_s + 10, "and expects the start then");
    plan_clear(&p);
    r.now_s += 9;
    is_int(rig_plan(&r), 0, "a second before it still waits");
    r.now_s += 1;
    is_int(rig_plan(&r), 1, "then any switches will do");
    auto_free char *got = nodes_of(&r, id);
    is_str(got, "n[9-12]", "as few as may be, still");
    rig_down(&r);
}

/* --exclusive=topo: a block for one job; other jobs see it as taken. */
static void test_alone(void)
{
    static const struct {
        struct rig_job job;
        const char *want, *why;
    } story[] = {
        { { .nodes = 2, .topo_alone = true }, "n[13-14]", NULL },    { { .nodes = 1 }, "n1", NULL },
        { { .nodes = 1, .topo_alone = true }, "n5", NULL },          { { .nodes = 4 }, "n[9-12]", NULL },
        { { .nodes = 5 }, NULL, "No suitable topology unit found" }, { { .nodes = 6 }, NULL, "Priority" },
        { { .nodes = 2, .topo_alone = true }, NULL, "Priority" },
    };
    struct rig r;
    uint32_t id[ARRAY_LEN(story)];
    net_up(TOPO_BLOCK, blocks);
    rig_plain(&r, 16, 2, 4, 1, 4000, NULL);
    for (size_t i = 0; i < ARRAY_LEN(story); i++) {
        id[i] = rig_submit(&r, story[i].job);
        rig_plan(&r);
        auto_free char *got = nodes_of(&r, id[i]);
        is_str(got, story[i].want, "alone in its blocks: job %zu", i + 1);
        if (story[i].why)
            is_str(rig_why(&r, id[i]), story[i].why, "and it is told why");
    }
    is_int(cluster_job(r.c, id[0])->alloc.at[0].cpus, 1, "it holds no more than it asked for");
    rig_end(&r, id[3]);
    rig_end(&r, id[0]);
    rig_plan(&r);
    auto_free char *five = nodes_of(&r, id[4]);
    is_str(five, "n[9,13-16]", "the waiting job gets the blocks that became free");
    rig_end(&r, id[4]);
    rig_plan(&r);
    auto_free char *six = nodes_of(&r, id[5]);
    is_str(six, "n[9-10,13-16]", "one after the other");
    rig_end(&r, id[5]);
    rig_plan(&r);
    auto_free char *last = nodes_of(&r, id[6]);
    is_str(last, "n[13-14]", "and at last the one that wants a block alone");
    sched_changed(r.s, NULL);
    uint32_t late = rig_submit(&r, (struct rig_job){ .nodes = 4, .nodelist = "n[13-16]" });
    rig_plan(&r);
    ok(!nodes_of(&r, late), "no other job starts there, also after a full resync");
    rig_down(&r);
}

/* LLN=YES: the least loaded nodes, one job after the other. */
static void test_least_loaded(void)
{
    static const struct {
        struct rig_job job;
        const char *want;
    } story[] = { { { .ntasks = 1 }, "n1" },
                  { { .ntasks = 1 }, "n2" },
                  { { .ntasks = 2 }, "n3" },
                  { { .ntasks = 1 }, "n4" },
                  { { .ntasks = 1 }, "n1" },
                  { { .nodes = 2, .ntasks = 2 }, "n[2,4]" },
                  { { .ntasks = 3, .nodelist = "n3" }, "n3" } };
    struct rig r;
    net_down();
    rig_plain(&r, 4, 1, 8, 1, 4000, NULL);
    r.c->part.at[0]->pb->lln = true;
    for (size_t i = 0; i < ARRAY_LEN(story); i++) {
        uint32_t id = rig_submit(&r, story[i].job);
        rig_plan(&r);
        auto_free char *got = nodes_of(&r, id);
        is_str(got, story[i].want, "the least loaded nodes: job %zu", i + 1);
    }
    rig_down(&r);
}

/* pack_serial_at_end: single-CPU jobs go to the last nodes. */
static void test_serial_at_end(void)
{
    struct rig r;
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .serial_at_end = true };
    rig_plain(&r, 3, 1, 2, 1, 4000, NULL);
    sched_configure(r.s, &conf);
    static const char *const want[] = { "n3", "n3", "n2" };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 1 });
        rig_plan(&r);
        auto_free char *got = nodes_of(&r, id);
        is_str(got, want[i], "a job of one CPU goes to the end: job %zu", i + 1);
    }
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 2 });
    rig_plan(&r);
    auto_free char *got = nodes_of(&r, id);
    is_str(got, "n1", "a larger one begins at the front");
    rig_down(&r);
}

/* The sentence names switches and blocks. */
static void test_explained(void)
{
    struct rig r;
    struct why_text t;
    net_up(TOPO_TREE, tree);
    rig_plain(&r, 12, 2, 4, 1, 4000, NULL);
    rig_plan(&r);
    make_busy(&r, "n1,n5");
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = 4, .switches = "1@5:00" });
    rig_plan(&r);
    r.now_s += 30;
    sched_explain(r.s, r.c, cluster_job(r.c, id), r.now_s, &t);
    ok(strstr(t.sentence, "needs 4 nodes") && strstr(t.sentence, "10 of 12 such nodes have room now") &&
           strstr(t.sentence, "they must be under 1 switch: s1 has 3, s2 3, s3 3") &&
           strstr(t.sentence, "waits up to 5 more minutes for that, then takes any"),
       "switches: %s", t.sentence);
    bool without = false;
    for (size_t i = 0; i < t.hints.n; i++)
        without |= str_eq(t.hints.at[i], "would start now without --switches");
    ok(without, "it would start without the wish");
    why_text_clear(&t);
    rig_down(&r);
    net_up(TOPO_BLOCK, blocks);
    rig_plain(&r, 16, 2, 4, 1, 4000, NULL);
    rig_plan(&r);
    make_busy(&r, "n1,n5,n9,n13");
    id = rig_submit(&r, (struct rig_job){ .nodes = 8 });
    rig_plan(&r);
    sched_explain(r.s, r.c, cluster_job(r.c, id), r.now_s, &t);
    ok(strstr(t.sentence, "they must be in one block of 8: b1-b2 has 6, b3-b4 6") != NULL, "blocks: %s", t.sentence);
    bool segments = false;
    for (size_t i = 0; i < t.hints.n; i++)
        segments |= str_eq(t.hints.at[i], "would start now with --segment=2");
    ok(segments, "smaller segments would do");
    why_text_clear(&t);
    rig_down(&r);
}

/* TopologyParam=TopoOptional: only jobs that ask for switches are placed by them. */
static void test_optional(void)
{
    struct rig r;
    net_up(TOPO_TREE, tree);
    rig_plain(&r, 12, 2, 4, 1, 4000, NULL);
    r.c->topo_optional = true;
    uint32_t plain = rig_submit(&r, (struct rig_job){ .nodes = 2 });
    uint32_t asks = rig_submit(&r, (struct rig_job){ .nodes = 2, .switches = "1" });
    rig_plan(&r);
    auto_free char *a = nodes_of(&r, plain), *b = nodes_of(&r, asks);
    is_str(a, "n[1-2]", "in a row");
    is_str(b, "n[9-10]", "under the smallest switch");
    rig_down(&r);
}

/* Preemption frees one block, and no job elsewhere is preempted. */
static void test_preemption(void)
{
    struct rig r;
    struct plan p;
    char names[16][8], all[] = "n[1-16]", low[] = "main", high[] = "high";
    struct rig_node nodes[16];
    Pb__Part a = PB__PART__INIT, b = PB__PART__INIT, *parts[] = { &a, &b };
    net_up(TOPO_BLOCK, blocks);
    for (size_t i = 0; i < 16; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i + 1);
        nodes[i] =
            (struct rig_node){ .name = names[i], .sockets = 1, .cores = 1, .threads = 1, .mem_mb = 1000, .weight = 1 };
    }
    a.name = low, a.nodes = all, a.priority_tier = 1, b.name = high, b.nodes = all, b.priority_tier = 9;
    rig_up(&r, nodes, 16, parts, 2);
    struct sched_conf conf = {
        .backfill = true, .by_core = true, .by_memory = true, .preempt = true, .preempt_mode = "CANCEL"
    };
    sched_configure(r.s, &conf);
    make_busy(&r, "n[1-2],n[5-7],n9,n13"); /* one job each in the third and the fourth block */
    uint32_t id = rig_submit(&r, (struct rig_job){ .nodes = 4, .part = "high" });
    sched_plan(r.s, r.c, r.now_s, NULL, &p);
    is_int(p.starts.n, 0, "no block is free");
    is_int(p.preempts.n, 1, "one has to go");
    ok(p.preempts.n && p.preempts.at[0].by == id && p.preempts.at[0].job->alloc.at[0].node >= 8,
       "the one that is alone in its block");
    plan_clear(&p);
    rig_down(&r);
}

int main(void)
{
    test_tree();
    test_block();
    test_weights();
    test_patience();
    test_alone();
    test_explained();
    test_optional();
    test_preemption();
    test_least_loaded();
    test_serial_at_end();
    net_down();
    return test_done();
}
