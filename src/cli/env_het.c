/* env_het - SLURM_ variables of an allocation with several components; see env_alloc.h. */
#include "base/str.h"
#include "cli/env_alloc.h"

/* Under both of its names: the older one is still looked for. */
static void env_het_set(const char *name, size_t part, const char *value)
{
    static const char *const groups[] = { "HET", "PACK" };
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        char full[96];
        snprintf(full, sizeof(full), "%s_%s_GROUP_%zu", name, groups[i], part);
        setenv(full, value, 1);
    }
}

static void set_number(const char *name, size_t part, uint32_t n)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", n);
    env_het_set(name, part, text);
}

static void set_counts(const char *name, size_t part, const Pb__Job *job, bool tasks)
{
    auto_free uint32_t *counts = mem_array(job->n_alloc + 1, sizeof(*counts));
    for (size_t i = 0; i < job->n_alloc; i++)
        counts[i] = tasks ? job->alloc[i]->tasks : job->alloc[i]->cpus;
    auto_free char *text = env_alloc_counts(counts, job->n_alloc);
    env_het_set(name, part, text ? text : "");
}

static void set_part(size_t i, const Pb__Job *job)
{
    set_number("SLURM_JOB_ID", i, job->id);
    set_number("SLURM_JOBID", i, job->id);
    env_het_set("SLURM_JOB_NAME", i, job->spec ? job->spec->name : "");
    env_het_set("SLURM_JOB_NODELIST", i, job->nodes);
    env_het_set("SLURM_NODELIST", i, job->nodes);
    env_het_set("SLURM_JOB_PARTITION", i, job->partition);
    set_number("SLURM_JOB_NUM_NODES", i, (uint32_t)job->n_alloc);
    set_number("SLURM_NNODES", i, (uint32_t)job->n_alloc);
    set_number("SLURM_NTASKS", i, job->num_tasks);
    set_number("SLURM_NPROCS", i, job->num_tasks);
    set_counts("SLURM_JOB_CPUS_PER_NODE", i, job, false);
    set_counts("SLURM_TASKS_PER_NODE", i, job, true);
}

static void put_number(const char *name, uint32_t n)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", n);
    setenv(name, text, 1);
}

void env_alloc_het(const struct export *asked, const struct allocation *a, const char *cluster)
{
    static const char *const kept[] = { "SLURM_SUBMIT_DIR", "SLURM_SUBMIT_HOST" };
    uint32_t tasks = a->job->num_tasks;
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (export_get(asked, kept[i]))
            setenv(kept[i], export_get(asked, kept[i]), 1);
    if (!str_empty(cluster))
        setenv("SLURM_CLUSTER_NAME", cluster, 1);
    set_part(0, a->job);
    for (size_t i = 0; i < a->het.n; i++) {
        set_part(i + 1, a->het.at[i]->job);
        tasks += a->het.at[i]->job->num_tasks;
    }
    put_number("SLURM_JOB_ID", a->job->id);
    put_number("SLURM_HET_SIZE", (uint32_t)a->het.n + 1);
    put_number("SLURM_PACK_SIZE", (uint32_t)a->het.n + 1);
    put_number("SLURM_NTASKS", tasks);
    put_number("SLURM_NPROCS", tasks);
}
