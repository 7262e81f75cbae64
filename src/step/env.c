/* env - the environment of a job's processes; see env.h. */
#include "step/env.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "step/spool.h"

#define ENV_MAX_VARS 65536
#define NO_LIMIT_S (365 * 86400) /* where Slurm says that a job without a limit ends */

void env_clear(struct env *e)
{
    for (size_t i = 0; i < e->var.n; i++)
        free(e->var.at[i]);
    vec_clear(&e->var);
}

static char **find(const struct env *e, const char *name, size_t len)
{
    for (size_t i = 0; i < e->var.n; i++)
        if (e->var.at[i] && !strncmp(e->var.at[i], name, len) && e->var.at[i][len] == '=')
            return &e->var.at[i];
    return NULL;
}

static void put(struct env *e, char *pair, size_t name_len)
{
    char **at = find(e, pair, name_len);
    if (at) {
        free(*at);
        *at = pair;
    } else {
        vec_push(&e->var, pair);
    }
}

void env_set(struct env *e, const char *name, const char *value)
{
    put(e, mem_printf("%s=%s", name, value), strlen(name));
}

void env_unset(struct env *e, const char *name)
{
    char **at = find(e, name, strlen(name));
    if (!at)
        return;
    free(*at);
    *at = e->var.at[--e->var.n];
}

void env_setf(struct env *e, const char *name, const char *fmt, ...)
{
    auto_buf struct buf out = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_adds(&out, name);
    buf_addc(&out, '=');
    buf_addv(&out, fmt, ap);
    va_end(ap);
    put(e, buf_take(&out), strlen(name));
}

const char *env_get(const struct env *e, const char *name)
{
    size_t len = strlen(name);
    char **at = find(e, name, len);
    return at ? *at + len + 1 : NULL;
}

void env_load(struct env *e, const void *text, size_t len)
{
    const char *p = text, *end = p + len;
    while (p < end && e->var.n < ENV_MAX_VARS) {
        size_t n = strnlen(p, (size_t)(end - p));
        const char *eq = memchr(p, '=', n);
        if (eq && eq != p)
            vec_push(&e->var, mem_strn(p, n));
        p += n + 1;
    }
}

void env_add(struct env *e, const void *text, size_t len)
{
    if (!e->var.n) { /* nothing to write over: no need to look */
        env_load(e, text, len);
        return;
    }
    auto_env struct env more = { 0 };
    env_load(&more, text, len);
    for (size_t i = 0; i < more.var.n; i++) {
        char *pair = take(more.var.at[i]);
        put(e, pair, strcspn(pair, "="));
    }
}

char **env_vector(struct env *e)
{
    vec_reserve(&e->var, e->var.n + 1);
    e->var.at[e->var.n] = NULL;
    return e->var.at;
}

/* ---- the step ---- */

uint32_t env_rank(const Pb__LaunchOrder *o, uint32_t local)
{
    return local < o->n_ranks ? o->ranks[local] : o->first_task + local;
}

bool env_is_batch(const Pb__LaunchOrder *o)
{
    return o->step_id == PB__STEP_NUMBER__STEP_BATCH;
}

/* A step that is a job of its own: srun at a prompt.  It has no script's environment around it. */
static bool srun_alone(const Pb__LaunchOrder *o)
{
    return o->spec->kind == PB__JOB_KIND__KIND_SRUN;
}

uint32_t env_step_index(const Pb__LaunchOrder *o)
{
    for (size_t i = 0; i < o->n_step_node; i++)
        if (o->step_node[i] == o->node_index)
            return (uint32_t)i;
    return 0;
}

uint32_t env_local_tasks(const Pb__LaunchOrder *o)
{
    uint32_t i = env_step_index(o);
    if (env_is_batch(o) || i >= o->n_step_tasks)
        return 1;
    return o->step_tasks[i];
}

static const Pb__NodeAlloc *here(const Pb__LaunchOrder *o)
{
    return o->node_index < o->n_alloc ? o->alloc[o->node_index] : NULL;
}

/* "4,2(x3)": the counts of the nodes in turn. */
static void set_counts(struct env *e, const char *name, const uint32_t *count, size_t n)
{
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && count[i + same] == count[i];)
            same++;
        buf_addf(&out, same > 1 ? "%s%u(x%zu)" : "%s%u", i ? "," : "", count[i], same);
    }
    env_set(e, name, out.s ? out.s : "");
}

static void set_if(struct env *e, const char *name, const char *value)
{
    if (!str_empty(value))
        env_set(e, name, value);
}

static void set_num_if(struct env *e, const char *name, uint64_t n)
{
    if (n)
        env_setf(e, name, "%llu", (unsigned long long)n);
}

