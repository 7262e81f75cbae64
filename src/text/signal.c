/* signal - signals by name and number; see signal.h. */
#include "text/signal.h"

#include <ctype.h>
#include <signal.h>

#include "base/mem.h"
#include "base/str.h"

static const struct {
    int signo;
    const char *name;
} table[] = {
    { SIGHUP, "HUP" },     { SIGINT, "INT" },       { SIGQUIT, "QUIT" }, { SIGILL, "ILL" },   { SIGTRAP, "TRAP" },
    { SIGABRT, "ABRT" },   { SIGBUS, "BUS" },       { SIGFPE, "FPE" },   { SIGKILL, "KILL" }, { SIGUSR1, "USR1" },
    { SIGSEGV, "SEGV" },   { SIGUSR2, "USR2" },     { SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },
    { SIGSTKFLT, "STKFLT" }, { SIGCHLD, "CHLD" },   { SIGCONT, "CONT" }, { SIGSTOP, "STOP" }, { SIGTSTP, "TSTP" },
    { SIGTTIN, "TTIN" },   { SIGTTOU, "TTOU" },     { SIGURG, "URG" },   { SIGXCPU, "XCPU" }, { SIGXFSZ, "XFSZ" },
    { SIGVTALRM, "VTALRM" }, { SIGPROF, "PROF" },   { SIGWINCH, "WINCH" }, { SIGIO, "IO" },   { SIGPWR, "PWR" },
    { SIGSYS, "SYS" },
};

#define SIGNAL_MAX 99 /* Slurm passes any number on */

int signal_parse(const char *text, int *signo, struct err *err)
{
    uint64_t number;
    if (str_u64(text, 1, SIGNAL_MAX, &number)) {
        *signo = (int)number;
        return 0;
    }
    const char *name = str_has_iprefix(text, "SIG") ? text + 3 : text;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_ieq(table[i].name, name)) {
            *signo = table[i].signo;
            return 0;
        }
    return err_set(err, EINVAL, "unknown signal \"%s\"", str_or(text, ""));
}

/* The letters before the colon; false when one is neither R nor B. */
static bool parse_flags(const char *s, const char *colon, struct signal_spec *spec)
{
    for (; s < colon; s++) {
        if (*s == 'R' || *s == 'r')
            spec->resv = true;
        else if (*s == 'B' || *s == 'b')
            spec->batch = true;
        else
            return false;
    }
    return true;
}

int signal_spec_parse(const char *text, struct signal_spec *out, struct err *err)
{
    struct signal_spec spec = { .lead_s = SIGNAL_DEFAULT_LEAD_S };
    const char *s = str_or(text, ""), *colon = strchr(s, ':');
    if (colon && !parse_flags(s, colon, &spec))
        return err_set(err, EINVAL, "invalid signal specification \"%s\": only R and B may stand before ':'", s);
    const char *name = colon ? colon + 1 : s, *at = strchrnul(name, '@');
    auto_free char *word = mem_strn(name, (size_t)(at - name));
    int rc = signal_parse(word, &spec.signo, err);
    if (rc)
        return rc;
    uint64_t lead = spec.lead_s;
    if (*at && at[1] && !str_u64(at + 1, 0, UINT16_MAX, &lead))
        return err_set(err, EINVAL, "invalid signal specification \"%s\": \"%s\" is not 0 to 65535 seconds", s, at + 1);
    spec.lead_s = (uint32_t)lead;
    *out = spec;
    return 0;
}
