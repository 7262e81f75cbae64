/* The option table: every option of Slurm's commands is there, and it reads argv and environment as they do. */
#include "cli/job_opts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static const char *const commands[] = { "sbatch", "srun", "salloc" };

/* "-A, --account=<arg>", "--nice[=<arg>]", "-h, --help" */
static void check_line(const struct opt_set *set, const char *line)
{
    char letter = 0, name[64] = "";
    const char *p = line;
    if (p[0] == '-' && p[1] != '-') {
        letter = p[1];
        p += 4;
    }
    sscanf(p, "--%63[^=[]", name);
    int want = strstr(p, "[=") ? 2 : strchr(p, '=') ? 1 : 0;
    const struct opt *o = opt_find(set, name);
    int got = !o || !o->arg ? 0 : o->arg[0] == '[' ? 2 : 1;
    ok(o && o->letter == letter && got == want, "%s %s", set->command, line);
}

static void test_known(void)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        char path[512], line[256];
        snprintf(path, sizeof(path), "%s/known/%s.options", SOURCE_DIR, commands[i]);
        auto_file FILE *f = fopen(path, "r");
        if (!ok(f != NULL, "%s", path))
            continue;
        while (fgets(line, sizeof(line), f)) {
            line[strcspn(line, "\n")] = 0;
            check_line(&job_opts_sets[i], line);
        }
    }
}

static void test_rows(void)
{
    for (const struct opt *o = job_opts_table; o->cmds; o++) {
        bool sorted = o == job_opts_table || strcmp(o[-1].name, o->name) <= 0;
        bool said = o->type == OPT_REFUSED || o->help;
        bool called = o->type != OPT_CALL || o->call;
        ok(sorted && said && called, "row %s: sorted, with help, with its function", o->name);
    }
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        char seen[256] = { 0 };
        bool unique = true;
        for (const struct opt *o = job_opts_table; o->cmds; o++)
            if (opt_has(&job_opts_sets[i], o) && o->letter && seen[(unsigned char)o->letter]++)
                unique = false;
        ok(unique, "%s has each letter once", commands[i]);
    }
}

/* Run argv through the table; the words of getopt are kept in `said`. */
static int parse(enum job_command command, struct job_opts *o, struct err *err, char *said, size_t size, char **argv,
                 int *first)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    char *text = NULL;
    size_t len = 0;
    FILE *old = stderr;
    stderr = open_memstream(&text, &len);
    int rc = opt_argv(&job_opts_sets[command], argc, argv, first, o, err);
    fclose(stderr);
    stderr = old;
    snprintf(said, size, "%s", text);
    free(text);
    return rc;
}

#define ARGV(...) ((char *[]){ "x", __VA_ARGS__, NULL })

