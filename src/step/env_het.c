/* env_het - variables about the components of a heterogeneous job, and about a step over several of them. */
#include "step/env_parts.h"

#include "base/buf.h"
#include "base/str.h"

/* Set the variable under its current and its older name. */
static void set(struct env *e, const char *name, size_t part, const char *value)
{
    static const char *const groups[] = { "HET", "PACK" };
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        char full[96];
        snprintf(full, sizeof(full), "%s_%s_GROUP_%zu", name, groups[i], part);
        env_set(e, full, value);
    }
}

static void set_number(struct env *e, const char *name, size_t part, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
    if (n)
        set(e, name, part, text);
}

/* env_counts() writes to a temporary variable, from which the text is taken. */
static void set_counts(struct env *e, const char *name, size_t part, const uint32_t *count, size_t n)
{
    env_counts(e, "SPUR_HET_COUNTS", count, n);
    auto_free char *text = mem_str(env_get(e, "SPUR_HET_COUNTS"));
    env_unset(e, "SPUR_HET_COUNTS");
    set(e, name, part, text);
}

static void set_part(struct env *e, size_t i, const Pb__HetPart *p)
{
    set_number(e, "SLURM_JOB_ID", i, p->job_id);
    set(e, "SLURM_JOB_NAME", i, p->name);
    set(e, "SLURM_JOB_NODELIST", i, p->nodes);
    set_number(e, "SLURM_JOB_NUM_NODES", i, p->num_nodes);
    set(e, "SLURM_JOB_PARTITION", i, p->partition);
    set_counts(e, "SLURM_JOB_CPUS_PER_NODE", i, p->cpus, p->n_cpus);
    set_counts(e, "SLURM_TASKS_PER_NODE", i, p->tasks, p->n_tasks);
    set_number(e, "SLURM_NTASKS", i, p->ntasks);
    set_number(e, "SLURM_NPROCS", i, p->ntasks);
    set_number(e, "SLURM_MEM_PER_CPU", i, p->mem_per_cpu_mb);
    set_number(e, "SLURM_MEM_PER_NODE", i, p->mem_per_node_mb);
}

void env_het(struct env *e, const Pb__LaunchOrder *o)
{
    if (!o->n_het_parts)
        return;
    env_setf(e, "SLURM_HET_SIZE", "%zu", o->n_het_parts);
    env_setf(e, "SLURM_PACK_SIZE", "%zu", o->n_het_parts);
    for (size_t i = 0; i < o->n_het_parts; i++)
        if (env_is_batch(o))
            set_part(e, i, o->het_parts[i]);
        else
            set_number(e, "SLURM_JOB_ID", i, o->het_parts[i]->job_id);
}

/* One application over several components: ranks and node numbers count over all components. */
void env_het_step(struct env *e, const Pb__LaunchOrder *o)
{
    const Pb__HetStep *h = o->step ? o->step->het : NULL;
    static const char *const nodes[] = { "SLURM_STEP_NUM_NODES", "SLURM_NNODES" };
    static const char *const tasks[] = { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS" };
    if (!h || !h->tasks)
        return;
    for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
        env_setf(e, nodes[i], "%u", h->nodes);
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
        env_setf(e, tasks[i], "%u", h->tasks);
    env_set(e, "SLURM_STEP_NODELIST", h->node_names);
    env_setf(e, "SLURM_NODEID", "%u", h->first_node + env_step_index(o));
    env_setf(e, "SLURM_JOB_ID", "%u", h->job_id);
    env_setf(e, "SLURM_JOBID", "%u", h->job_id);
    env_setf(e, "SLURM_STEP_ID", "%u", h->step_id);
    env_setf(e, "SLURM_STEPID", "%u", h->step_id);
}
