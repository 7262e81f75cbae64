/*
 * planned_start - where jobs start and what they get, as Slurm answered on four nodes with 2 sockets x 4 cores, 4 GPUs.
 */
#include "rig.h"

static void test_shares(void)
{
    static const struct {
        const char *name, *want;
        struct rig_job job;
    } cases[] = {
        { "-n1", "n1:1/1", { .ntasks = 1 } },
        { "-n4", "n1:4/4", { .ntasks = 4 } },
        { "-n9", "n1:8/8 n2:1/1", { .ntasks = 9 } },
        { "-n12", "n1:8/8 n2:4/4", { .ntasks = 12 } },
        { "-n20", "n1:8/8 n2:8/8 n3:4/4", { .ntasks = 20 } },
        { "-n32", "n1:8/8 n2:8/8 n3:8/8 n4:8/8", { .ntasks = 32 } },
        { "-N2", "n1:1/1 n2:1/1", { .nodes = 2 } },
        { "-N2 -n4", "n1:3/3 n2:1/1", { .nodes = 2, .ntasks = 4 } },
        { "-N2 -n3", "n1:2/2 n2:1/1", { .nodes = 2, .ntasks = 3 } },
        { "-N2 -n5", "n1:4/4 n2:1/1", { .nodes = 2, .ntasks = 5 } },
        { "-N2 -n16", "n1:8/8 n2:8/8", { .nodes = 2, .ntasks = 16 } },
        { "-N3 -n4", "n1:2/2 n2:1/1 n3:1/1", { .nodes = 3, .ntasks = 4 } },
        { "-N3 -n10", "n1:8/8 n2:1/1 n3:1/1", { .nodes = 3, .ntasks = 10 } },
        { "-N4 -n20", "n1:8/8 n2:8/8 n3:3/3 n4:1/1", { .nodes = 4, .ntasks = 20 } },
        { "-N1-3 -n4", "n1:2/2 n2:1/1 n3:1/1", { .nodes = 1, .max_nodes = 3, .ntasks = 4 } },
        { "-N2-4 -n20", "n1:8/8 n2:7/7 n3:4/4 n4:1/1", { .nodes = 2, .max_nodes = 4, .ntasks = 20 } },
        { "-N1-4", "n1:1/1 n2:1/1 n3:1/1 n4:1/1", { .nodes = 1, .max_nodes = 4 } },
        { "-N1-4 -n4 --use-min-nodes", "n1:4/4", { .nodes = 1, .max_nodes = 4, .ntasks = 4, .use_min_nodes = true } },
        { "--spread-job -n4", "n1:1/1 n2:1/1 n3:1/1 n4:1/1", { .ntasks = 4, .spread = true } },
        { "--ntasks-per-node=3", "n1:3/3", { .per_node = 3 } },
        { "-N2 --ntasks-per-node=3", "n1:3/3 n2:3/3", { .nodes = 2, .per_node = 3 } },
        { "-n7 --ntasks-per-node=3", "n1:3/3 n2:3/2 n3:3/2", { .ntasks = 7, .per_node = 3 } },
        { "-N2 -n5 --ntasks-per-node=3", "n1:3/3 n2:3/2", { .nodes = 2, .ntasks = 5, .per_node = 3 } },
        { "-c3", "n1:3/1", { .cpus = 3 } },
        { "-n4 -c3", "n1:6/2 n2:6/2", { .ntasks = 4, .cpus = 3 } },
        { "-n10 -c2", "n1:8/4 n2:8/4 n3:4/2", { .ntasks = 10, .cpus = 2 } },
        { "-N2 --mincpus=4", "n1:4/4 n2:4/4", { .nodes = 2, .mincpus = 4 } },
        { "--mincpus=4 -n2", "n1:2/2", { .ntasks = 2, .mincpus = 4 } },
        { "--exclusive", "n1:8/8", { .exclusive = true } },
        { "--exclusive -n3", "n1:8/3", { .ntasks = 3, .exclusive = true } },
        { "--exclusive -N2 -n3", "n1:8/2 n2:8/1", { .nodes = 2, .ntasks = 3, .exclusive = true } },
        { "--mem-per-cpu=1000 -n6", "n1:4/4 n2:2/2", { .ntasks = 6, .mem_cpu = 1000 } },
        { "--mem=0 -n2", "n1:2/2", { .ntasks = 2, .mem_all = true } },
        { "-G2", "n1:1/1", { .gpus = "2" } },
        { "-G6", "n1:1/1 n2:1/1", { .gpus = "6" } },
        { "-n6 --gpus-per-task=1", "n1:4/4 n2:2/2", { .ntasks = 6, .gpus_per_task = "1" } },
        { "-n2 --gpus-per-task=3", "n1:1/1 n2:1/1", { .ntasks = 2, .gpus_per_task = "3" } },
        { "--gpus-per-node=2 --cpus-per-gpu=2", "n1:4/4", { .gpus_per_node = "2", .cpus_per_gpu = 2 } },
        { "-w n3", "n3:1/1", { .nodelist = "n3" } },
        { "-w n2 -N2", "n2:1/1 n3:1/1", { .nodes = 2, .nodelist = "n2" } },
        { "-w n4 -N3", "n2:1/1 n3:1/1 n4:1/1", { .nodes = 3, .nodelist = "n4" } },
        { "-w n[2-3]", "n2:1/1 n3:1/1", { .nodelist = "n[2-3]" } },
        { "-x n1", "n2:1/1", { .exclude = "n1" } },
        { "-O -n20", "n1:1/20", { .ntasks = 20, .overcommit = true } },
        { "--ntasks-per-socket=1 -n3", "n1:2/2 n2:1/1", { .ntasks = 3, .per_socket = 1 } },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 4, 2, 4, 1, 4000, "gpu:4");
        uint32_t id = rig_submit(&r, cases[i].job);
        rig_plan(&r);
        is_str(rig_where(&r, id), cases[i].want, "%s", cases[i].name);
        rig_down(&r);
    }
}

