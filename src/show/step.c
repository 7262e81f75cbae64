/*
 * step - the field table of a job step; see step.h.
 *
 * The order is that of Slurm's squeue --steps --Format; rows without a -O name follow.
 */
#include "show/step.h"

#include "base/str.h"
#include "core/step.h"
#include "text/time.h"

#define ROW(p) ((const struct step_row *)(p))
#define JOB(p) (ROW(p)->job.job)
#define STEP(p) (ROW(p)->step)
#define GET(name) static void name(struct show_value *v, const struct show_field *f, const void *row)
#define SLURM_NO_VAL 0xfffffffe /* an array task that is none, in JSON */

/* A step by srun, not the batch script and its like. */
static bool by_srun(const Pb__Step *s)
{
    return s->id < PB__STEP_NUMBER__STEP_INTERACTIVE || s->pending;
}

/* ---- identity ---- */

GET(get_id) { step_put_id(show_make(v), &ROW(row)->job, STEP(row)->id); }
GET(get_job) { show_set_number(v, JOB(row)->id); }
GET(get_array_or_job) { show_set_number(v, JOB(row)->array_job ? JOB(row)->array_job : JOB(row)->id); }
GET(get_array_job) { show_set_number(v, JOB(row)->array_job); }
GET(get_array_number) { show_set_number(v, JOB(row)->has_task ? JOB(row)->array_task : SLURM_NO_VAL); }
GET(get_array_task) { job_put_tasks(show_make(v), &ROW(row)->job); }
GET(get_cluster) { show_set_text(v, ROW(row)->job.env->cluster); }
GET(get_partition) { show_set_text(v, JOB(row)->partition); }
GET(get_uid) { show_set_number(v, JOB(row)->uid); }
GET(get_sluid) { job_put_sluid(show_make(v), JOB(row)); }

GET(get_plain_id)
{
    buf_addf(show_make(v), "%u.", JOB(row)->id);
    step_put_number(v->scratch, STEP(row)->id);
}

GET(get_id_order) { show_set_number(v, ((int64_t)JOB(row)->id << 32) | STEP(row)->id); }

GET(get_user)
{
    const struct show_env *env = ROW(row)->job.env;
    if (*JOB(row)->user_name || env->user)
        show_set_text(v, *JOB(row)->user_name ? JOB(row)->user_name : env->user(JOB(row)->uid));
    else
        buf_addf(show_make(v), "%u", JOB(row)->uid);
}

GET(get_name)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    bool batch = STEP(row)->id == PB__STEP_NUMBER__STEP_BATCH;
    if (!STEP(row)->pending)
        show_set_text(v, s && *s->name ? s->name : batch ? "batch" : s && s->n_argv ? s->argv[0] : "");
}

/* ---- state and time ---- */

GET(get_state)
{
    static const char *const names[] = { "RUNNING", "COMPLETED", "FAILED", "CANCELLED" };
    unsigned state = (unsigned)STEP(row)->state;
    show_set_text(v, STEP(row)->pending ? "PENDING" : state < ARRAY_LEN(names) ? names[state] : "RUNNING");
}

GET(get_start) { show_set_count(v, STEP(row)->start_s); }

GET(get_limit)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    if (s && s->time_limit_min && s->time_limit_min != TIME_INFINITE)
        show_set_number(v, s->time_limit_min);
    else
        show_set_infinite(v);
}

GET(get_elapsed)
{
    int64_t until = STEP(row)->end_s ? STEP(row)->end_s : ROW(row)->job.env->now_s;
    show_set_number(v, MAX(until - STEP(row)->start_s, 0));
}

GET(get_elapsed_order) { show_set_number(v, -STEP(row)->start_s); }

/* ---- resources ---- */

GET(get_nodes) { step_put_nodes(show_make(v), ROW(row)); }
GET(get_node_count) { show_set_number(v, (int64_t)MAX(STEP(row)->n_node, 1)); }
GET(get_tasks) { show_set_number(v, step_shown_tasks(STEP(row))); }
GET(get_tres) { step_put_tres(show_make(v), STEP(row)); }
GET(get_per_step) { step_put_tres_per_step(show_make(v), STEP(row)); }
GET(get_per_task) { step_put_tres_per_task(show_make(v), STEP(row)); }
GET(get_bind) { step_put_tres_bind(show_make(v), STEP(row)); }
GET(get_dist) { show_set_text(v, by_srun(STEP(row)) ? step_dist(STEP(row)) : ""); }
GET(get_dist_or_unknown) { show_set_text(v, by_srun(STEP(row)) ? step_dist(STEP(row)) : "Unknown"); }

GET(get_per_node)
{
    if (STEP(row)->id != PB__STEP_NUMBER__STEP_BATCH)
        step_put_tres_per_node(show_make(v), STEP(row), JOB(row)->spec);
}