static void test_argv(void)
{
    static const struct { enum job_command cmd; const char *word[4]; int rc; const char *text; } cases[] = {
        { CMD_SBATCH, { "--foo" }, 255,
          "sbatch: unrecognized option '--foo'\nTry \"sbatch --help\" for more information\n" },
        { CMD_SBATCH, { "-9" }, 255, "sbatch: invalid option -- '9'\nTry \"sbatch --help\" for more information\n" },
        { CMD_SBATCH, { "--nodes" }, 255,
          "sbatch: option '--nodes' requires an argument\nTry \"sbatch --help\" for more information\n" },
        { CMD_SBATCH, { "--hold=3" }, 255,
          "sbatch: option '--hold' doesn't allow an argument\nTry \"sbatch --help\" for more information\n" },
        { CMD_SBATCH, { "--no" }, 255,
          "sbatch: option '--no' is ambiguous; possibilities: '--no-kill' '--no-requeue' '--nodefile' "
          "'--nodelist' '--nodes'\nTry \"sbatch --help\" for more information\n" },
        { CMD_SBATCH, { "-N", "x" }, 255, "\"x\" is not a valid node count" },
        { CMD_SBATCH, { "-N", "3-2" }, 255, "Maximum node count 2 is less than minimum node count 3" },
        { CMD_SBATCH, { "-n", "0" }, 1, "Invalid numeric value \"0\" for --ntasks." },
        { CMD_SBATCH, { "-c", "x" }, 1, "Invalid numeric value \"x\" for --cpus-per-task." },
        { CMD_SBATCH, { "-t", "x" }, 255, "Invalid --time specification" },
        { CMD_SBATCH, { "-t", "" }, 255, "Invalid --time specification" },
        { CMD_SBATCH, { "--mem=x" }, 255, "Invalid --mem specification" },
        { CMD_SBATCH, { "--signal=nosuch" }, 255, "Invalid --signal specification" },
        { CMD_SBATCH, { "--exclusive=1" }, 255, "Invalid --exclusive specification" },
        { CMD_SBATCH, { "--requeue=1" }, 255, "Invalid --requeue specification" },
        { CMD_SBATCH, { "-m", "x" }, 255, "Invalid --distribution specification" },
        { CMD_SBATCH, { "--mail-type=x" }, 255, "Invalid --mail-type specification" },
        { CMD_SBATCH, { "--open-mode=x" }, 255, "Invalid --open-mode specification" },
        { CMD_SBATCH, { "--uid=no such user" }, 255, "Invalid --uid specification" },
        { CMD_SBATCH, { "--network=x" }, 1, "option --network is not supported by this release of Spur" },
        { CMD_SBATCH, { "--netw=x" }, 1, "option --network is not supported by this release of Spur" },
        { CMD_SRUN, { "--async" }, 1, "option --async is not supported by this release of Spur" },
        { CMD_SALLOC, { "--wrap=x" }, 255,
          "salloc: unrecognized option '--wrap=x'\nTry \"salloc --help\" for more information\n" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct job_opts o;
        struct err err = ERR_INIT;
        char said[1024], *argv[6] = { "x" };
        int first;
        for (size_t k = 0; k < 4; k++)
            argv[k + 1] = (char *)cases[i].word[k];
        job_opts_init(&o);
        int rc = parse(cases[i].cmd, &o, &err, said, sizeof(said), argv, &first);
        is_int(rc, cases[i].rc, "%s %s exits so", commands[cases[i].cmd], cases[i].word[0]);
        is_str(said[0] ? said : err.text, cases[i].text, "and says so");
        job_opts_clear(&o);
    }
}

static void test_values(void)
{
    struct job_opts o;
    struct err err = ERR_INIT;
    char said[1024];
    int first;
    job_opts_init(&o);
    char **argv = ARGV("-HN2-4", "-n8", "--job-n=name", "-Ja b", "--mem=2G", "-vv", "--exclusive", "--nice", "-k",
                       "-t1:30:00", "script", "-n9");
    is_int(parse(CMD_SBATCH, &o, &err, said, sizeof(said), argv, &first), 0,
           "bundled letters, abbreviations, optional arguments");
    ok(o.spec.hold && o.spec.min_nodes == 2 && o.spec.max_nodes == 4, "-HN2-4");
    is_int(o.spec.ntasks, 8, "options end at the script");
    is_str(o.spec.name, "a b", "the last one wins");
    is_int((long long)o.spec.mem_per_node_mb, 2048, "--mem=2G");
    is_int(o.verbose, 2, "-vv");
    is_str(o.spec.exclusive, "yes", "--exclusive");
    is_int(o.spec.nice, 100, "--nice");
    is_int(o.spec.time_limit_min, 90, "-t1:30:00");
    is_str(argv[first], "script", "the first argument");
    job_opts_clear(&o);
}

static void test_precedence(void)
{
    struct job_opts o;
    struct err err = ERR_INIT;
    char said[1024];
    int first;
    setenv("SBATCH_PARTITION", "env", 1);
    setenv("SBATCH_TIMELIMIT", "9", 1);
    setenv("SBATCH_NO_REQUEUE", "1", 1);
    setenv("SLURM_PARTITION", "srun's", 1);
    job_opts_init(&o);
    parse(CMD_SBATCH, &o, &err, said, sizeof(said), ARGV("-p", "script", "-t", "5", "-J", "script"), &first);
    is_int(opt_env(&job_opts_sets[CMD_SBATCH], &o, &err), 0, "the environment is read");
    is_str(o.spec.partition, "env", "environment over script");
    parse(CMD_SBATCH, &o, &err, said, sizeof(said), ARGV("-p", "line"), &first);
    is_str(o.spec.partition, "line", "command line over environment");
    is_int(o.spec.time_limit_min, 9, "environment over script, where the line is silent");
    is_str(o.spec.name, "script", "script, where both are");
    is_int(o.spec.requeue, 2, "a variable stands for a flag");
    job_opts_clear(&o);
    setenv("SBATCH_NETWORK", "x", 1);
    job_opts_init(&o);
    is_int(opt_env(&job_opts_sets[CMD_SBATCH], &o, &err), 1, "a refused option is refused from the environment too");
    is_str(err.text, "SBATCH_NETWORK: option --network is not supported by this release of Spur",
           "by its variable's name");
    unsetenv("SBATCH_NETWORK");
}

/* Variables that no option stands behind, with the place that reads them or the reason that none does. */
static const char *const elsewhere =
    "SLURM_EXIT_ERROR,SLURM_EXIT_IMMEDIATE,SLURM_UMASK,SLURM_STEP_KILLED_MSG_NODE_ID,"
    "SBATCH_POWER,SLURM_POWER,SALLOC_POWER,SBATCH_WAIT4SWITCH,SLURM_WAIT4SWITCH,SALLOC_WAIT4SWITCH,"
    "SLURMD_DEBUG,SLURM_DIST_PLANESIZE,SLURM_PMI_KVS_NO_DUP_KEYS,"
    "SLURM_SRUN_REDUCE_TASK_EXIT_MSG,SLURM_STEP_GRES,SLURM_TEST_EXEC,"
    "SLURM_NNODES"; /* set for tasks; Slurm 26.05 does not read it */

static bool has_var(const struct opt_set *set, const char *var)
{
    for (const struct opt *o = set->table; o->cmds; o++) {
        const char *pos = o->env[set->which];
        if (!opt_has(set, o) || !pos)
            continue;
        for (;;) {
            auto_free char *word = str_next(&pos, " ");
            if (!word)
                break;
            if (str_eq(word, var))
                return true;
        }
    }
    return str_in_list(elsewhere, var);
}

static void test_variables(void)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        char path[512], line[256];
        snprintf(path, sizeof(path), "%s/known/%s.env", SOURCE_DIR, commands[i]);
        auto_file FILE *f = fopen(path, "r");
        if (!ok(f != NULL, "%s", path))
            continue;
        while (fgets(line, sizeof(line), f)) {
            line[strcspn(line, "\n")] = 0;
            ok(has_var(&job_opts_sets[i], line), "%s knows %s", commands[i], line);
        }
    }
}

static void test_help(void)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        auto_buf struct buf help = BUF_INIT;
        opt_help(&job_opts_sets[i], &help);
        for (const struct opt *o = job_opts_table; o->cmds; o++) {
            if (!opt_has(&job_opts_sets[i], o))
                continue;
            auto_free char *name = mem_printf("--%s", o->name);
            ok(strstr(help.s, name) != NULL, "%s --help has %s", commands[i], name);
        }
        ok(strstr(help.s, "Usage: ") == help.s, "%s --help begins with the usage", commands[i]);
    }
}

int main(void)
{
    test_known();
    test_rows();
    test_argv();
    test_values();
    test_precedence();
    test_variables();
    test_help();
    return test_done();
}
