/* job_opts_srun - the options that srun or salloc alone have, where their argument has a grammar; see job_opts_call.h.
 */
#include <signal.h>

#include "base/str.h"
#include "cli/job_opts_call.h"
#include "cli/say.h"
#include "text/signal.h"
#include "text/strs.h"

#define TREE_WIDTH_MAX 65533

/* An error without a sentence: the engine says "Invalid --NAME specification". */
#define INVALID OPT_EXIT_USAGE

static int not_a_number(const struct opt *o, const char *arg, struct err *err)
{
    return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
}

/* --pty[=FD]: the terminal is stdin, or that descriptor. */
int opt_pty(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t fd = STDIN_FILENO;
    if (arg && !str_u64(arg, 0, INT32_MAX, &fd))
        return not_a_number(o, arg, err);
    jo->pty = true;
    jo->pty_fd = (int)fd;
    return 0;
}

/* Signals that a user may have srun ignore. */
int opt_ignore_signals(const struct opt *o, void *into, const char *arg, struct err *err)
{
    static const int known[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
    struct job_opts *jo = into;
    for (const char *pos = arg;;) {
        auto_free char *word = str_next(&pos, ",");
        if (!word)
            return 0;
        int signo = 0;
        (void)!signal_parse(word, &signo, NULL);
        bool ok = false;
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            ok |= known[i] == signo;
        if (!signo)
            return err_set(err, OPT_EXIT_USAGE, "Invalid signal name or number: %s", word);
        if (!ok)
            return err_set(err, OPT_EXIT_VALUE, "Signal %s cannot be ignored", word);
        jo->ignored_signals |= 1u << signo;
    }
}

int opt_kill_command(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    jo->kill_command = SIGTERM;
    if (!str_empty(arg) && signal_parse(arg, &jo->kill_command, NULL))
        return INVALID;
    return 0;
}

int opt_bell(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct job_opts *)into)->bell = 1;
    return 0;
}

int opt_no_bell(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct job_opts *)into)->bell = 2;
    return 0;
}

int opt_treewidth(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t n = 1;
    if (!str_ieq(arg, "off") && !str_u64(arg, 1, TREE_WIDTH_MAX, &n))
        return err_set(err, OPT_EXIT_USAGE, "Invalid --treewidth value: %s", arg);
    return 0; /* the controller makes the tree by which nodes get messages */
}

/* 2 to 6, or the words of SlurmdDebug. */
int opt_slurmd_debug(const struct opt *o, void *into, const char *arg, struct err *err)
{
    static const char words[] = "quiet,fatal,error,info,verbose,debug,debug2,debug3,debug4,debug5";
    uint64_t n;
    return str_u64(arg, 0, 9, &n) || str_in_list(words, arg) ? 0 : INVALID;
}

int opt_bcast(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    jo->bcast = true;
    jo->bcast_dest = str_empty(arg) ? NULL : arg;
    return 0;
}

int opt_compress(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    bool lz4 = str_empty(arg) || str_ieq(arg, "lz4");
    if (!lz4 && !str_ieq(arg, "none"))
        say_error("Compression type '%s' unknown, disabling compression support.", arg);
    jo->compress = lz4 ? "lz4" : NULL;
    return 0;
}

int opt_jobid(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n;
    jo->fatal = !str_u64(arg, 1, INT32_MAX, &n);
    if (jo->fatal)
        return err_set(err, OPT_EXIT_VALUE, "Bad job/step specified: %s: JobID can not be zero", arg);
    jo->jobid = (uint32_t)n;
    return 0;
}

int opt_send_libs(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    if (!str_empty(arg) && !str_ieq(arg, "yes") && !str_ieq(arg, "no"))
        return INVALID;
    jo->send_libs = !str_ieq(arg, "no");
    jo->send_libs_set = true;
    return 0;
}

int opt_oom_kill_step(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t n = 1;
    if (!str_empty(arg) && !str_u64(arg, 0, 1, &n))
        return INVALID;
    struct job_opts *jo = into;
    jo->oom_kill_step = jo->spec.oom_kill_step = n ? PB__CHOICE__CHOICE_YES : PB__CHOICE__CHOICE_NO;
    return 0;
}
