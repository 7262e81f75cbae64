/* env_job - variables about the job: ids, nodes, the request. */
#include "step/env_parts.h"

#include "base/buf.h"
#include "base/str.h"
#include "mpi/mpi.h"

#define NO_LIMIT_S (365 * 86400) /* the end that Slurm gives for a job without a time limit */

/* ---- values ---- */

void env_counts(struct env *e, const char *name, const uint32_t *count, size_t n)
{
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && count[i + same] == count[i];)
            same++;
        buf_addf(&out, same > 1 ? "%s%u(x%zu)" : "%s%u", i ? "," : "", count[i], same);
    }
    env_set(e, name, out.s ? out.s : "");
}

void env_text(struct env *e, const char *name, const char *value)
{
    if (!str_empty(value))
        env_set(e, name, value);
}

void env_number(struct env *e, const char *name, uint64_t n)
{
    if (n)
        env_setf(e, name, "%llu", (unsigned long long)n);
}

/* ---- the request ---- */

static const char *open_mode_letter(Pb__OpenMode mode)
{
    return mode == PB__OPEN_MODE__OPEN_TRUNCATE ? "t" : mode == PB__OPEN_MODE__OPEN_APPEND ? "a" : "";
}

/* For a batch script; srun sends its request in the environment. */
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
        { "SLURM_MEM_PER_CPU", o->mem_per_cpu_mb }, { "SLURM_OVERCOMMIT", s->overcommit },    };
    const struct { const char *name, *text; } texts[] = {
        { "SLURM_GPUS", s->gpus }, { "SLURM_GPUS_PER_NODE", s->gpus_per_node },
        { "SLURM_GPUS_PER_SOCKET", s->gpus_per_socket }, { "SLURM_NETWORK", s->network },
        { "SLURM_PROFILE", s->profile }, { "SLURM_ACCTG_FREQ", s->acctg_freq }, { "SLURM_CPU_FREQ_REQ", s->cpu_freq },
        { "SLURM_TRES_PER_TASK", s->tres_per_task },
        { "SLURM_OPEN_MODE", open_mode_letter(s->open_mode) },
        { "SLURM_CONTAINER", s->container }, { "SLURM_CONTAINER_ID", s->container_id },    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        env_number(e, numbers[i].name, numbers[i].n);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        env_text(e, texts[i].name, texts[i].text);
    if (s->cpus_per_task && !env_get(e, "SLURM_TRES_PER_TASK"))
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

/* ---- the job ---- */

static void set_alloc_counts(struct env *e, const Pb__LaunchOrder *o)
{
    auto_free uint32_t *cpus = mem_array(o->n_alloc + 1, sizeof(*cpus));
    auto_free uint32_t *tasks = mem_array(o->n_alloc + 1, sizeof(*tasks));
    for (size_t i = 0; i < o->n_alloc; i++) {
        cpus[i] = o->alloc[i]->cpus;
        tasks[i] = MAX(o->alloc[i]->tasks, 1u);
    }
    env_counts(e, "SLURM_JOB_CPUS_PER_NODE", cpus, o->n_alloc);
    env_counts(e, "SLURM_TASKS_PER_NODE", tasks, o->n_alloc);
    if (env_share(o))
        env_setf(e, "SLURM_CPUS_ON_NODE", "%u", env_share(o)->cpus);
}

static void set_attributes(struct env *e, const Pb__LaunchOrder *o)
{
    /* clang-format off */
    const struct { const char *name, *text; } texts[] = {
        { "SLURM_JOB_ACCOUNT", str_or(o->account, o->spec->account) },
        { "SLURM_JOB_QOS", str_or(o->qos, o->spec->qos) },
        { "SLURM_JOB_RESERVATION", o->spec->reservation }, { "SLURM_JOB_LICENSES", o->spec->licenses },
        { "SLURM_JOB_DEPENDENCY", o->spec->dependency }, { "SLURM_SUBMIT_DIR", o->submit_dir },
        { "SLURM_SUBMIT_HOST", o->submit_host },    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        env_text(e, texts[i].name, texts[i].text);
    env_number(e, "SLURM_RESTART_COUNT", o->restarts);
    env_number(e, "SLURM_JOB_SEGMENT_SIZE", o->spec->segment);
    env_setf(e, "SLURM_JOB_UID", "%u", o->uid);
    env_setf(e, "SLURM_JOB_GID", "%u", o->gid);
    env_set(e, "SLURM_JOB_USER", o->user_name);
}

void env_job(struct env *e, const Pb__LaunchOrder *o)
{
    env_setf(e, "SLURM_JOB_ID", "%u", o->job_id);
    env_setf(e, "SLURM_JOBID", "%u", o->job_id);
    if (env_is_batch(o) || !env_get(e, "SLURM_JOB_NAME")) /* srun has set it for its tasks */
        env_set(e, "SLURM_JOB_NAME", o->spec->name);
    env_set(e, "SLURM_JOB_NODELIST", o->nodes);
    env_set(e, "SLURM_NODELIST", o->nodes);
    env_setf(e, "SLURM_JOB_NUM_NODES", "%zu", o->n_alloc);
    env_setf(e, "SLURM_NNODES", "%zu", o->n_alloc);
    env_set(e, "SLURM_JOB_PARTITION", o->partition);
    env_setf(e, "SLURM_JOB_START_TIME", "%lld", (long long)o->start_s);
    env_setf(e, "SLURM_JOB_END_TIME", "%lld", (long long)(o->end_s ? o->end_s : o->start_s + NO_LIMIT_S));
    env_set(e, "SLURM_CLUSTER_NAME", o->cluster);
    env_set(e, "SLURM_OOM_KILL_STEP", o->spec->oom_kill_step == PB__CHOICE__CHOICE_YES ? "1" : "0");
    if (!env_get(e, "SLURM_PRIO_PROCESS"))
        env_set(e, "SLURM_PRIO_PROCESS", "0");
    set_attributes(e, o);
    set_alloc_counts(e, o);
}

void env_array(struct env *e, const Pb__LaunchOrder *o)
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

/* ---- a batch script ---- */

void env_launchers(struct env *e)
{
    for (const struct mpi_variable *v = mpi_launchers; v->name; v++)
        if (mpi_launcher_wanted(env_get(e, v->way)))
            env_set(e, v->name, v->value);
}

void env_batch(struct env *e, const Pb__LaunchOrder *o)
{
    set_request(e, o);
    env_set(e, "ENVIRONMENT", "BATCH");
    env_set(e, "HOSTNAME", o->node);
    env_set(e, "SLURM_JOB_EXCLUSIVE", exclusive_word(o->spec->exclusive));
    env_set(e, "SLURM_JOB_OVERSUBSCRIBE", o->spec->oversubscribe ? "YES" : "NO");
    env_set(e, "SLURM_STEP_ID", "-5"); /* Slurm's batch step is 2^32 - 5, printed as signed */
    env_set(e, "SLURM_STEPID", "-5");
    env_set(e, "SLURM_GTIDS", "0");
    env_set(e, "SLURM_NODEID", "0");
}
