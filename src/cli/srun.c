/*
 * srun - run a command on the cluster and show its output here: in an allocation of its own, or as a step of one that
 * is there.
 */
#include <pwd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/allocation.h"
#include "cli/het.h"
#include "cli/hostfile.h"
#include "cli/job_opts_bind.h"
#include "cli/mpi.h"
#include "cli/say.h"
#include "cli/srun_around.h"
#include "cli/srun_ask.h"
#include "cli/srun_files.h"
#include "cli/srun_het.h"
#include "cli/srun_loop.h"
#include "cli/step_get.h"
#include "cli/terminal.h"

#define NO_ALLOCATION "Unable to allocate resources"

static const struct opt_set *const set = &job_opts_sets[CMD_SRUN];

struct srun {
    struct job_opts o;
    struct request req;
    struct client *client;
    struct endpoint endpoint;
    Pb__StepSpec step;
    Pb__IoEndpoint io_told;
    struct allocation alloc;
    struct buf programs; /* the file of --multi-prog */
    struct srun_around around;
    char *program; /* where it was found, or copied to */
    char **words;  /* the command with that in front */
    int worst;     /* wait status of the step's tasks, once ended */
    int argc, command;
    char **argv;
    char *hosts; /* -m arbitrary: a node for each task */
    bool own_job, nodes_by_env;
    struct srun *first;  /* the component that speaks for this one; NULL: it is the first */
    struct srun *before; /* the one before it on the command line */
    uint32_t group;
    VEC(struct srun *) more;
    srun_cuts cuts;
    int line_argc; /* the whole command line */
    char **line;
};

/* ---- options ---- */

static int bad_options(const struct err *err, int rc, bool fatal)
{
    if (err->text[0])
        (fatal ? say_fatal : say_error)("%s", err->text);
    return rc;
}

