/* env_step - the environment of a step's tasks; see env.h. */
#include "step/env_parts.h"

#include "base/buf.h"
#include "base/str.h"
#include "step/spool.h"
#include "text/bind.h"

/* A step that has a job of its own: srun outside of an allocation. */
static bool srun_alone(const Pb__LaunchOrder *o)
{
    return o->spec->kind == PB__JOB_KIND__KIND_SRUN && o->step_id == 0;
}

static void set_launcher(struct env *e, const Pb__StepSpec *s)
{
    if (!s || !s->io)
        return;
    env_text(e, "SLURM_LAUNCH_NODE_IPADDR", s->io->host);
    env_text(e, "SLURM_SRUN_COMM_HOST", s->io->host);
    env_number(e, "SLURM_SRUN_COMM_PORT", s->io->port);
    env_number(e, "SLURM_STEP_LAUNCHER_PORT", s->io->port);
}

/* The requested distribution; else cyclic with at most one task per node, block with more. */
static void set_distribution(struct env *e, const Pb__LaunchOrder *o)
{
    const char *asked = str_or(o->step->distribution, o->spec->distribution);
    struct bind_dist d = { 0 };
    if (!str_empty(asked) && !bind_dist_parse(asked, &d, NULL)) {
        auto_free char *text = bind_dist_text(&d);
        env_text(e, "SLURM_DISTRIBUTION", text);
        env_number(e, "SLURM_DIST_PLANESIZE", d.plane);
    } else if (!srun_alone(o) || o->step->mem_per_cpu_mb) {
        env_set(e, "SLURM_DISTRIBUTION", env_tasks(o) <= MAX(o->n_step_node, (size_t)1) ? "cyclic" : "block");
    }
}

static void set_ranks(struct env *e, const Pb__LaunchOrder *o)
{
    auto_buf struct buf ranks = BUF_INIT;
    for (uint32_t i = 0; i < env_local_tasks(o); i++)
        buf_addf(&ranks, "%s%u", i ? "," : "", env_rank(o, i));
    env_set(e, "SLURM_GTIDS", ranks.s ? ranks.s : "");
}

