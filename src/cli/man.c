/*
 * man - the source of a command's man page, from the same rows as its options and its --help.
 */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/job_opts.h"
#include "cli/say.h"

static const struct page {
    enum job_command command;
    const char *what;
    const char *text;
} pages[] = {
    { CMD_SBATCH, "submit a batch script",
      "Hands the script to the controller, prints the number of the job and returns.  Without a script its text is read from\n"
      "standard input.  Lines of the script that begin with\n.B #SBATCH\nhold further options; reading them ends at the first command.\n"
      "The command line comes before the environment, and that before the script." },
    { CMD_SRUN, "run a command on the cluster and see its output",
      "Outside of an allocation it makes one for the time of the command; inside, it starts a step.  What the tasks write is\n"
      "shown as it comes, what is typed goes to all of them, and the exit code is the highest of theirs.\n"
      "One interrupt tells how the tasks are, two within a second end them." },
    { CMD_SALLOC, "get nodes and run a shell or a command beside them",
      "Waits for the allocation, runs the command (or the user's shell) on this machine, and gives the allocation back." },
};

static void print_page(const struct page *p)
{
    const struct opt_set *set = &job_opts_sets[p->command];
    auto_buf struct buf b = BUF_INIT;
    buf_addf(&b, ".TH %s 1 \"\" \"Spur %s\" \"User Commands\"\n", set->command, SPUR_VERSION);
    buf_addf(&b, ".SH NAME\n%s \\- %s\n", set->command, p->what);
    buf_addf(&b, ".SH SYNOPSIS\n.B %s\n%s\n", set->command, set->usage);
    buf_addf(&b, ".SH DESCRIPTION\n%s\n.SH OPTIONS\n", p->text);
    opt_man(set, &b);
    fwrite(b.s, 1, b.len, stdout);
}

int cli_man(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < ARRAY_LEN(pages); i++) {
        if (!str_eq(job_opts_sets[pages[i].command].command, argv[1]))
            continue;
        print_page(&pages[i]);
        return 0;
    }
    fprintf(stderr, "Usage: spur man sbatch|srun|salloc\n");
    return 1;
}
