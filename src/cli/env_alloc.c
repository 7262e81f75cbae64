/* env_alloc - SLURM_ variables of an allocation; see env_alloc.h. */
#include "cli/env_alloc.h"

#include "base/str.h"
#include "mpi/mpi.h"

char *env_alloc_counts(const uint32_t *counts, size_t n)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && counts[i + run] == counts[i]; run++) {
        }
        buf_addf(&b, "%s%u", i ? "," : "", counts[i]);
        if (run > 1)
            buf_addf(&b, "(x%zu)", run);
    }
    return buf_take(&b);
}

static void set_u32(const char *name, uint32_t n)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", n);
    setenv(name, text, 1);
}

static void set_counts(const char *name, const Pb__Job *job, bool tasks)
{
    auto_free uint32_t *counts = mem_array(job->n_alloc + 1, sizeof(*counts));
    for (size_t i = 0; i < job->n_alloc; i++)
        counts[i] = tasks ? job->alloc[i]->tasks : job->alloc[i]->cpus;
    auto_free char *text = env_alloc_counts(counts, job->n_alloc);
    setenv(name, text, 1);
}

static void set_text(const char *name, const char *value)
{
    if (!str_empty(value))
        setenv(name, value, 1);
}

static void set_asked(const Pb__JobSpec *s)
{
    set_text("SLURM_JOB_ACCOUNT", s->account);
    set_text("SLURM_JOB_RESERVATION", s->reservation);
    set_text("SLURM_JOB_LICENSES", s->licenses);
    if (s->segment)
        set_u32("SLURM_JOB_SEGMENT_SIZE", s->segment);
}

void env_alloc_set(const struct export *asked, const Pb__Job *job, const char *cluster)
{
    for (size_t i = 0; i < asked->vars.n; i++)
        if (str_has_prefix(asked->vars.at[i], "SLURM_"))
            putenv(asked->vars.at[i]);
    if (!str_empty(cluster))
        setenv("SLURM_CLUSTER_NAME", cluster, 1);
    if (!job)
        return;
    set_u32("SLURM_JOB_ID", job->id);
    set_u32("SLURM_JOBID", job->id);
    set_u32("SLURM_JOB_NUM_NODES", (uint32_t)job->n_alloc);
    set_u32("SLURM_NNODES", (uint32_t)job->n_alloc);
    setenv("SLURM_JOB_NODELIST", job->nodes, 1);
    setenv("SLURM_NODELIST", job->nodes, 1);
    setenv("SLURM_JOB_PARTITION", job->partition, 1);
    setenv("SLURM_JOB_NAME", job->spec ? job->spec->name : "", 1);
    for (const struct mpi_variable *v = mpi_launchers; v->name; v++)
        if (mpi_launcher_wanted(getenv(v->way)))
            setenv(v->name, v->value, 1);
    if (job->spec)
        set_asked(job->spec);
    set_counts("SLURM_JOB_CPUS_PER_NODE", job, false);
    set_counts("SLURM_TASKS_PER_NODE", job, true);
}