GET(get_cpus)
{
    const Pb__Step *s = STEP(row);
    uint32_t each = s->spec && s->spec->cpus_per_task ? s->spec->cpus_per_task : 1, cpus = step_cpus(s);
    show_set_number(v, s->id == PB__STEP_NUMBER__STEP_BATCH ? 0 : cpus ? cpus : each * step_shown_tasks(s));
}

GET(get_per_gpu)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    uint64_t n = !s ? 0 : f->at ? s->mem_per_gpu_mb : s->cpus_per_gpu;
    if (n)
        buf_addf(show_make(v), "gres/gpu:%llu", (unsigned long long)n);
}

/* ---- srun ---- */

GET(get_spec_text) { show_set_text(v, STEP(row)->spec ? *(char *const *)((const char *)STEP(row)->spec + f->at) : ""); }
GET(get_pid) { show_set_number(v, STEP(row)->spec ? STEP(row)->spec->pid : 0); }

GET(get_srun)
{
    const Pb__StepSpec *s = STEP(row)->spec;
    buf_addf(show_make(v), "%s:%u", s ? str_or(s->host, "(null)") : "(null)", s ? s->pid : 0);
}

#define OF(members) .of = members
#define IN_SPEC(member) .at = offsetof(Pb__StepSpec, member), .of = "spec." #member

/* clang-format off */
static const struct show_field step_fields[] = {
    /* -O, -o, head, scontrol, JSON, type, getter */
    { "ArrayJobId", 0, "ARRAY_JOB_ID", NULL, NULL, SHOW_NUMBER, get_array_or_job },
    { "ArrayTaskId", 0, "ARRAY_TASK_ID", NULL, NULL, SHOW_TEXT, get_array_task, .none = "N/A" },
    { "Cluster", 0, "CLUSTER", NULL, "cluster", SHOW_TEXT, get_cluster },
    { "Container", 0, "CONTAINER", NULL, "container", SHOW_TEXT, show_get_unset },
    { "ContainerId", 0, "CONTAINERID", NULL, "container_id", SHOW_TEXT, show_get_unset },
    { "CPUFreq", 0, "CPU_FREQ", "CPUFreqReq", NULL, SHOW_TEXT, show_get_unset,
      .none = "Default", .pair_none = "Default" },
    { "cpus-per-tres", 0, "CPUS_PER_TRES", "CpusPerTres", "tres.per.cpu", SHOW_TEXT, get_per_gpu,
      OF("spec.cpus_per_gpu"), .none = "N/A" },
    { "JobId", 0, "JOB_ID", NULL, NULL, SHOW_NUMBER, get_job },
    { "mem-per-tres", 0, "MEM_PER_TRES", "MemPerTres", "tres.per.memory", SHOW_TEXT, get_per_gpu,
      .at = 1, OF("spec.mem_per_gpu_mb"), .none = "N/A" },
    { "Network", 0, "NETWORK", "Network", "network", SHOW_TEXT, show_get_unset },
    { "Nodes", 'N', "NODELIST", "NodeList", "nodes", SHOW_TEXT, get_nodes, OF("node nodes") },
    { "NumCPUs", 0, "NUM_CPUS", "CPUs", "number_cpus", SHOW_NUMBER, get_cpus, OF("alloc spec.cpus_per_task") },
    { "NumTasks", 'A', "TASKS", "Tasks", "number_tasks", SHOW_NUMBER, get_tasks, OF("tasks ranks spec.ntasks") },
    { "Partition", 'P', "PARTITION", "Partition", "partition", SHOW_TEXT, get_partition },
    { "ResvPorts", 0, "RESERVED_PORTS", "ResvPorts", "reserved_ports", SHOW_TEXT, show_get_unset },
    { "StartTime", 'S', "START_TIME", "StartTime", "time.start", SHOW_TIME, get_start, OF("start_s") },
    { "StepId", 'i', "STEPID", "StepId", NULL, SHOW_TEXT, get_id, OF("id"), .sort = get_id_order },
    { "StepName", 'j', "NAME", "Name", "name", SHOW_TEXT, get_name, OF("spec.name spec.argv") },
    { "StepState", 0, "STATE", "State", "state", SHOW_LIST, get_state, OF("state pending") },
    { "TimeLimit", 'l', "TIME_LIMIT", "TimeLimit", "time.limit", SHOW_MINUTES, get_limit, OF("spec.time_limit_min") },
    { "TimeUsed", 'M', "TIME", NULL, "time.running", SHOW_SECONDS, get_elapsed, OF("end_s"),
      .sort = get_elapsed_order },
    { "tres-bind", 0, "TRES_BIND", "TresBind", "tres.binding", SHOW_TEXT, get_bind,
      OF("spec.tres_bind spec.ntasks_per_gpu") },
    { "tres-freq", 0, "TRES_FREQ", NULL, "tres.frequency", SHOW_TEXT, show_get_unset, .none = "N/A" },
    { "tres-per-node", 'b', "TRES_PER_JOB", "TresPerNode", "tres.per.node", SHOW_TEXT, get_per_node,
      OF("spec.gres spec.gpus_per_node") },
    { "tres-per-job", 0, "TRES_PER_STEP", NULL, NULL, SHOW_TEXT, get_per_step },
    { "tres-per-step", 0, "TRES_PER_STEP", "TresPerStep", "tres.per.step", SHOW_TEXT, get_per_step, OF("spec.gpus") },
    { "tres-per-socket", 0, "TRES_PER_SOCKET", NULL, "tres.per.socket", SHOW_TEXT, show_get_unset, .none = "N/A" },
    { "tres-per-task", 0, "TRES_PER_TASK", "TresPerTask", "tres.per.task", SHOW_TEXT, get_per_task,
      OF("spec.tres_per_task spec.gpus_per_task") },
    { "UserId", 'U', "UID", "UserId", NULL, SHOW_NUMBER, get_uid },
    { "UserName", 'u', "USER", NULL, "user", SHOW_TEXT, get_user },

    /* scontrol */
    { .key = "Nodes", .type = SHOW_NUMBER, .get = get_node_count },
    { .key = "TRES", .json = "tres.allocation", .type = SHOW_TEXT, .get = get_tres },
    { .key = "Dist", .type = SHOW_TEXT, .get = get_dist, OF("spec.distribution") },
    { .key = "SrunHost:Pid", .type = SHOW_TEXT, .get = get_srun },

    /* JSON */
    { .json = "array.job_id", .type = SHOW_NUMBER, .get = get_array_job },
    { .json = "array.task_id", .type = SHOW_NUMBER, .get = get_array_number },
    { .json = "container_type", .type = SHOW_TEXT, .get = show_get_unset, .since = 45 },
    { .json = "cpu.frequency.min", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "cpu.frequency.max", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "cpu.frequency.governor", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "srun.host", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(host) },
    { .json = "srun.pid", .type = SHOW_NUMBER, .get = get_pid, OF("spec.pid") },
    { .json = "sluid", .type = SHOW_TEXT, .get = get_sluid, .since = 45 },
    { .json = "id", .type = SHOW_TEXT, .get = get_plain_id },
    { .json = "stderr", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_err), .since = 43 },
    { .json = "stdin", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_in), .since = 43 },
    { .json = "stdout", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_out), .since = 43 },
    { .json = "stdin_expanded", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_in), .since = 43 },
    { .json = "stdout_expanded", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_out), .since = 43 },
    { .json = "stderr_expanded", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(std_err), .since = 43 },
    { .json = "submit_line", .type = SHOW_TEXT, .get = get_spec_text, IN_SPEC(submit_line) },
    { .json = "task.distribution", .type = SHOW_TEXT, .get = get_dist_or_unknown },
    { 0 },
};