static void set_layout(struct env *e, const Pb__LaunchOrder *o)
{
    static const char *const nodes[] = { "SLURM_STEP_NUM_NODES", "SLURM_NNODES" };
    static const char *const tasks[] = { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS" };
    for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
        env_setf(e, nodes[i], "%zu", MAX(o->n_step_node, (size_t)1));
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
        env_setf(e, tasks[i], "%u", env_tasks(o));
    env_set(e, "SLURM_STEP_NODELIST", str_or(o->step_nodes, o->nodes));
    env_counts(e, "SLURM_STEP_TASKS_PER_NODE", o->step_tasks, o->n_step_tasks);
    env_counts(e, "SLURM_TASKS_PER_NODE", o->step_tasks, o->n_step_tasks);
    env_setf(e, "SLURM_NODEID", "%u", env_step_index(o));
    set_ranks(e, o);
}

/* "cpu=2": the CPUs are the step's.  A value with further resources ("cpu=2,gres/gpu=1") is left unchanged. */
static void set_per_task(struct env *e, uint32_t cpus)
{
    const char *old = env_get(e, "SLURM_TRES_PER_TASK");
    if (!cpus)
        return;
    if (!old || (str_has_prefix(old, "cpu=") && !strchr(old, ',')))
        env_setf(e, "SLURM_TRES_PER_TASK", "cpu=%u", cpus);
}

static void set_srun(struct env *e, const Pb__LaunchOrder *o)
{
    /* As Slurm numbers batch, extern and interactive steps. */
    uint32_t id = o->step_id | (o->step_id >= PB__STEP_NUMBER__STEP_INTERACTIVE ? 1u << 31 : 0);
    env_setf(e, "SLURM_STEP_ID", "%u", id);
    env_setf(e, "SLURM_STEPID", "%u", id);
    set_layout(e, o);
    env_number(e, "SLURM_CPUS_PER_TASK", o->step->cpus_per_task);
    set_per_task(e, o->step->cpus_per_task);
    set_distribution(e, o);
    env_setf(e, "SLURM_UMASK", "%04o", o->step->umask ? o->step->umask : o->spec->umask);
    env_set(e, "SLURMD_DEBUG", "2");
    env_set(e, "SRUN_DEBUG", "3");
    set_launcher(e, o->step);
}

/* srun --jobid from outside of the job: srun has no variables of the job to pass on. */
static void set_visitor(struct env *e, const Pb__LaunchOrder *o)
{
    env_set(e, "SLURM_JOB_NODELIST", str_or(o->step_nodes, o->nodes));
    env_unset(e, "SLURM_JOB_NUM_NODES");
    env_unset(e, "SLURM_SUBMIT_DIR");
    env_unset(e, "SLURM_SUBMIT_HOST");
}

/* SLURM_TOPOLOGY_ADDR and its pattern: the node, or the switches or the block above it and the node, "s0.s1.n4". */
static void set_place(struct env *e, const Pb__LaunchOrder *o)
{
    size_t i = 0;
    uint32_t before = 0;
    env_set(e, "SLURM_TOPOLOGY_ADDR", o->node);
    env_set(e, "SLURM_TOPOLOGY_ADDR_PATTERN", "node");
    while (i < o->n_topo && o->node_index - before >= o->topo[i]->count)
        before += o->topo[i++]->count;
    if (i >= o->n_topo || str_empty(o->topo[i]->path))
        return;
    auto_buf struct buf pattern = BUF_INIT;
    const char *word = o->topo_blocks ? "block" : "switch";
    buf_addf(&pattern, "%s", word);
    for (const char *p = o->topo[i]->path; (p = strchr(p, '.')); p++)
        buf_addf(&pattern, ".%s", word);
    env_setf(e, "SLURM_TOPOLOGY_ADDR", "%s.%s", o->topo[i]->path, o->node);
    env_setf(e, "SLURM_TOPOLOGY_ADDR_PATTERN", "%s.node", pattern.s);
}

void env_step(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node)
{
    env_add(e, o->env.data, o->env.len);
    bool inside = env_is_batch(o) || srun_alone(o) || env_get(e, "SLURM_JOB_NODELIST");
    env_job(e, o);
    if (!inside)
        set_visitor(e, o);
    env_launchers(e);
    env_array(e, o);
    if (env_is_batch(o))
        env_batch(e, o);
    else
        set_srun(e, o);
    if (o->n_het_parts) {
        env_het(e, o);
        env_het_step(e, o);
    }
    env_devices(e, o, node);
    if (!env_is_batch(o))
        env_text(e, "SLURM_JOB_GROUP", node->group);
    env_text(e, "SLURM_CONF", node->conf);
    env_set(e, "SLURMD_NODENAME", o->node);
    set_place(e, o);
    char mark[SPOOL_MARK];
    env_set(e, SPOOL_STEP_VARIABLE,
            spool_step_mark(mark, (struct step_key){ o->job_id, o->step_id, o->attempt }, o->node));
    if (!env_get(e, "TMPDIR"))
        env_set(e, "TMPDIR", str_or(node->tmp, "/tmp"));
    env_twins(e);
    env_training(e, o, node);
}

void env_task(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, int pid)
{
    env_setf(e, "SLURM_PROCID", "%u", env_rank(o, local));
    env_setf(e, "SLURM_LOCALID", "%u", local);
    env_setf(e, "SLURM_TASK_PID", "%d", pid);
    env_setf(e, "SPUR_PROCID", "%u", env_rank(o, local));
    env_setf(e, "SPUR_LOCALID", "%u", local);
    env_devices_task(e, o, node, local);
    if (env_get(e, "SLURM_STEP_GPUS"))
        env_set(e, "SPUR_STEP_GPUS", env_get(e, "SLURM_STEP_GPUS"));
    env_training_task(e, o, local);
}
