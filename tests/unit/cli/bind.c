/* Options of binding: what they imply for each other, as Slurm 26.05 told it of its own. */
#include "cli/job_opts_bind.h"

#include "base/str.h"
#include "cli/export.h"
#include "test.h"

struct given {
    const char *words; /* options, by blanks */
    const char *cpu, *hint, *tres;
    uint32_t threads, per_core;
};

/* clang-format off */
static const struct given cases[] = {
    { "-n2", NULL, NULL, "", 0, 0 },
    { "--cpu-bind=cores", "cores", NULL, "", 0, 0 },
    { "--cpu-bind=v", "verbose", NULL, "", 0, 0 },
    { "--hint=compute_bound", "cores", "compute_bound", "", 1, 0 },
    { "--hint=memory_bound", "cores", "memory_bound", "", 1, 0 },
    { "--hint=nomultithread", "threads", "nomultithread", "", 1, 0 },
    { "--hint=multithread", "threads", "multithread", "", 0, 65535 },
    { "--hint=nomultithread --cpu-bind=verbose", "verbose,threads", "nomultithread", "", 1, 0 },
    { "--hint=nomultithread --cpu-bind=none", "none", NULL, "", 0, 0 },
    { "--hint=compute_bound --ntasks-per-core=1", "cores", NULL, "", 0, 1 },
    { "--threads-per-core=1", "threads", NULL, "", 1, 0 },
    { "-B1:2:1", "threads", NULL, "", 1, 0 },
    { "-B1:2", "cores", NULL, "", 0, 0 },
    { "-B1", "sockets", NULL, "", 0, 0 },
    { "--ntasks-per-core=1", "cores", NULL, "", 0, 1 },
    { "--ntasks-per-core=2", "threads", NULL, "", 0, 2 },
    { "--ntasks-per-socket=2", "sockets", NULL, "", 0, 0 },
    { "--gpu-bind=single:1", NULL, NULL, "gres/gpu:single:1", 0, 0 },
    { "--gpus-per-task=2", NULL, NULL, "gres/gpu:per_task:2", 0, 0 },
    { "--gpus-per-task=a:1,b:2", NULL, NULL, "gres/gpu:per_task:3", 0, 0 },
    { "--gpus-per-task=2 --gpu-bind=none", NULL, NULL, "gres/gpu:none", 0, 0 },
    { "--tres-bind=gres/gpu:map:1,0", NULL, NULL, "gres/gpu:map:1,0", 0, 0 },
};
/* clang-format on */

static int read_words(struct job_opts *o, const struct strs *words)
{
    char *argv[8] = { (char *)"srun" };
    int n = 1, first;
    struct err err = ERR_INIT;
    bool fatal;
    for (size_t i = 0; i < words->n && n < 7; i++)
        argv[n++] = words->at[i];
    int rc = opt_argv(&job_opts_sets[CMD_SRUN], n, argv, &first, o, &err);
    return rc ? rc : job_opts_check(o, &fatal, &err);
}

static void test_implied(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct given *g = &cases[i];
        auto_strs struct strs words = STRS_INIT;
        struct job_opts o;
        Pb__StepSpec step = PB__STEP_SPEC__INIT;
        job_opts_init(&o);
        strs_split(&words, g->words, " ");
        is_int(read_words(&o, &words), 0, "srun %s", g->words);
        job_opts_bind_ask(&o, &step);
        is_str(step.cpu_bind, g->cpu ? g->cpu : "", "binds so");
        is_str(o.hint, g->hint, "by this hint");
        is_str(step.tres_bind, g->tres, "devices so");
        is_int(step.threads_per_core, g->threads, "threads of a core");
        is_int(step.ntasks_per_core, g->per_core, "tasks of a core");
        job_opts_clear(&o);
    }
}

static void test_env(void)
{
    static const struct {
        const char *words, *name, *want;
    } wanted[] = {
        { "-m plane=2", "SLURM_DISTRIBUTION", "plane" },
        { "-m plane=2", "SLURM_DIST_PLANESIZE", "2" },
        { "-m cyclic:block,pack", "SLURM_DISTRIBUTION", "cyclic:block,pack" },
        { "--mem-bind=local", "SLURM_MEM_BIND", "local" },
        { "--mem-bind=local", "SLURM_MEM_BIND_VERBOSE", "quiet" },
        { "--mem-bind=v,map_mem:0", "SLURM_MEM_BIND", "verbose,map_mem:0" },
        { "--mem-bind=v,map_mem:0", "SLURM_MEM_BIND_VERBOSE", "verbose" },
        { "--hint=nomultithread", "SLURM_HINT", "nomultithread" },
        { "--gpu-bind=single:1", "SLURM_TRES_BIND", "gres/gpu:single:1" },
        { "-n2", "SLURM_DISTRIBUTION", NULL },
    };
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        auto_strs struct strs words = STRS_INIT;
        auto_export struct export env = EXPORT_INIT;
        struct job_opts o;
        job_opts_init(&o);
        strs_split(&words, wanted[i].words, " ");
        is_int(read_words(&o, &words), 0, "salloc %s", wanted[i].words);
        job_opts_bind_env(&env, &o, CMD_SALLOC);
        is_str(export_get(&env, wanted[i].name), wanted[i].want, "%s", wanted[i].name);
        job_opts_clear(&o);
    }
}

int main(void)
{
    test_implied();
    test_env();
    return test_done();
}
