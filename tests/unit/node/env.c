/* The environment of batch scripts and tasks; names and values are those of Slurm 26.05. */
#include "step/env.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "test.h"

static Pb__NodeAlloc alloc[2];
static Pb__NodeAlloc *allocs[2] = { &alloc[0], &alloc[1] };
static Pb__Gres gpu;
static Pb__Gres *gres[] = { &gpu };
static uint8_t gpu_bits[] = { 0x0a };
static Pb__JobSpec spec;
static Pb__StepSpec step;
static Pb__IoEndpoint endpoint;
static uint32_t step_node[] = { 0, 1 }, step_tasks[] = { 2, 1 };

static Pb__LaunchOrder order(bool batch)
{
    static const char sent[] = "PATH=/bin\0SLURM_NTASKS=77\0FOO=1\0=bad\0worse";
    Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
    for (int i = 0; i < 2; i++)
        pb__node_alloc__init(&alloc[i]);
    pb__gres__init(&gpu);
    pb__job_spec__init(&spec);
    pb__step_spec__init(&step);
    pb__io_endpoint__init(&endpoint);
    gpu.name = (char *)"gpu";
    gpu.count = 2;
    gpu.index = (ProtobufCBinaryData){ 1, gpu_bits };
    alloc[0].cpus = 4;
    alloc[0].tasks = 2;
    alloc[1].cpus = 2;
    alloc[1].tasks = 1;
    for (int i = 0; i < 2; i++) {
        alloc[i].gres = gres;
        alloc[i].n_gres = 1;
    }
    spec.name = (char *)"nm";
    spec.cpus_per_task = 2;
    o.spec = &spec;
    o.alloc = allocs;
    o.n_alloc = 2;
    o.node = (char *)"n1";
    o.nodes = (char *)"n[1-2]";
    o.job_id = 411;
    o.partition = (char *)"main";
    o.cluster = (char *)"oracle";
    o.user_name = (char *)"root";
    o.submit_dir = (char *)"/";
    o.submit_host = (char *)"vm";
    o.mem_per_node_mb = 100;
    o.start_s = 1794774541;
    o.end_s = 1794774841;
    o.env = (ProtobufCBinaryData){ sizeof(sent), (uint8_t *)sent };
    o.step_id = batch ? PB__STEP_NUMBER__STEP_BATCH : 3;
    return o;
}

static void check(const struct env *e, const char *const (*want)[2], size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        is_str(env_get(e, want[i][0]), want[i][1], "%s: %s", what, want[i][0]);
}

static struct env_node node = { .conf = "/etc/slurm/slurm.conf", .group = "staff", .tmp = "/scratch",
                                .home = "/home/root", .shell = "/bin/sh", .gpu_lists = 0xf };

