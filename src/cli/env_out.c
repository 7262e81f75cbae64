/* env_out - one row per variable; see env_out.h. */
#include "cli/env_out.h"

#include <sys/resource.h>

#include "base/str.h"
#include "cli/job_opts_bind.h"

enum field_type { U32, U64, TEXT };

#define COUNTS 2 /* rows, the first ones, that srun -E leaves as they are */

#define AT(field) offsetof(struct job_opts, field)

static const struct row {
    const char *name;
    enum field_type type;
    size_t at;
} rows[] = {
    { "SLURM_NTASKS", U32, AT(spec.ntasks) },
    { "SLURM_NPROCS", U32, AT(spec.ntasks) },
    { "SLURM_NTASKS_PER_NODE", U32, AT(spec.ntasks_per_node) },
    { "SLURM_NTASKS_PER_SOCKET", U32, AT(spec.ntasks_per_socket) },
    { "SLURM_NTASKS_PER_CORE", U32, AT(spec.ntasks_per_core) },
    { "SLURM_CPUS_PER_TASK", U32, AT(spec.cpus_per_task) },
    { "SLURM_CPUS_PER_GPU", U32, AT(spec.cpus_per_gpu) },
    { "SLURM_THREADS_PER_CORE", U32, AT(spec.threads_per_core) },
    { "SLURM_MEM_PER_NODE", U64, AT(spec.mem_per_node_mb) },
    { "SLURM_MEM_PER_CPU", U64, AT(spec.mem_per_cpu_mb) },
    { "SLURM_MEM_PER_GPU", U64, AT(spec.mem_per_gpu_mb) },
    { "SLURM_GPUS", TEXT, AT(spec.gpus) },
    { "SLURM_GPUS_PER_NODE", TEXT, AT(spec.gpus_per_node) },
    { "SLURM_GPUS_PER_SOCKET", TEXT, AT(spec.gpus_per_socket) },
    { "SLURM_PROFILE", TEXT, AT(spec.profile) },
};

static void env_out_put(struct export *env, const struct row *r, const struct job_opts *o)
{
    const void *field = (const char *)o + r->at;
    unsigned long long n = r->type == U32 ? *(const uint32_t *)field : r->type == U64 ? *(const uint64_t *)field : 0;
    if (n)
        export_setf(env, r->name, "%llu", n);
    else if (r->type == TEXT && !str_empty(*(char *const *)field))
        export_set(env, r->name, *(char *const *)field);
}

static void put_tres_per_task(struct export *env, const struct job_opts *o)
{
    const Pb__JobSpec *spec = &o->spec;
    auto_buf struct buf b = BUF_INIT;
    if (!str_empty(o->tres_per_task) && spec->cpus_per_task && !strstr(o->tres_per_task, "cpu="))
        buf_addf(&b, "cpu=%u,%s", spec->cpus_per_task, o->tres_per_task);
    else if (!str_empty(o->tres_per_task))
        buf_adds(&b, o->tres_per_task);
    else if (spec->cpus_per_task)
        buf_addf(&b, "cpu=%u", spec->cpus_per_task);
    if (str_empty(o->tres_per_task) && !str_empty(spec->gpus_per_task)) {
        const char *colon = strrchr(spec->gpus_per_task, ':');
        buf_addf(&b, "%sgres/gpu%s%.*s=%s", b.len ? "," : "", colon ? ":" : "",
                 colon ? (int)(colon - spec->gpus_per_task) : 0, spec->gpus_per_task,
                 colon ? colon + 1 : spec->gpus_per_task);
    }
    if (b.len)
        export_set(env, "SLURM_TRES_PER_TASK", b.s);
}

void env_out(struct export *env, const struct job_opts *o, enum job_command command)
{
    /* inside a job the variables hold the job's memory, not the step's */
    for (size_t i = o->preserve_env ? COUNTS : 0; i < ARRAY_LEN(rows); i++)
        if (!(command == CMD_SRUN && o->jobid && str_has_prefix(rows[i].name, "SLURM_MEM_")))
            env_out_put(env, &rows[i], o);
    put_tres_per_task(env, o);
    job_opts_bind_env(env, o, command);
    if (o->spec.overcommit)
        export_set(env, "SLURM_OVERCOMMIT", "1");
    if (o->spec.open_mode)
        export_set(env, "SLURM_OPEN_MODE", o->spec.open_mode == PB__OPEN_MODE__OPEN_APPEND ? "a" : "t");
    if (command != CMD_SALLOC)
        export_setf(env, "SLURM_PRIO_PROCESS", "%d", getpriority(PRIO_PROCESS, 0));
    if (command == CMD_SBATCH && o->export && !str_ieq(o->export, "ALL")) {
        export_set(env, "SLURM_EXPORT_ENV", o->export);
        if (o->spec.get_user_env)
            export_set(env, "SLURM_GET_USER_ENV", "1");
    }
    if (command == CMD_SBATCH || (command == CMD_SRUN && (o->name_set || !getenv("SLURM_JOB_NAME"))))
        export_set(env, "SLURM_JOB_NAME", o->spec.name);
}
