/* job_opts - what the options of sbatch, srun and salloc mean together; see job_opts.h. */
#include "cli/job_opts.h"

#include "base/errnum.h"
#include "base/str.h"
#include "cli/job_opts_bind.h"
#include "cli/job_opts_call.h"
#include "cli/say.h"
#include "mpi/mpi.h"
#include "text/gres.h"
#include "text/hostlist.h"

void job_opts_init(struct job_opts *o)
{
    *o = (struct job_opts){ .spec = PB__JOB_SPEC__INIT };
}

void job_opts_clear(struct job_opts *o)
{
    strs_clear(&o->owned);
    vec_clear(&o->seen);
}

/* The last word about an option is the one that counts. */
void job_opts_seen(void *into, const struct opt *o, const char *arg)
{
    struct job_opts *jo = into;
    for (size_t i = 0; i < jo->seen.n; i++) {
        if (jo->seen.at[i].o != o)
            continue;
        jo->seen.at[i].arg = arg;
        return;
    }
    vec_push(&jo->seen, (struct job_seen){ o, arg });
}

static void list_one(const struct job_opts *o, const struct job_seen *seen)
{
    char count[16];
    snprintf(count, sizeof(count), "%u", *(const unsigned *)((const char *)o + seen->o->at));
    say_info("%-20s: %s", seen->o->name, seen->o->type == OPT_MORE ? count : seen->arg ? seen->arg : "set");
}

void job_opts_list(const struct job_opts *o)
{
    static const char rule[] = "--------------------";
    if (!o->verbose)
        return;
    say_info("defined options");
    say_info("%s %s", rule, rule);
    for (const struct opt *row = job_opts_table; row->cmds; row++)
        for (size_t i = 0; i < o->seen.n; i++)
            if (o->seen.at[i].o == row)
                list_one(o, &o->seen.at[i]);
    say_info("%s %s", rule, rule);
    say_info("end of defined options");
}

static int fatal_set(bool *fatal, struct err *err, const char *text)
{
    *fatal = true;
    return err_set(err, OPT_EXIT_VALUE, "%s", text);
}

static void no_file(char **name)
{
    if (str_ieq(*name, "none"))
        *name = "/dev/null";
}

/* "n2,n1" as "n[1-2]"; how many there are, or SIZE_MAX when it is no list. */
static size_t tidy_hosts(struct job_opts *o, char **list)
{
    auto_strs struct strs names = STRS_INIT;
    if (str_empty(*list))
        return 0;
    if (hostlist_expand(*list, &names, NULL))
        return SIZE_MAX;
    char *tidy = hostlist_compress_sorted(names.at, names.n);
    strs_take(&o->owned, tidy);
    *list = tidy;
    return names.n;
}

/* Of more names than nodes are wanted the first ones count. */
static void first_hosts(struct job_opts *o, size_t n)
{
    auto_strs struct strs names = STRS_INIT;
    if (hostlist_expand(o->spec.nodelist, &names, NULL))
        return;
    char *few = hostlist_compress_sorted(names.at, MIN(n, names.n));
    strs_take(&o->owned, few);
    o->spec.nodelist = few;
}

/* Nodes asked for by name are counted, unless a count was given. */
static void count_nodes(struct job_opts *o, size_t named)
{
    Pb__JobSpec *spec = &o->spec;
    if (named && o->nodes_set && !o->jobid && spec->max_nodes && named > spec->max_nodes)
        first_hosts(o, spec->max_nodes);
    if (!named || o->nodes_set || o->jobid || (spec->ntasks && spec->ntasks < named))
        return;
    spec->min_nodes = (uint32_t)named;
    spec->max_nodes = spec->ntasks ? 0 : (uint32_t)named; /* with tasks: further nodes only if these do not hold them */
}

/* --ntasks-per-gpu: the tasks follow from the GPUs, or the GPUs from the tasks. */
static int tasks_per_gpu(struct job_opts *o, struct err *err)
{
    Pb__JobSpec *spec = &o->spec;
    auto_gres struct gres_list list = GRES_INIT;
    if (!spec->ntasks_per_gpu)
        return 0;
    if (!str_empty(spec->gpus_per_task) || !str_empty(spec->gpus_per_socket) || spec->ntasks_per_node)
        return err_set(
            err, OPT_EXIT_VALUE,
            "--ntasks-per-gpu is not compatible with --gpus-per-task, --gpus-per-socket and --ntasks-per-node");
    bool named = !str_empty(spec->gpus) || !str_empty(spec->gpus_per_node) || strstr(str_or(spec->gres, ""), "gpu");
    if (spec->ntasks && !named && !o->jobid) {
        strs_take(&o->owned, mem_printf("%u", (spec->ntasks + spec->ntasks_per_gpu - 1) / spec->ntasks_per_gpu));
        spec->gpus = o->owned.at[o->owned.n - 1];
    } else if (!spec->ntasks && named) {
        uint32_t nodes = MAX(spec->min_nodes, 1u);
        if (!str_empty(spec->gpus))
            gres_parse_gpus(spec->gpus, &list, NULL), nodes = 1;
        else if (!str_empty(spec->gpus_per_node))
            gres_parse_gpus(spec->gpus_per_node, &list, NULL);
        else
            gres_parse(spec->gres, &list, NULL);
        uint64_t tasks = gres_count(&list, "gpu", NULL) * nodes * spec->ntasks_per_gpu;
        spec->ntasks = (uint32_t)MIN(tasks, (uint64_t)INT32_MAX);
    }
    return 0;
}

