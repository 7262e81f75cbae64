/* up_opts - the options of `spur up`, `spur env` and `spur down`, and the words they share; see up.h. */
#include "cli/say.h"
#include "cli/up.h"

#define ON(cmd) (1u << (cmd))
#define ALL (ON(CMD_UP) | ON(CMD_ENV) | ON(CMD_DOWN))
#define AT(field) .at = offsetof(struct up_opts, field)

static const struct opt table[] = {
    { ON(CMD_UP), 0, "conf", OPT_TEXT, AT(conf), .arg = "FILE",
      .help = "take nodes and settings from this slurm.conf" },
    { ON(CMD_UP), 0, "controllers", OPT_COUNT, AT(controllers), .arg = "M", .help = "run M controllers (1)" },
    { ALL, 0, "dir", OPT_TEXT, AT(dir), .arg = "DIR",
      .help = "the cluster's folder (~/.local/state/spur; root: /var/lib/spur)" },
    { ON(CMD_UP), 0, "emulate", OPT_FLAG, AT(emulate),
      .help = "one agent plays all nodes: jobs take their time and run nothing (see spurd(8))" },
    { ALL, 'h', "help", OPT_FLAG, AT(help), .help = "this text" },
    { ON(CMD_DOWN), 0, "keep-jobs", OPT_FLAG, AT(keep_jobs),
      .help = "let running jobs go on; the next `spur up` finds them again" },
    { ON(CMD_UP), 0, "nodes", OPT_COUNT, AT(nodes), .arg = "N",
      .help = "run N nodes, named n1 to nN when N > 1 (1); of FILE: its first N" },
    { 0 },
};

static const struct opt_set sets[] = {
    [CMD_UP] = { "spur up", CMD_UP, table, "[OPTIONS]", true },
    [CMD_ENV] = { "spur env", CMD_ENV, table, "[OPTIONS]    (use: eval \"$(spur env)\")", true },
    [CMD_DOWN] = { "spur down", CMD_DOWN, table, "[OPTIONS]", true },
};

int up_failed(const struct err *err)
{
    say_error("%s", err->text);
    return 1;
}

int up_options(unsigned which, int argc, char **argv, struct up_opts *o, int *status)
{
    struct err err = ERR_INIT;
    int first;
    *status = opt_argv(&sets[which], argc, argv, &first, o, &err);
    if (*status && err.text[0])
        up_failed(&err);
    if (!*status && o->help) {
        auto_buf struct buf text = BUF_INIT;
        opt_help(&sets[which], &text);
        fputs(text.s, stdout);
        return 1;
    }
    if (!*status && first < argc) {
        say_error("%s takes no argument \"%s\"", sets[which].command, argv[first]);
        *status = 1;
    }
    return *status;
}
