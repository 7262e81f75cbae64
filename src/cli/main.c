/*
 * main - one binary, many names: `sbatch` and its siblings are links to it, `spur VERB` are friendlier ones.
 */
#include <fcntl.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/say.h"

static cli_fn main_help, version;

static int not_here(int argc, char **argv)
{
    fprintf(stderr, "%s: not available in this release of Spur\n", say_name);
    return 1;
}

static const struct command {
    const char *name;   /* as Slurm calls it; NULL: Spur alone has it */
    const char *verb;   /* spur VERB; NULL: none */
    cli_fn *run;
    const char *what;
} commands[] = {
    { "sbatch", "submit", cli_sbatch, "submit a batch script" },
    { "srun", "run", cli_srun, "run a command on the cluster and see its output" },
    { "salloc", "alloc", cli_salloc, "get nodes and a shell" },
    { NULL, "up", cli_up, "start a cluster on this machine" },
    { NULL, "env", cli_env, "the shell lines that point at it" },
    { NULL, "down", cli_down, "stop it" },
    { "squeue", "queue", cli_squeue, "the jobs there are" },
    { "scancel", "cancel", cli_scancel, "end jobs, or send them a signal" },
    { "scontrol", "control", cli_scontrol, "show and change jobs, nodes and partitions" },
    { NULL, "key", cli_key, "keys and certificates of the cluster's machines" },
    { NULL, "why", cli_why, "what a job waits for" },
    { "sinfo", "nodes", cli_sinfo, "partitions and the states of their nodes" },
    { "sstat", "usage", cli_sstat, "what running steps use" },
    { "sattach", "attach", cli_sattach, "see and feed a step that runs already" },
    { "sbcast", "send", cli_sbcast, "send a file to all nodes of a job" },
    { "sdiag", "stats", cli_sdiag, "what the controller has done, and how fast" },
    { "sprio", "priorities", cli_sprio, "what the priorities of waiting jobs are made of" },
    { "sshare", "shares", cli_sshare, "shares of accounts and users, and their usage" },
    { "sacct", "history", cli_sacct, "jobs of the past, their steps and what they used" },
    { "sacctmgr", "accounts", cli_sacctmgr, "load and dump accounts, users, QOS and their limits" },
    { NULL, "help", main_help, "this list" },
    { NULL, "version", version, "the version" },
    { "scrontab", NULL, not_here, "jobs by the clock" },
    { "sreport", NULL, not_here, "reports of usage" },
    { "strigger", NULL, not_here, "triggers" },
};

static const struct command *command_find(const char *word, bool verbs)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (str_eq(commands[i].name, word) || (verbs && str_eq(commands[i].verb, word)))
            return &commands[i];
    return NULL;
}

static int main_help(int argc, char **argv)
{
    puts("Usage: spur VERB [OPTIONS...]\n");
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        const struct command *c = &commands[i];
        if (c->run == not_here)
            continue;
        printf("  %-10s %-10s %s\n", c->verb ? c->verb : c->name, c->verb && c->name ? c->name : "", c->what);
    }
    puts("\nThe second name is the command of Slurm that it is; see also `spur VERB --help`.");
    return 0;
}

static int version(int argc, char **argv)
{
    printf("spur %s\n", SPUR_VERSION);
    return 0;
}

static int command_run(const struct command *c, int argc, char **argv)
{
    say_name = c->name ? c->name : "spur";
    char **line = mem_array((size_t)argc + 1, sizeof(*line)); /* a copy: options are moved to the front of argv */
    memcpy(line, argv, (size_t)argc * sizeof(*line));
    say_argv = line;
    int rc = c->run(argc, argv);
    free(line);
    return rc;
}

/* A closed standard stream must not become the descriptor of a socket. */
static void standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd)
            _exit(1);
}

int main(int argc, char **argv)
{
    standard_streams();
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc ? argv[0] : "spur";
    const struct command *c = command_find(name, false);
    if (c)
        return command_run(c, argc, argv);
    const char *verb = argc > 1 ? argv[1] : "help";
    if (str_eq(verb, "-h") || str_eq(verb, "--help"))
        verb = "help";
    if (str_eq(verb, "-V") || str_eq(verb, "--version"))
        verb = "version";
    c = command_find(verb, true);
    if (!c) {
        fprintf(stderr, "spur: there is no command %s; `spur help` lists them\n", verb);
        return 1;
    }
    return argc > 1 ? command_run(c, argc - 1, argv + 1) : command_run(c, argc, argv);
}
