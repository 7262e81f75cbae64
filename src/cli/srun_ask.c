/* srun_ask - terminal, several programs, scripts; see srun_ask.h. */
#include "cli/srun_ask.h"

#include "base/str.h"
#include "cli/mpi.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "text/multi_prog.h"

static void put_number(const char *name, uint32_t n)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", n);
    setenv(name, text, 1);
}

/* Without a terminal of our own there is none to give. */
static void look_at_terminal(struct job_opts *o)
{
    int rc = terminal_size(o->pty_fd, &o->pty_rows, &o->pty_cols);
    if (!rc) {
        put_number("SLURM_PTY_WIN_ROW", o->pty_rows);
        put_number("SLURM_PTY_WIN_COL", o->pty_cols);
        return;
    }
    errno = rc == EBADF ? ENOTTY : rc;
    say_error("ioctl(TIOCGWINSZ): %m");
    if (o->pty_fd == STDIN_FILENO)
        say_error("Not using a pseudo-terminal, disregarding --pty option");
    else
        say_error("Not using a pseudo-terminal, disregarding --pty=%d option", o->pty_fd);
    o->pty = false;
}

/* Inside a job: what the step asks for beside what the job has. */
static void compare_with_job(struct job_opts *o)
{
    uint64_t job;
    const char *text = getenv("SLURM_CPUS_PER_TASK");
    if (o->whole && o->spec.cpus_per_task) {
        say_info("Ignoring --whole since -c/--cpus-per-task used");
        o->whole = 0;
    }
    const Pb__JobSpec *spec = &o->spec;
    if (o->jobid && spec->ntasks_per_node && spec->ntasks && spec->max_nodes &&
        (uint64_t)spec->ntasks_per_node * spec->max_nodes < spec->ntasks) {
        say_info("warning: can't honor --ntasks-per-node set to %u which doesn't match the requested tasks %u with the "
                 "maximum number of "
                 "requested nodes %u. Ignoring --ntasks-per-node.",
                 spec->ntasks_per_node, spec->ntasks, spec->max_nodes);
        o->spec.ntasks_per_node = 0;
    }
    if (o->jobid && text && str_u64(text, 1, INT32_MAX, &job) && o->spec.cpus_per_task > job)
        say_info("Job step's --cpus-per-task value exceeds that of job (%u > %u). Job step may never run.",
                 o->spec.cpus_per_task, (unsigned)job);
}

/* The interactive step is one task on the job's first node, whatever the job has. */
static void be_one_task(struct job_opts *o)
{
    o->spec.ntasks = o->spec.min_nodes = o->spec.max_nodes = 1;
    o->spec.ntasks_per_node = 0;
    o->nodes_set = true;
    if (o->jobid)
        o->relative = 1;
}

/* A number without meaning is reported, and not used. */
static void check_exit_codes(void)
{
    static const char *const names[] = { "SLURM_EXIT_ERROR", "SLURM_EXIT_IMMEDIATE" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *text = getenv(names[i]);
        if (text && !strtol(text, NULL, 10))
            say_error("%s has zero value", names[i]);
    }
}

int srun_ask_check(struct job_opts *o)
{
    check_exit_codes();
    if (o->exact && o->whole) {
        say_error("--exact and --whole are mutually exclusive.");
        return say_exit(1);
    }
    compare_with_job(o);
    if (o->interactive)
        be_one_task(o);
    if (o->pty && (o->std_in || o->std_out || o->std_err)) {
        say_error("--error/--input/--output are incompatible with --pty");
        return say_exit(1);
    }
    if (o->pty)
        look_at_terminal(o);
    return 0;
}

/* One or more sentences, each a line. */
static int say_lines(const char *text)
{
    const char *pos = text;
    for (char *line; (line = str_next(&pos, "\n")); free(line))
        say_error("%s", line);
    return say_exit(1);
}

static int ask_programs(struct job_opts *o, const char *program, Pb__StepSpec *step, struct buf *text)
{
    struct err err = ERR_INIT;
    uint32_t tasks = step->ntasks;
    int rc = buf_read_file(text, program, MULTI_PROG_MAX);
    if (rc) {
        say_error(access(program, R_OK) ? "Could not open multi_prog config file %s"
                                        : "Error reading multi_prog config file %s",
                  program);
        return say_exit(1);
    }
    if (!tasks)
        tasks = o->spec.ntasks = step->ntasks = multi_prog_tasks(text->s ? text->s : "");
    if (multi_prog_check(text->s ? text->s : "", program, tasks, &err))
        return say_lines(err.text);
    step->multi_prog = true;
    step->multi_prog_text = (ProtobufCBinaryData){ text->len, (uint8_t *)text->s };
    return 0;
}

int srun_ask_fill(struct job_opts *o, const char *program, Pb__StepSpec *step, struct buf *text)
{
    step->pty = o->pty;
    step->pty_rows = o->pty_rows;
    step->pty_cols = o->pty_cols;
    if (o->pty) /* the terminal is all that -u would give */
        step->unbuffered = false;
    step->task_prolog = (char *)str_or(o->task_prolog, "");
    step->acctg_freq = o->spec.acctg_freq;
    step->task_epilog = (char *)str_or(o->task_epilog, "");
    step->interactive = o->interactive;
    step->wait_for_children = o->wait_for_children;
    step->whole = o->whole;
    step->preserve_env = o->preserve_env;
    if (o->external_launcher)
        srun_mpi_external(step);
    step->oom_kill_step = o->oom_kill_step;
    step->export = (char *)str_or(o->export, "");
    return o->multi_prog ? ask_programs(o, program, step, text) : 0;
}
