/* srun_het - components on srun's command line; see srun_het.h. */
#include "cli/srun_het.h"

#include "base/str.h"
#include "cli/job_opts.h"
#include "cli/say.h"
#include "core/het.h"
#include "text/array.h"

extern char **environ;

static const struct opt_set *const set = &job_opts_sets[CMD_SRUN];

/* ---- which components ---- */

static uint32_t job_size(void)
{
    uint64_t n;
    const char *text = getenv("SLURM_HET_SIZE");
    return text && str_u64(text, 1, HET_MAX, &n) ? (uint32_t)n : 0;
}

static int bad_groups(const char *list)
{
    say_error("Invalid --het-group value: %s", list);
    return say_exit(1);
}

static int add_groups(struct srun_cut cut, const char *list, uint32_t size, srun_cuts *out)
{
    auto_array struct array groups = ARRAY_INIT;
    if (array_parse(list, UINT16_MAX, &groups, NULL) || strchr(list, '%'))
        return bad_groups(list);
    if (!size) {
        say_error("--het-group expected to be used within an HetJob allocation");
        return say_exit(1);
    }
    cut.has_group = true;
    bitmap_each (&groups.tasks, i) {
        if (i >= size) {
            say_error("Requested het-group offset exceeds highest hetjob index (%zu > %u)", i, size - 1);
            return say_exit(1);
        }
        cut.group = (uint32_t)i;
        vec_push(out, cut);
    }
    return 0;
}

/* One stretch between colons: its own --het-group, or the component at the same place. */
static int add_stretch(int argc, char **argv, uint32_t place, srun_cuts *out)
{
    struct err err = ERR_INIT;
    struct job_opts glance;
    int first;
    uint32_t size = job_size();
    struct srun_cut cut = { .argc = argc, .argv = argv, .group = place, .has_group = size > 0 };
    job_opts_init(&glance);
    int rc = opt_glance(set, argc, argv, &first, &glance, &err);
    if (!rc && glance.het_group)
        rc = add_groups(cut, glance.het_group, size, out);
    else if (!rc && size && place >= size)
        rc = add_groups(cut, "65534", size, out); /* there is none: it says so */
    else if (!rc)
        vec_push(out, cut);
    job_opts_clear(&glance);
    return rc;
}

int srun_het_cut(int argc, char **argv, srun_cuts *out)
{
    int from = 0, rc = 0;
    uint32_t place = 0;
    for (int i = 1; !rc && i <= argc; i++) {
        if (i < argc && !str_eq(argv[i], ":"))
            continue;
        rc = add_stretch(i - from, argv + from, place++, out);
        from = i;
    }
    for (size_t i = 1; !rc && i < out->n; i++)
        for (size_t k = 0; !rc && k < i; k++)
            if (out->at[i].has_group && out->at[i].group == out->at[k].group) {
                say_error("het-group %u is used by more than one command", out->at[i].group);
                rc = say_exit(1);
            }
    return rc;
}

/* ---- the environment of one ---- */

void srun_het_env(uint32_t group)
{
    static const char *const may_miss[] = { "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE" };
    char suffix[32];
    snprintf(suffix, sizeof(suffix), "_HET_GROUP_%u=", group);
    auto_strs struct strs names = STRS_INIT, values = STRS_INIT;
    for (char **e = environ; *e; e++) {
        const char *at = strstr(*e, suffix);
        if (!at || memchr(*e, '=', (size_t)(at - *e)))
            continue;
        strs_take(&names, mem_strn(*e, (size_t)(at - *e)));
        strs_add(&values, at + strlen(suffix));
    }
    if (!names.n)
        return;
    for (size_t i = 0; i < ARRAY_LEN(may_miss); i++)
        unsetenv(may_miss[i]);
    for (size_t i = 0; i < names.n; i++) {
        setenv(names.at[i], values.at[i], 1);
        if (str_eq(names.at[i], "SLURM_JOB_ID"))
            setenv("SLURM_JOBID", values.at[i], 1);
        if (str_eq(names.at[i], "SLURM_JOB_NUM_NODES"))
            setenv("SLURM_NNODES", values.at[i], 1);
        if (str_eq(names.at[i], "SLURM_JOB_NODELIST"))
            setenv("SLURM_NODELIST", values.at[i], 1);
    }
}

/* ---- all of them ---- */

void srun_het_whole(Pb__Step *out, const Pb__Step *first, Pb__Step *const *more, size_t n)
{
    size_t nodes = first->n_tasks, at = 0;
    for (size_t i = 0; i < n; i++)
        nodes += more[i]->n_tasks;
    pb__step__init(out);
    out->id = first->id;
    out->tasks = mem_array(nodes + 1, sizeof(*out->tasks));
    out->n_tasks = nodes;
    for (size_t i = 0; i <= n; i++) {
        const Pb__Step *s = i ? more[i - 1] : first;
        for (size_t k = 0; k < s->n_tasks; k++)
            out->tasks[at++] = s->tasks[k];
    }
}

void srun_het_whole_clear(Pb__Step *whole)
{
    free(whole->tasks);
    *whole = (Pb__Step)PB__STEP__INIT;
}