static int read_options(struct srun *s)
{
    struct err err = ERR_INIT;
    bool fatal = false;
    int rc = s->before && s->before->argv != s->argv ? het_inherit(set, &s->before->o, &s->o, &err) : 0;
    if (!rc)
        rc = opt_env(set, &s->o, &err);
    if (s->o.jobid) /* inside an allocation the variable is the job's name, not the step's */
        s->o.name_set = false;
    struct step_env env = step_env_take(&s->o);
    if (!rc)
        rc = opt_argv(set, s->argc, s->argv, &s->command, &s->o, &err);
    s->nodes_by_env = step_env_back(&s->o, &env);
    int status = rc ? 0 : hostfile_read(&s->o, &s->hosts);
    if (status)
        return status;
    if (!rc)
        rc = job_opts_check(&s->o, &fatal, &err);
    fatal |= s->o.fatal;
    return rc ? bad_options(&err, rc, fatal) : 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What the controller needs to make the step, inside the job's own request or alone. */
static void fill_step(struct srun *s)
{
    Pb__JobSpec *spec = &s->o.spec;
    Pb__StepSpec *step = &s->step;
    pb__step_spec__init(step);
    step->name = spec->name;
    step->argv = s->argv + s->command;
    step->n_argv = (size_t)(s->argc - s->command);
    step->workdir = spec->workdir;
    step->nodes = s->o.nodes_set ? spec->min_nodes : 0;
    step->ntasks = spec->ntasks;
    step->cpus_per_task = spec->cpus_per_task;
    step_get_ask(spec, step);
    step->ntasks_per_node = spec->ntasks_per_node;
    step->nodelist = spec->nodelist;
    step->exclude = spec->exclude;
    step->relative = s->o.relative;
    step->open_mode = spec->open_mode;
    step->label = s->o.label;
    step->unbuffered = s->o.unbuffered;
    step->overcommit = spec->overcommit;
    step->distribution = spec->distribution;
    step->hosts = (char *)str_or(s->hosts, "");
    step->umask = spec->umask;
    step->rlimits = spec->rlimits;
    step->n_rlimits = spec->n_rlimits;
    step->mem_per_node_mb = spec->mem_per_node_mb;
    step->mem_per_cpu_mb = spec->mem_per_cpu_mb;
    step->gres = spec->gres;
    step->gpus = spec->gpus;
    step->time_limit_min = s->own_job ? 0 : spec->time_limit_min;
    step->kill_on_bad_exit = s->o.kill_on_bad_exit;
    step->submit_line = spec->submit_line;
    step->exact = s->o.exact || (!s->own_job && !str_empty(spec->exclusive));
    step->overlap = s->o.overlap;
    step->wait_s = s->o.wait_s;
    step->host = spec->alloc_host;
    step->pid = (uint32_t)getpid();
    endpoint_tell(s->first ? &s->first->endpoint : &s->endpoint, &s->io_told);
    step->io = &s->io_told;
    step->mpi = (char *)str_or(s->o.mpi, str_or(client_site(s->client)->mpi_default, ""));
    if (s->first || s->cuts.n > 1)
        step->mpi = (char *)"none"; /* check_parts() has refused any other */
    srun_files_ask(&s->o, step);
    job_opts_bind_ask(&s->o, step);
}

/* The command, by the name under which the nodes find it. */
static void name_program(struct srun *s, char *path)
{
    free(s->program);
    free(s->words);
    s->program = path;
    s->words = mem_array(s->step.n_argv + 1, sizeof(*s->words));
    memcpy(s->words, s->argv + s->command, s->step.n_argv * sizeof(*s->words));
    s->words[0] = path;
    s->step.argv = s->words;
}

static int find_program(struct srun *s)
{
    bool found;
    if (s->o.multi_prog)
        return 0;
    const char *path = export_get(&s->req.env, "PATH");
    name_program(s, srun_around_program(s->argv[s->command], s->o.spec.workdir, path, &found));
    if (found || (!getenv("SLURM_TEST_EXEC") && !s->o.bcast))
        return 0;
    say_fatal("Can not execute %s", s->argv[s->command]);
    return say_exit(1);
}

/* The controller's client and srun's own door are the first component's. */
static int open_doors(struct srun *s)
{
    struct err err = ERR_INIT;
    if (s->first) {
        s->client = s->first->client;
        return 0;
    }
    if (client_open(&s->client, &err)) {
        say_fatal("%s", err.text);
        return say_exit(1);
    }
    if (endpoint_open(&s->endpoint, &err)) {
        say_error("%s", err.text);
        return say_exit(1);
    }
    endpoint_guard(&s->endpoint);
    return 0;
}

static int srun_prepare(struct srun *s)
{
    struct err err = ERR_INIT;
    Pb__JobSpec *spec = &s->o.spec;
    s->own_job = !s->o.jobid || s->o.test_only;
    if (!s->o.name_set)
        spec->name = (char *)base_name(s->argv[s->command]);
    spec->kind = PB__JOB_KIND__KIND_SRUN;
    spec->argv = s->argv + s->command;
    spec->n_argv = (size_t)(s->argc - s->command);
    int rc = open_doors(s);
    if (rc)
        return rc;
    rc = request_fill(&s->req, &s->o, CMD_SRUN, client_site(s->client), s->line_argc, s->line, &err);
    if (rc)
        return bad_options(&err, rc, false);
    spec->get_user_env = 0; /* tasks of srun never get a login environment */
    if (s->o.zero_nodes) {
        err.code = ESLURM_INVALID_NODE_COUNT;
        request_failed(NO_ALLOCATION, &err);
        return say_exit(1);
    }
    fill_step(s);
    const struct site *site = client_site(s->client);
    s->around = (struct srun_around){ &s->o, &s->req.env, site->cluster, s->o.prolog ? s->o.prolog : site->srun_prolog,
                                      s->o.epilog ? s->o.epilog : site->srun_epilog };
    rc = srun_ask_fill(&s->o, s->argv[s->command], &s->step, &s->programs);
    return rc ? rc : find_program(s);
}

/* ---- getting a step ---- */

static Pb__StepRequest request_of(struct srun *s)
{
    Pb__StepRequest req = PB__STEP_REQUEST__INIT;
    req.job_id = s->o.jobid;
    req.spec = &s->step;
    req.env = s->req.msg.env;
    return req;
}

static int by_group(const void *a, const void *b)
{
    const struct srun *x = *(struct srun *const *)a, *y = *(struct srun *const *)b;
    return x->group < y->group ? -1 : x->group > y->group;
}

/* Ranks are counted from the first component on, in whatever order they stand on the command line. */
static int step_inside(struct srun *s)
{
    size_t n = s->more.n + 1;
    auto_free struct srun **part = mem_array(n, sizeof(*part));
    auto_free Pb__StepRequest *req = mem_array(n, sizeof(*req));
    auto_free Pb__StepRequest **more = mem_array(n, sizeof(*more));
    part[0] = s;
    for (size_t i = 1; i < n; i++)
        part[i] = s->more.at[i - 1];
    qsort(part, n, sizeof(*part), by_group);
    for (size_t i = 0; i < n; i++) {
        req[i] = request_of(part[i]);
        if (i)
            more[i - 1] = &req[i];
    }
    req[0].het = more;
    req[0].n_het = n - 1;
    return step_get(&s->alloc, s->client, &req[0], s->o.quiet, s->nodes_by_env);
}

/* Something has to happen between the allocation and the step: they cannot be one request. */
static bool comes_before(const struct srun *s)
{
    return s->o.bcast || !str_empty(s->around.prolog);
}

/* In an allocation: what comes before the step, then the step. */
static int before_and_step(struct srun *s)
{
    char *path = NULL;
    int rc = s->o.bcast ? srun_around_bcast(&s->around, s->client, &s->alloc, s->argv[s->command], &path) : 0;
    if (path)
        name_program(s, path);
    if (!rc)
        rc = srun_around_before(&s->around, &s->alloc);
    if (rc) {
        if (s->own_job)
            allocation_release(s->client, s->alloc.job_id, 1 << 8);
        return rc;
    }
    s->o.jobid = s->alloc.job_id;
    allocation_clear(&s->alloc);
    return step_inside(s);
}

static int get_step(struct srun *s)
{
    bool before = comes_before(s) && !s->o.test_only;
    if (!s->own_job) {
        s->alloc.job_id = s->o.jobid;
        return before ? before_and_step(s) : step_inside(s);
    }
    s->req.msg.want_start = !s->o.test_only;
    s->req.msg.step = before ? NULL : &s->step;
    auto_free Pb__SubmitRequest **more = mem_array(s->more.n + 1, sizeof(*more));
    for (size_t i = 0; i < s->more.n; i++) {
        more[i] = &s->more.at[i]->req.msg;
        more[i]->step = &s->more.at[i]->step;
    }
    s->req.msg.het = more;
    s->req.msg.n_het = s->more.n;
    int rc = allocation_get(&s->alloc, s->client, &s->req, s->o.quiet, NO_ALLOCATION, NULL);
    return rc || !before ? rc : before_and_step(s);
}

/* ---- running it ---- */

static uint32_t count_tasks(const Pb__Step *step)
{
    uint32_t n = 0;
    for (size_t i = 0; i < step->n_tasks; i++)
        n += step->tasks[i];
    return n;
}

static int open_files(struct srun *s, struct stepio *io)
{
    struct err err = ERR_INIT;
    const struct passwd *pw = getpwuid(getuid());
    const Pb__Job *job = s->alloc.job;
    const char *name = job && job->spec ? job->spec->name : s->o.spec.name;
    struct srun_files_names names = { io->job, io->step, str_or(name, ""), pw ? pw->pw_name : "" };
    if (job && job->has_task) {
        names.array_job = job->array_job;
        names.array_task = job->array_task;
    }
    if (!srun_files_open(&s->o, &names, io, &err))
        return 0;
    say_error("%s", err.text);
    return say_exit(1);
}

/* `*over` when the step came to its end, and with it an allocation of its own. */
static int run_step(struct srun *s, bool *over)
{
    struct output out;
    struct tasks tasks;
    struct stepio io;
    struct srun_mpi mpi;
    const struct site *site = client_site(s->client);
    Pb__Step whole; /* of all components */
    srun_het_whole(&whole, s->alloc.step, s->alloc.parts.at, s->alloc.parts.n);
    uint32_t n = count_tasks(&whole);
    tasks_init(&tasks, n);
    const char *once = getenv("SLURM_SRUN_REDUCE_TASK_EXIT_MSG");
    tasks.once = once && strtol(once, NULL, 10);
    output_init(&out, n, s->o.label);
    out.lines = !s->o.unbuffered && !s->o.pty;
    stepio_init(&io, &s->endpoint, &out, &tasks, (uint32_t)whole.n_tasks);
    io.layout = s->alloc.parts.n ? &whole : s->alloc.step;
    io.job = s->alloc.job_id;
    io.step = s->alloc.step->id;
    srun_mpi_begin(&mpi, &io);
    struct srun_loop loop = { .io = &io,
                              .mpi = &mpi,
                              .client = s->client,
                              .sig_fd = s->alloc.sig_fd,
                              .het = s->alloc.parts.n > 0,
                              .quiet = s->o.quiet,
                              .disable_status = s->o.disable_status,
                              .quit_on_interrupt = s->o.quit_on_interrupt,
                              .kill_on_bad_exit = s->o.kill_set ? s->o.kill_on_bad_exit : site->kill_on_bad_exit,
                              .ignored = s->o.ignored_signals,
                              .pty_fd = s->o.pty ? s->o.pty_fd : -1,
                              .wait_s = s->o.wait_set ? s->o.wait_s : site->wait_time_s };
    io.kill_wait_s = site->kill_wait_s;
    io.own_limit = !s->own_job && s->o.spec.time_limit_min;
    int rc = open_files(s, &io);
    if (s->o.pty) {
        io.in_fd = s->o.pty_fd;
        io.stdin_task = s->step.pty_task;
        for (uint32_t i = 0; i < n; i++) /* other tasks are not shown */
            tasks.at[i].eof[1] = tasks.at[i].eof[2] = i != s->step.pty_task;
        terminal_raw(s->o.pty_fd);
    }
    if (!rc) {
        srun_loop_run(&loop);
        *over = !loop.revoked && !io.failed;
        s->worst = tasks_worst(&tasks);
        rc = srun_mpi_code(&mpi, *over ? tasks_code(&tasks) : MAX(tasks_code(&tasks), say_exit(1)));
    }
    stepio_clear(&io);
    srun_mpi_end(&mpi);
    output_clear(&out);
    tasks_clear(&tasks);
    srun_het_whole_clear(&whole);
    return rc;
}

/* What one application over several components cannot have. */
static int check_parts(const struct srun *s)
{
    const char *what = s->o.bcast ? "--bcast" : s->o.pty ? "--pty" : s->o.multi_prog ? "--multi-prog" : NULL;
    if (!what && s->o.mpi && !str_ieq(s->o.mpi, "none"))
        what = "MPI";
    if (!what)
        return 0;
    say_error("%s over several components of a heterogeneous job is not supported by this release of Spur", what);
    return say_exit(1);
}

/* Options, environment and command of one component. */
static int get_ready(struct srun *s, const struct srun_cut *cut, bool *told)
{
    s->group = cut->group;
    if (cut->has_group)
        srun_het_env(cut->group);
    int rc = read_options(s);
    if (rc)
        return rc;
    *told = job_opts_told(&s->o, CMD_SRUN);
    if (*told)
        return 0;
    if (s->command >= s->argc) {
        say_fatal("No command given to execute.");
        return say_exit(1);
    }
    if (s->o.mpi && !mpi_type_here(s->o.mpi)) {
        say_error("Invalid MPI type '%s', --mpi=list for acceptable types", s->o.mpi);
        return say_exit(1);
    }
    bool several = s->first || s->cuts.n > 1;
    rc = several ? check_parts(s) : 0;
    if (!rc)
        rc = srun_ask_check(&s->o);
    return rc ? rc : srun_prepare(s);
}

static struct srun *add_part(struct srun *s, const struct srun_cut *cut)
{
    struct srun *p = NEW(struct srun);
    *p = (struct srun){ .argc = cut->argc,
                        .argv = cut->argv,
                        .endpoint = ENDPOINT_INIT,
                        .first = s,
                        .line_argc = s->line_argc,
                        .line = s->line };
    job_opts_init(&p->o);
    request_init(&p->req);
    p->before = s->more.n ? s->more.at[s->more.n - 1] : s;
    vec_push(&s->more, p);
    return p;
}

static int srun_run(struct srun *s)
{
    bool over = false, told = false;
    int rc = srun_het_cut(s->argc, s->argv, &s->cuts);
    if (rc)
        return rc;
    s->argc = s->cuts.at[0].argc;
    s->argv = s->cuts.at[0].argv;
    rc = get_ready(s, &s->cuts.at[0], &told);
    for (size_t i = 1; !rc && !told && i < s->cuts.n; i++)
        rc = get_ready(add_part(s, &s->cuts.at[i]), &s->cuts.at[i], &told);
    if (rc || told)
        return rc;
    rc = get_step(s);
    if (rc || s->o.test_only)
        return rc;
    if (!s->alloc.step) {
        say_error("job %u began without a step", s->alloc.job_id);
        rc = say_exit(1);
    } else {
        rc = run_step(s, &over);
        srun_around_after(&s->around, &s->alloc);
    }
    if (s->own_job && (!over || comes_before(s))) /* a step that was asked for alone does not end its job */
        allocation_release(s->client, s->alloc.job_id, over ? s->worst : 1 << 8);
    return rc;
}

static void part_clear(struct srun *s)
{
    request_clear(&s->req);
    buf_clear(&s->programs);
    free(s->program);
    free(s->words);
    free(s->hosts);
    job_opts_clear(&s->o);
}

int cli_srun(int argc, char **argv)
{
    struct srun s = { .argc = argc, .argv = argv, .endpoint = ENDPOINT_INIT, .line_argc = argc, .line = argv };
    job_opts_init(&s.o);
    request_init(&s.req);
    int rc = srun_run(&s);
    endpoint_close(&s.endpoint);
    allocation_clear(&s.alloc);
    for (size_t i = 0; i < s.more.n; i++) {
        part_clear(s.more.at[i]);
        free(s.more.at[i]);
    }
    vec_clear(&s.more);
    vec_clear(&s.cuts);
    client_close(s.client);
    part_clear(&s);
    return rc;
}