static void test_batch(void)
{
    /* clang-format off */
    static const char *const want[][2] = {
        { "CUDA_VISIBLE_DEVICES", "1,3" }, { "ENVIRONMENT", "BATCH" }, { "FOO", "1" },
        { "GPU_DEVICE_ORDINAL", "1,3" }, { "HOSTNAME", "n1" }, { "HYDRA_BOOTSTRAP", "slurm" },
        { "OMPI_MCA_plm_slurm_args", "--external-launcher" }, { "PATH", "/bin" }, { "ROCR_VISIBLE_DEVICES", "1,3" },
        { "SLURMD_NODENAME", "n1" }, { "SLURM_CLUSTER_NAME", "oracle" }, { "SLURM_CONF", "/etc/slurm/slurm.conf" },
        { "SLURM_CPUS_ON_NODE", "4" }, { "SLURM_CPUS_PER_TASK", "2" }, { "SLURM_GPUS_ON_NODE", "2" },
        { "SLURM_GTIDS", "0" }, { "SLURM_JOBID", "411" }, { "SLURM_JOB_CPUS_PER_NODE", "4,2" },
        { "SLURM_JOB_END_TIME", "1794774841" }, { "SLURM_JOB_EXCLUSIVE", "NO" }, { "SLURM_JOB_GID", "0" },
        { "SLURM_JOB_GPUS", "1,3" }, { "SLURM_JOB_ID", "411" }, { "SLURM_JOB_NAME", "nm" },
        { "SLURM_JOB_NODELIST", "n[1-2]" }, { "SLURM_JOB_NUM_NODES", "2" }, { "SLURM_JOB_OVERSUBSCRIBE", "NO" },
        { "SLURM_JOB_PARTITION", "main" }, { "SLURM_JOB_START_TIME", "1794774541" }, { "SLURM_JOB_UID", "0" },
        { "SLURM_JOB_USER", "root" }, { "SLURM_LOCALID", "0" }, { "SLURM_MEM_PER_NODE", "100" },
        { "SLURM_NNODES", "2" }, { "SLURM_NODEID", "0" }, { "SLURM_NODELIST", "n[1-2]" }, { "SLURM_NPROCS", "3" },
        { "SLURM_NTASKS", "3" }, { "SLURM_OOM_KILL_STEP", "0" }, { "SLURM_PRIO_PROCESS", "0" },
        { "SLURM_PROCID", "0" }, { "SLURM_STEPID", "-5" }, { "SLURM_STEP_ID", "-5" }, { "SLURM_SUBMIT_DIR", "/" },
        { "SLURM_SUBMIT_HOST", "vm" }, { "SLURM_TASKS_PER_NODE", "2,1" }, { "SLURM_TASK_PID", "1391" },
        { "SLURM_TOPOLOGY_ADDR", "n1" }, { "SLURM_TOPOLOGY_ADDR_PATTERN", "node" },
        { "SLURM_TRES_PER_TASK", "cpu=2" }, { "TMPDIR", "/scratch" }, { "USER", NULL }, { "HOME", NULL },
        { "ZE_AFFINITY_MASK", "1,3" }, { "SLURM_ARRAY_TASK_ID", NULL }, { "SLURM_JOB_GROUP", NULL },
        { "SLURM_RESTART_COUNT", NULL }, { "worse", NULL },    };
    /* clang-format on */
    Pb__LaunchOrder o = order(true);
    spec.ntasks = 3;
    auto_env struct env e = { 0 };
    env_step(&e, &o, &node);
    env_task(&e, &o, &node, 0, 1391);
    check(&e, want, ARRAY_LEN(want), "batch");
}

static void test_quiet(void)
{
    /* clang-format off */
    static const char *const want[][2] = {
        { "SLURM_NTASKS", "77" }, { "SLURM_NPROCS", NULL }, { "SLURM_JOB_CPUS_PER_NODE", "4(x2)" },
        { "SLURM_ARRAY_JOB_ID", "412" }, { "SLURM_ARRAY_TASK_ID", "6" }, { "SLURM_ARRAY_TASK_COUNT", "3" },
        { "SLURM_ARRAY_TASK_STEP", "3" }, { "SLURM_RESTART_COUNT", "2" }, { "SLURM_JOB_EXCLUSIVE", "USER" },
        { "SLURM_MEM_PER_NODE", NULL }, { "SLURM_MEM_PER_CPU", "50" }, { "SLURM_OPEN_MODE", "a" },    };
    /* clang-format on */
    Pb__LaunchOrder o = order(true);
    alloc[1].cpus = 4;
    o.has_task = true;
    o.array_job = 412;
    o.array_task = 6;
    o.array_count = o.array_step = 3;
    o.restarts = 2;
    o.mem_per_cpu_mb = 50;
    spec.mem_all = true;
    spec.open_mode = PB__OPEN_MODE__OPEN_APPEND;
    spec.exclusive = (char *)"user";
    auto_env struct env e = { 0 };
    env_step(&e, &o, &node);
    check(&e, want, ARRAY_LEN(want), "array");
}