static void test_beside_others(void)
{
    static const struct {
        const char *name, *want;
        uint32_t load[4];
        struct rig_job job;
    } cases[] = {
        { "a half-used first node takes more", "n1:4/4", { 4 }, { .ntasks = 4 } },
        { "one node is better than two", "n2:8/8", { 4 }, { .ntasks = 8 } },
        { "order of index, not best fit", "n1:4/4", { 0, 4 }, { .ntasks = 4 } },
        { "the smallest range that is enough", "n1:4/4", { 0, 8 }, { .ntasks = 4 } },
        { "the smallest range that is enough, at the end", "n4:4/4", { 0, 0, 8 }, { .ntasks = 4 } },
        { "neighbours rather than the first two", "n3:1/1 n4:1/1", { 0, 8 }, { .nodes = 2 } },
        { "a single node that suffices", "n3:6/6", { 6, 4, 2, 1 }, { .ntasks = 6 } },
        { "one more", "n4:7/7", { 6, 4, 2, 1 }, { .ntasks = 7 } },
        { "a small node is left out when nodes are few", "n2:8/8 n3:4/4", { 6 }, { .nodes = 2, .ntasks = 12 } },
        { "exclusive wants an empty node", "n2:8/8", { 1 }, { .exclusive = true } },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_plain(&r, 4, 2, 4, 1, 4000, "gpu:4");
        for (int k = 0; k < 4; k++)
            if (cases[i].load[k])
                rig_submit(&r, (struct rig_job){ .nodelist = (const char *[]){ "n1", "n2", "n3", "n4" }[k],
                                                 .ntasks = cases[i].load[k],
                                                 .nodes = 1 });
        rig_plan(&r);
        uint32_t id = rig_submit(&r, cases[i].job);
        rig_plan(&r);
        is_str(rig_where(&r, id), cases[i].want, "%s", cases[i].name);
        rig_down(&r);
    }
}

static void test_cores_and_devices(void)
{
    struct rig r;
    rig_plain(&r, 1, 2, 4, 1, 4000, "gpu:4");
    uint32_t a = rig_submit(&r, (struct rig_job){ .ntasks = 3, .gres = "gpu:1" });
    uint32_t b = rig_submit(&r, (struct rig_job){ .cpus = 2, .gres = "gpu:2" });
    is_int(rig_plan(&r), 2, "two jobs share the node");
    const struct node_alloc *x = &cluster_job(r.c, a)->alloc.at[0], *y = &cluster_job(r.c, b)->alloc.at[0];
    is_int(x->cores.word[0], 0x13, "single-CPU tasks go round the sockets: 0,1,4");
    is_int(y->cores.word[0], 0x0c, "two CPUs of a task stay together: 2,3");
    is_int(x->gres[0].index.word[0], 0x1, "the lowest device");
    is_int(y->gres[0].index.word[0], 0x6, "the next two");
    rig_end(&r, a);
    uint32_t d = rig_submit(&r, (struct rig_job){ .gres = "gpu:2" });
    rig_plan(&r);
    is_int(cluster_job(r.c, d)->alloc.at[0].gres[0].index.word[0], 0x9, "given back, then the lowest free again");
    rig_down(&r);
}