/* How many GPUs a node is to have follows from its sockets, so these must be said. */
static int check_sockets(const Pb__JobSpec *spec, struct err *err)
{
    if (str_empty(spec->gpus_per_socket) || spec->sockets_per_node)
        return 0;
    say_error("--gpus-per-socket option requires --sockets-per-node specification");
    return err_set(err, OPT_EXIT_VALUE, "%s", err_text(ESLURM_INVALID_GRES));
}

/* No node without a task. */
static void fit_nodes(struct job_opts *o)
{
    Pb__JobSpec *spec = &o->spec;
    if (!o->nodes_set || !spec->ntasks || spec->ntasks >= spec->min_nodes)
        return;
    say_info("warning: can't run %u processes on %u nodes, setting nnodes to %u", spec->ntasks, spec->min_nodes,
             spec->ntasks);
    spec->min_nodes = spec->ntasks;
    spec->max_nodes = MIN(spec->max_nodes, spec->ntasks);
}

int job_opts_check(struct job_opts *o, bool *fatal, struct err *err)
{
    *fatal = false;
    if (o->verbose && o->quiet)
        return err_set(err, OPT_EXIT_VALUE, "don't specify both --verbose (-v) and --quiet (-Q)");
    if (o->mem_set + o->mem_per_cpu_set + (o->spec.mem_per_gpu_mb != 0) > 1)
        return fatal_set(fatal, err, "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
    if (o->spec.oversubscribe && str_eq(o->spec.exclusive, "yes"))
        return fatal_set(fatal, err, "--exclusive and --oversubscribe options are mutually exclusive");
    if (o->both_specs)
        return fatal_set(fatal, err, "-S/--core-spec and --thred-spec options are mutually exclusive");
    if (!str_empty(o->spec.nodelist) && strchr(o->spec.nodelist, '/') &&
        opt_nodefile(NULL, o, o->spec.nodelist, err)) /* -w PATH */
        return OPT_EXIT_VALUE;
    size_t named = tidy_hosts(o, &o->spec.nodelist);
    if (named == SIZE_MAX || tidy_hosts(o, &o->spec.exclude) == SIZE_MAX)
        return fatal_set(fatal, err, "Invalid node list specified");
    count_nodes(o, named);
    if (!job_opts_segments_fit(o)) {
        *fatal = true;
        return err_set(
            err, OPT_EXIT_VALUE,
            "--segment=%u does not fit the job size (%u): node count must be evenly divisible by segment size",
            o->spec.segment, o->spec.min_nodes);
    }
    if (o->spec.deadline_s && o->spec.begin_s > o->spec.deadline_s)
        return err_set(err, OPT_EXIT_VALUE, "Incompatible begin and deadline time specification");
    int rc = check_sockets(&o->spec, err);
    if (!rc)
        rc = tasks_per_gpu(o, err);
    if (rc)
        return rc;
    fit_nodes(o);
    job_opts_bind_settle(o);
    no_file(&o->spec.std_in);
    no_file(&o->spec.std_out);
    no_file(&o->spec.std_err);
    job_opts_list(o);
    if (!str_empty(o->spec.mail_type) && !str_ieq(o->spec.mail_type, "NONE"))
        say_info("warning: --mail-type is kept with the job, but this release of Spur sends no mail");
    if (o->spec.no_kill)
        say_info("warning: --no-kill is kept with the job, but this release of Spur ends a job that loses a node");
    return 0;
}

/* "[-N MIN[-MAX]] [--hold] ..." in lines of at most 80 bytes. */
static void usage(const struct opt_set *set, struct buf *out)
{
    buf_addf(out, "Usage: %s", set->command);
    size_t column = out->len;
    for (const struct opt *o = set->table; o->cmds; o++) {
        if (!opt_has(set, o) || o->type == OPT_REFUSED)
            continue;
        auto_free char *word = o->letter ? mem_printf("[-%c%s%s]", o->letter, o->arg ? " " : "", o->arg ? o->arg : "")
                                         : mem_printf("[--%s%s%s]", o->name, o->arg ? "=" : "", o->arg ? o->arg : "");
        if (column + strlen(word) > 78) {
            buf_addf(out, "\n       %*s", (int)strlen(set->command), "");
            column = 7 + strlen(set->command);
        }
        buf_addf(out, " %s", word);
        column += strlen(word) + 1;
    }
    buf_addf(out, "\n       %*s %s\n", (int)strlen(set->command), "", set->usage);
}

bool job_opts_told(const struct job_opts *o, enum job_command command)
{
    auto_buf struct buf text = BUF_INIT;
    if (o->help)
        opt_help(&job_opts_sets[command], &text);
    else if (o->usage)
        usage(&job_opts_sets[command], &text);
    else if (o->version)
        say_version(&text);
    else if (o->mpi_list)
        mpi_list(&text);
    else
        return false;
    fwrite(text.s, 1, text.len, stdout);
    return true;
}