static void test_srun(void)
{
    /* clang-format off */
    static const char *const want[][2] = {
        { "SLURM_STEPID", "3" }, { "SLURM_STEP_ID", "3" }, { "SLURM_STEP_NODELIST", "n[1-2]" },
        { "SLURM_STEP_NUM_NODES", "2" }, { "SLURM_STEP_NUM_TASKS", "3" }, { "SLURM_STEP_TASKS_PER_NODE", "2,1" },
        { "SLURM_NTASKS", "3" }, { "SLURM_PROCID", "2" }, { "SLURM_LOCALID", "0" }, { "SLURM_NODEID", "1" },
        { "SLURM_GTIDS", "2" }, { "SLURM_JOB_GROUP", "staff" }, { "SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1" },
        { "SLURM_SRUN_COMM_HOST", "127.0.0.1" }, { "SLURM_SRUN_COMM_PORT", "38177" },
        { "SLURM_STEP_LAUNCHER_PORT", "38177" }, { "SLURM_DISTRIBUTION", "block" }, { "SLURM_UMASK", "0022" },
        { "SLURM_STEP_GPUS", "1,3" }, { "SLURM_CPUS_ON_NODE", "2" }, { "SLURMD_NODENAME", "n2" },
        { "SLURM_TOPOLOGY_ADDR", "n2" }, { "SLURMD_DEBUG", "2" }, { "SRUN_DEBUG", "3" },
        { "ENVIRONMENT", NULL }, { "HOSTNAME", NULL }, { "SLURM_JOB_GPUS", NULL }, { "SLURM_JOB_EXCLUSIVE", NULL }, };
    /* clang-format on */
    Pb__LaunchOrder o = order(false);
    alloc[0].name = (char *)"n1";
    o.step = &step;
    o.node = (char *)"n2";
    o.node_index = 1;
    o.step_node = step_node;
    o.n_step_node = 2;
    o.step_tasks = step_tasks;
    o.n_step_tasks = 2;
    o.first_task = 2;
    o.step_nodes = (char *)"n[1-2]";
    step.umask = 022;
    step.io = &endpoint;
    endpoint.host = (char *)"127.0.0.1";
    endpoint.port = 38177;
    auto_env struct env e = { 0 };
    env_step(&e, &o, &node);
    env_task(&e, &o, &node, 0, 1473);
    check(&e, want, ARRAY_LEN(want), "srun");
    /* clang-format off */
    static const char *const alone[][2] = {
        { "ENVIRONMENT", NULL }, { "SLURM_DISTRIBUTION", NULL }, { "SLURM_JOB_GPUS", NULL },
        { "SLURM_JOB_EXCLUSIVE", NULL }, { "SLURM_MEM_PER_CPU", NULL }, { "SLURM_STEP_GPUS", "1,3" },
        { "CUDA_VISIBLE_DEVICES", "1,3" },    };
    /* clang-format on */
    auto_env struct env e2 = { 0 };
    spec.kind = PB__JOB_KIND__KIND_SRUN;
    o.step_id = 0;
    o.mem_per_cpu_mb = 100;
    env_step(&e2, &o, &node);
    check(&e2, alone, ARRAY_LEN(alone), "srun alone");
    is_int(env_local_tasks(&o), 1, "the second node runs one task");
    char **v = env_vector(&e);
    size_t n = 0;
    while (v[n])
        n++;
    is_int(n, e.var.n, "the vector for exec ends where the variables end");
}