static void test_threads(void)
{
    struct rig r;
    rig_plain(&r, 1, 1, 4, 2, 8000, NULL);
    uint32_t a = rig_submit(&r, (struct rig_job){ .ntasks = 1, .mem_cpu = 100 });
    uint32_t b = rig_submit(&r, (struct rig_job){ .ntasks = 3 });
    uint32_t d = rig_submit(&r, (struct rig_job){ .ntasks = 1, .cpus = 1, .tpc = 1 });
    uint32_t e = rig_submit(&r, (struct rig_job){ .ntasks = 1 });
    rig_plan(&r);
    is_str(rig_where(&r, a), "n1:2/1", "one task gets a whole core");
    is_int(cluster_job(r.c, a)->alloc.at[0].mem_mb, 200, "memory per CPU counts both threads");
    is_str(rig_where(&r, b), "n1:4/3", "three tasks get two cores");
    is_str(rig_where(&r, d), "n1:2/1", "one thread per core gets a core");
    is_str(rig_where(&r, e), "-", "the node is full");
    rig_down(&r);
}

static void test_weights_and_features(void)
{
    static const struct rig_node nodes[] = {
        { .name = "a1", .sockets = 1, .cores = 4, .threads = 1, .mem_mb = 1000, .weight = 10, .features = "big,fast" },
        { .name = "b1", .sockets = 1, .cores = 2, .threads = 1, .mem_mb = 1000, .weight = 1, .features = "slow" },
        { .name = "b2", .sockets = 1, .cores = 2, .threads = 1, .mem_mb = 1000, .weight = 1, .features = "slow,ib" },
    };
    static const struct {
        const char *want, *constraint, *name;
        uint32_t ntasks, nodes;
    } cases[] = {
        { "b1:1/1", NULL, "the light node first", 1, 0 },
        { "a1:3/3", NULL, "the heavy one when only it holds the job", 3, 1 },
        { "b1:2/2 b2:1/1", NULL, "two light ones before a heavy one", 3, 0 },
        { "a1:1/1", "fast", "a feature", 1, 0 },
        { "b2:1/1", "slow&ib", "both features", 1, 0 },
        { "b2:1/1", "fast&ib|ib", "one side of or", 1, 0 },
        { "a1:1/1", "(ib|big)&fast", "parentheses", 1, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        Pb__Part part = PB__PART__INIT, *parts[] = { &part };
        part.name = (char[]){ "main" }, part.nodes = (char[]){ "a1,b[1-2]" };
        rig_up(&r, nodes, ARRAY_LEN(nodes), parts, 1);
        uint32_t id = rig_submit(
            &r,
            (struct rig_job){ .ntasks = cases[i].ntasks, .nodes = cases[i].nodes, .constraint = cases[i].constraint });
        rig_plan(&r);
        is_str(rig_where(&r, id), cases[i].want, "%s", cases[i].name);
        rig_down(&r);
    }
}

/* Three small nodes and a large one, all with GPUs; a job with three GPUs has at most three nodes. */
static void test_side_by_side(void)
{
    static const struct rig_node nodes[] = {
        { .name = "n1", .gres = "gpu:4", .sockets = 1, .cores = 1, .threads = 1, .mem_mb = 1000, .weight = 1 },
        { .name = "n2", .gres = "gpu:4", .sockets = 1, .cores = 1, .threads = 1, .mem_mb = 1000, .weight = 1 },
        { .name = "n3", .gres = "gpu:4", .sockets = 1, .cores = 1, .threads = 1, .mem_mb = 1000, .weight = 1 },
        { .name = "n4", .gres = "gpu:2", .sockets = 1, .cores = 9, .threads = 1, .mem_mb = 1000, .weight = 1 },
    };
    struct rig r;
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = (char[]){ "main" }, part.nodes = (char[]){ "n[1-4]" };
    rig_up(&r, nodes, ARRAY_LEN(nodes), parts, 1);
    uint32_t id = rig_submit(&r, (struct rig_job){ .ntasks = 11, .gpus = "3", .contiguous = true });
    rig_plan(&r);
    is_str(rig_where(&r, id), "n2:1/1 n3:1/1 n4:9/9", "--contiguous: the part of a row that holds it");
    rig_end(&r, id);
    id = rig_submit(&r, (struct rig_job){ .ntasks = 10, .gpus = "6", .nodes = 2, .max_nodes = 2 });
    rig_plan(&r);
    is_str(rig_where(&r, id), "n1:1/1 n4:9/9", "one node for its GPUs, one for its tasks");
    rig_down(&r);
}

int main(void)
{
    test_shares();
    test_beside_others();
    test_cores_and_devices();
    test_threads();
    test_weights_and_features();
    test_side_by_side();
    return test_done();
}