static const struct show_skip step_skips[] = {
    { "spec", "shown by its members" },
    { "exit_code tres_alloc has_cancel_uid cancel_uid", "accounting has them" },
    { "stats", "sstat has a table of its own" },
    { "done shared", "the controller's own bookkeeping" },
    { "spec.workdir spec.open_mode spec.umask spec.rlimits spec.task_prolog spec.task_epilog spec.multi_prog "
      "spec.multi_prog_text spec.export spec.env spec.preserve_env spec.wait_for_children spec.acctg_freq",
      "only the node needs them" },
    { "spec.io spec.label spec.unbuffered spec.pty spec.pty_rows spec.pty_cols spec.pty_task spec.stdin_task "
      "spec.mpi spec.wait_s spec.kill_on_bad_exit spec.interactive spec.oom_kill_step",
      "between srun and the supervisors" },
    { "spec.nodes spec.max_nodes spec.relative spec.nodelist spec.exclude spec.hosts spec.ntasks_per_node "
      "spec.ntasks_per_socket spec.ntasks_per_core spec.threads_per_core spec.overcommit spec.exact "
      "spec.overlap spec.whole spec.exclusive spec.mem_per_node_mb spec.mem_per_cpu_mb spec.mem_all "
      "spec.gpus_per_socket spec.gres_flags spec.immediate_s spec.het",
      "what the step got is shown, not how it asked" },
    { "spec.cpu_bind spec.mem_bind spec.hint spec.accel_bind", "no command of Slurm shows them" },
    { NULL, NULL },
};
/* clang-format on */

static const char step_layout[] = "StepId UserId StartTime TimeLimit\n"
                                  "State Partition NodeList\n"
                                  "Nodes CPUs Tasks Name Network\n"
                                  "TRES\n"
                                  "ResvPorts\n"
                                  "CPUFreqReq ?Dist\n"
                                  "SrunHost:Pid\n"
                                  "?CpusPerTres\n"
                                  "?MemPerTres\n"
                                  "?TresBind\n"
                                  "?TresPerStep\n"
                                  "?TresPerNode\n"
                                  "?TresPerTask";

const struct show_table show_step = { "step", step_fields, step_layout, step_skips };