/* GPUs 1 and 3 are the step's; the GPUs that each of its tasks on this node sees. */
static void test_gpu_bind(void)
{
    /* clang-format off */
    static const struct { const char *bind, *accel; bool own, near; const char *want; } cases[] = {
        { "", "", false, false, "1,3 1,3" },
        { "gres/gpu:none", "", false, true, "1,3 1,3" },
        { "gres/gpu:closest", "", false, false, "1,3 1,3" },
        { "gres/gpu:closest", "", false, true, "3 1" },
        { "", "g", false, true, "3 1" },
        { "gres/gpu:single:1", "", false, false, "1 3" },
        { "gres/gpu:single:2", "", false, false, "1 1" },
        { "gres/gpu:single:1", "", false, true, "3 1" },
        { "gres/gpu:per_task:1", "", false, false, "1 3" },
        { "gres/gpu:per_task:1", "", false, true, "3 1" },
        { "gres/gpu:per_task:2", "", false, false, "1,3 1" },
        { "gres/gpu:map:3,1", "", false, false, "3 1" },
        { "gres/gpu:map:0", "", false, false, "1 1" },
        { "gres/gpu:mask:0x8,0xa", "", false, false, "3 1,3" },
        { "gres/gpu:map:1,0", "", true, false, "1 0" },       /* indices among its own GPUs */
        { "gres/gpu:mask:2,3", "", true, false, "1 0,1" },
        { "gres/gpu:none", "", true, false, "0,1 0,1" },
        { "gres/nic:single:1", "", false, false, "1,3 1,3" },
    };
    /* clang-format on */
    struct bitmap near[2] = { BITMAP_INIT, BITMAP_INIT };
    bitmap_set(&near[0], 3);
    bitmap_set(&near[1], 1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Pb__LaunchOrder o = order(false);
        o.step = &step;
        o.step_node = step_node, o.n_step_node = 2;
        o.step_tasks = step_tasks, o.n_step_tasks = 2;
        step.tres_bind = (char *)cases[i].bind;
        step.accel_bind = (char *)cases[i].accel;
        struct env_node n = node;
        n.own_devices = cases[i].own;
        n.near = near;
        n.nnear = cases[i].near ? 2 : 0;
        auto_buf struct buf got = BUF_INIT;
        auto_env struct env e = { 0 };
        env_step(&e, &o, &n);
        for (uint32_t k = 0; k < 2; k++) {
            env_task(&e, &o, &n, k, 1);
            buf_addf(&got, "%s%s", k ? " " : "", env_get(&e, "CUDA_VISIBLE_DEVICES"));
            is_str(env_get(&e, "SPUR_STEP_GPUS"), env_get(&e, "SLURM_STEP_GPUS"), "the twin follows");
        }
        is_str(got.s, cases[i].want, "%s%s%s%s", cases[i].bind, cases[i].accel,
               cases[i].own ? ", its own devices alone" : "", cases[i].near ? ", gres.conf says which are close" : "");
    }
    bitmap_clear(&near[0]);
    bitmap_clear(&near[1]);
}

static void test_training(void)
{
    /* clang-format off */
    static const char *const want[][2] = {
        { "MASTER_ADDR", "10.0.0.7" }, { "MASTER_PORT", "22744" }, { "WORLD_SIZE", "3" }, { "RANK", "1" },
        { "LOCAL_RANK", "1" }, { "LOCAL_WORLD_SIZE", "2" }, { "GROUP_RANK", "0" }, { "SPUR_PROCID", "1" },
        { "SPUR_JOB_ID", "411" }, { "SPUR_STEP_ID", "3" }, { "SPUR_NODENAME", "n1" }, { "SPUR_GPUS_ON_NODE", "2" }, };
    /* clang-format on */
    Pb__LaunchOrder o = order(false);
    o.step = &step;
    o.step_node = step_node, o.n_step_node = 2;
    o.step_tasks = step_tasks, o.n_step_tasks = 2;
    o.first_addr = (char *)"10.0.0.7";
    auto_env struct env e = { 0 };
    env_step(&e, &o, &node);
    env_task(&e, &o, &node, 1, 1);
    check(&e, want, ARRAY_LEN(want), "training");
    auto_env struct env off = { 0 };
    struct env_node n = node;
    n.no_training = true;
    env_step(&off, &o, &n);
    ok(!env_get(&off, "MASTER_ADDR"), "SpurTrainingEnv=no");
    static const char sent[] = "MASTER_PORT=5\0RANK=9\0SPUR_TRAINING=411.2";
    o.env = (ProtobufCBinaryData){ sizeof(sent), (uint8_t *)sent };
    auto_env struct env inner = { 0 };
    env_step(&inner, &o, &node);
    env_task(&inner, &o, &node, 0, 1);
    is_str(env_get(&inner, "MASTER_PORT"), "22744", "a step inside a step does not take the outer one's port");
    is_str(env_get(&inner, "RANK"), "0", "nor its rank");
}

int main(void)
{
    test_gpu_bind();
    test_training();
    test_batch();
    test_quiet();
    test_srun();
    return test_done();
}