/* What the user asked for, said back. */
static void set_request(struct env *e, const Pb__LaunchOrder *o)
{
    const Pb__JobSpec *s = o->spec;
    /* clang-format off */
    const struct { const char *name; uint64_t n; } numbers[] = {
        { "SLURM_NTASKS", s->ntasks }, { "SLURM_NPROCS", s->ntasks }, { "SLURM_CPUS_PER_TASK", s->cpus_per_task },
        { "SLURM_NTASKS_PER_NODE", s->ntasks_per_node }, { "SLURM_NTASKS_PER_SOCKET", s->ntasks_per_socket },
        { "SLURM_NTASKS_PER_CORE", s->ntasks_per_core }, { "SLURM_NTASKS_PER_GPU", s->ntasks_per_gpu },
        { "SLURM_THREADS_PER_CORE", s->threads_per_core }, { "SLURM_CPUS_PER_GPU", s->cpus_per_gpu },
        { "SLURM_MEM_PER_GPU", s->mem_per_gpu_mb }, { "SLURM_MEM_PER_NODE", s->mem_all ? 0 : o->mem_per_node_mb },
        { "SLURM_MEM_PER_CPU", srun_alone(o) ? s->mem_per_cpu_mb : o->mem_per_cpu_mb },
        { "SLURM_OVERCOMMIT", s->overcommit }, { "SLURM_RESTART_COUNT", o->restarts },
        { "SLURM_JOB_SEGMENT_SIZE", s->segment },    };
    const struct { const char *name, *text; } texts[] = {
        { "SLURM_GPUS", s->gpus }, { "SLURM_GPUS_PER_NODE", s->gpus_per_node },
        { "SLURM_GPUS_PER_SOCKET", s->gpus_per_socket }, { "SLURM_GPUS_PER_TASK", s->gpus_per_task },
        { "SLURM_DISTRIBUTION", s->distribution }, { "SLURM_JOB_DEPENDENCY", s->dependency },
        { "SLURM_JOB_ACCOUNT", str_or(o->account, s->account) }, { "SLURM_JOB_QOS", str_or(o->qos, s->qos) },
        { "SLURM_JOB_RESERVATION", s->reservation }, { "SLURM_JOB_LICENSES", s->licenses },
        { "SLURM_NETWORK", s->network }, { "SLURM_PROFILE", s->profile }, { "SLURM_ACCTG_FREQ", s->acctg_freq },
        { "SLURM_CPU_FREQ_REQ", s->cpu_freq }, { "SLURM_TRES_PER_TASK", s->tres_per_task },
        { "SLURM_OPEN_MODE", s->open_mode == 1 ? "t" : s->open_mode == 2 ? "a" : "" },
        { "SLURM_CONTAINER", s->container }, { "SLURM_CONTAINER_ID", s->container_id },    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        set_num_if(e, numbers[i].name, numbers[i].n);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        set_if(e, texts[i].name, texts[i].text);
    if (s->cpus_per_task && str_empty(s->tres_per_task))
        env_setf(e, "SLURM_TRES_PER_TASK", "cpu=%u", s->cpus_per_task);
}

static const char *exclusive_word(const char *said)
{
    /* clang-format off */
    static const struct { const char *said, *word; } words[] = {
        { "yes", "NODE" }, { "user", "USER" }, { "mcs", "MCS" }, { "topo", "TOPO" },    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(words[i].said, said))
            return words[i].word;
    return "NO";
}

static void set_alloc_counts(struct env *e, const Pb__LaunchOrder *o)
{
    auto_free uint32_t *cpus = mem_array(o->n_alloc + 1, sizeof(*cpus));
    auto_free uint32_t *tasks = mem_array(o->n_alloc + 1, sizeof(*tasks));
    for (size_t i = 0; i < o->n_alloc; i++) {
        cpus[i] = o->alloc[i]->cpus;
        tasks[i] = MAX(o->alloc[i]->tasks, 1u);
    }
    set_counts(e, "SLURM_JOB_CPUS_PER_NODE", cpus, o->n_alloc);
    set_counts(e, "SLURM_TASKS_PER_NODE", tasks, o->n_alloc);
    if (here(o))
        env_setf(e, "SLURM_CPUS_ON_NODE", "%u", here(o)->cpus);
}

static void set_job(struct env *e, const Pb__LaunchOrder *o)
{
    env_setf(e, "SLURM_JOB_ID", "%u", o->job_id);
    env_setf(e, "SLURM_JOBID", "%u", o->job_id);
    env_set(e, "SLURM_JOB_NAME", o->spec->name);
    env_set(e, "SLURM_JOB_NODELIST", o->nodes);
    env_set(e, "SLURM_NODELIST", o->nodes);
    env_setf(e, "SLURM_JOB_NUM_NODES", "%zu", o->n_alloc);
    env_setf(e, "SLURM_NNODES", "%zu", o->n_alloc);
    env_set(e, "SLURM_JOB_PARTITION", o->partition);
    env_setf(e, "SLURM_JOB_UID", "%u", o->uid);
    env_setf(e, "SLURM_JOB_GID", "%u", o->gid);
    env_set(e, "SLURM_JOB_USER", o->user_name);
    env_setf(e, "SLURM_JOB_START_TIME", "%lld", (long long)o->start_s);
    env_setf(e, "SLURM_JOB_END_TIME", "%lld", (long long)(o->end_s ? o->end_s : o->start_s + NO_LIMIT_S));
    if (!srun_alone(o)) {
        env_set(e, "SLURM_JOB_EXCLUSIVE", exclusive_word(o->spec->exclusive));
        env_set(e, "SLURM_JOB_OVERSUBSCRIBE", o->spec->oversubscribe ? "YES" : "NO");
    }
    env_set(e, "SLURM_CLUSTER_NAME", o->cluster);
    set_if(e, "SLURM_SUBMIT_DIR", o->submit_dir); /* usually the command has put it into the environment */
    set_if(e, "SLURM_SUBMIT_HOST", o->submit_host);
    env_set(e, "SLURM_OOM_KILL_STEP", "0");
    if (!env_get(e, "SLURM_PRIO_PROCESS"))
        env_set(e, "SLURM_PRIO_PROCESS", "0");
    set_alloc_counts(e, o);
}

static void set_array(struct env *e, const Pb__LaunchOrder *o)
{
    if (!o->has_task)
        return;
    env_setf(e, "SLURM_ARRAY_JOB_ID", "%u", o->array_job);
    env_setf(e, "SLURM_ARRAY_TASK_ID", "%u", o->array_task);
    env_setf(e, "SLURM_ARRAY_TASK_COUNT", "%u", o->array_count);
    env_setf(e, "SLURM_ARRAY_TASK_MIN", "%u", o->array_min);
    env_setf(e, "SLURM_ARRAY_TASK_MAX", "%u", o->array_max);
    env_setf(e, "SLURM_ARRAY_TASK_STEP", "%u", o->array_step);
}

/* ---- devices ---- */

/* "0,1" of a bitmap of devices, least significant bit first. */
static void device_list(struct buf *out, const ProtobufCBinaryData *index)
{
    for (size_t i = 0; i < index->len * 8; i++)
        if (index->data[i / 8] >> (i % 8) & 1)
            buf_addf(out, "%s%zu", out->len ? "," : "", i);
}

static void set_devices(struct env *e, const Pb__LaunchOrder *o)
{
    static const char *const gpu_lists[] = { "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
                                             "ZE_AFFINITY_MASK" };
    auto_buf struct buf gpus = BUF_INIT;
    uint64_t count = 0, shards = 0;
    for (size_t i = 0; here(o) && i < here(o)->n_gres; i++) {
        const Pb__Gres *g = here(o)->gres[i];
        if (str_eq(g->name, "gpu")) {
            count += g->count;
            device_list(&gpus, &g->index);
        } else if (str_eq(g->name, "shard")) {
            shards += g->count;
        }
    }
    for (size_t i = 0; gpus.len && i < ARRAY_LEN(gpu_lists); i++)
        env_set(e, gpu_lists[i], gpus.s);
    if (gpus.len && !srun_alone(o))
        env_set(e, "SLURM_JOB_GPUS", gpus.s);
    if (gpus.len && !env_is_batch(o))
        env_set(e, "SLURM_STEP_GPUS", gpus.s);
    set_num_if(e, "SLURM_GPUS_ON_NODE", count);
    set_num_if(e, "SLURM_SHARDS_ON_NODE", shards);
}

/* ---- batch script or step ---- */

/* What a script gives to the steps it starts. */
static void set_around(struct env *e, const Pb__LaunchOrder *o)
{
    /* mpirun and friends start their helpers by srun when they see these. */
    /* clang-format off */
    static const char *const launchers[][2] = {
        { "HYDRA_BOOTSTRAP", "slurm" }, { "HYDRA_LAUNCHER_EXTRA_ARGS", "--external-launcher" },
        { "I_MPI_HYDRA_BOOTSTRAP", "slurm" }, { "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "--external-launcher" },
        { "OMPI_MCA_plm_slurm_args", "--external-launcher" }, { "PRTE_MCA_plm_slurm_args", "--external-launcher" },    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++)
        env_set(e, launchers[i][0], launchers[i][1]);
    env_set(e, "ENVIRONMENT", "BATCH");
    env_set(e, "HOSTNAME", env_is_batch(o) || !o->n_alloc ? o->node : str_or(o->alloc[0]->name, o->node));
}

static void set_batch(struct env *e, const Pb__LaunchOrder *o)
{
    set_around(e, o);
    env_set(e, "SLURM_STEP_ID", "-5"); /* Slurm's batch step is 2^32 - 5, and so does it print it */
    env_set(e, "SLURM_STEPID", "-5");
    env_set(e, "SLURM_GTIDS", "0");
    env_set(e, "SLURM_NODEID", "0");
}

static uint32_t total_tasks(const Pb__LaunchOrder *o)
{
    uint32_t n = 0;
    for (size_t i = 0; i < o->n_step_tasks; i++)
        n += o->step_tasks[i];
    return n ? n : 1;
}

static void set_launcher(struct env *e, const Pb__StepSpec *s)
{
    if (!s || !s->io)
        return;
    set_if(e, "SLURM_LAUNCH_NODE_IPADDR", s->io->host);
    set_if(e, "SLURM_SRUN_COMM_HOST", s->io->host);
    set_num_if(e, "SLURM_SRUN_COMM_PORT", s->io->port);
    set_num_if(e, "SLURM_STEP_LAUNCHER_PORT", s->io->port);
}

static void set_srun(struct env *e, const Pb__LaunchOrder *o)
{
    uint32_t tasks = total_tasks(o);
    if (o->spec->kind == PB__JOB_KIND__KIND_BATCH)
        set_around(e, o);
    env_setf(e, "SLURM_STEP_ID", "%u", o->step_id);
    env_setf(e, "SLURM_STEPID", "%u", o->step_id);
    env_set(e, "SLURM_STEP_NODELIST", str_or(o->step_nodes, o->nodes));
    env_set(e, "SLURM_NODELIST", str_or(o->step_nodes, o->nodes));
    env_setf(e, "SLURM_STEP_NUM_NODES", "%zu", MAX(o->n_step_node, (size_t)1));
    env_setf(e, "SLURM_NNODES", "%zu", MAX(o->n_step_node, (size_t)1));
    env_setf(e, "SLURM_STEP_NUM_TASKS", "%u", tasks);
    env_setf(e, "SLURM_NTASKS", "%u", tasks);
    env_setf(e, "SLURM_NPROCS", "%u", tasks);
    set_counts(e, "SLURM_STEP_TASKS_PER_NODE", o->step_tasks, o->n_step_tasks);
    set_counts(e, "SLURM_TASKS_PER_NODE", o->step_tasks, o->n_step_tasks);
    env_setf(e, "SLURM_NODEID", "%u", env_step_index(o));
    set_num_if(e, "SLURM_CPUS_PER_TASK", o->step->cpus_per_task);
    set_if(e, "SLURM_DISTRIBUTION", str_or(o->step->distribution, o->spec->distribution));
    if (!srun_alone(o) && !env_get(e, "SLURM_DISTRIBUTION"))
        env_set(e, "SLURM_DISTRIBUTION", tasks <= MAX(o->n_step_node, (size_t)1) ? "cyclic" : "block");
    env_setf(e, "SLURM_UMASK", "%04o", o->step->umask ? o->step->umask : o->spec->umask);
    env_set(e, "SLURMD_DEBUG", "2");
    env_set(e, "SRUN_DEBUG", "3");
    auto_buf struct buf ranks = BUF_INIT;
    for (uint32_t i = 0; i < env_local_tasks(o); i++)
        buf_addf(&ranks, "%s%u", i ? "," : "", env_rank(o, i));
    env_set(e, "SLURM_GTIDS", ranks.s ? ranks.s : "");
    set_launcher(e, o->step);
}

void env_step(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node)
{
    env_add(e, o->env.data, o->env.len);
    set_job(e, o);
    set_request(e, o);
    set_array(e, o);
    set_devices(e, o);
    if (env_is_batch(o))
        set_batch(e, o);
    else
        set_srun(e, o);
    if (!env_is_batch(o))
        set_if(e, "SLURM_JOB_GROUP", node->group);
    set_if(e, "SLURM_CONF", node->conf);
    env_set(e, "SLURMD_NODENAME", o->node);
    env_set(e, "SLURM_TOPOLOGY_ADDR", o->node);
    env_set(e, "SLURM_TOPOLOGY_ADDR_PATTERN", "node");
    char mark[SPOOL_MARK];
    env_set(e, SPOOL_STEP_VARIABLE,
            spool_step_mark(mark, (struct step_key){ o->job_id, o->step_id, o->attempt }, o->node));
    if (!env_get(e, "TMPDIR"))
        env_set(e, "TMPDIR", str_or(node->tmp, "/tmp"));
}

void env_task(struct env *e, const Pb__LaunchOrder *o, uint32_t local, int pid)
{
    env_setf(e, "SLURM_PROCID", "%u", env_rank(o, local));
    env_setf(e, "SLURM_LOCALID", "%u", local);
    env_setf(e, "SLURM_TASK_PID", "%d", pid);
}
