/* job_opts_wish - options about what is left to the system, about binding of devices, and what is kept and does
 * nothing. */
#include "base/str.h"
#include "cli/job_opts_call.h"
#include "cli/say.h"
#include "core/req.h"
#include "text/time.h"

/* --core-spec and --thread-spec: they differ in what they count. */
int opt_core_spec(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n;
    bool threads = str_eq(o->name, "thread-spec");
    if (!str_u64(arg, 0, REQ_SPEC_MAX, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    if (jo->spec.core_spec && threads != ((jo->spec.core_spec & REQ_SPEC_THREADS) != 0))
        jo->both_specs = true;
    jo->spec.core_spec = (uint32_t)n + 1;
    if (threads)
        jo->spec.core_spec |= REQ_SPEC_THREADS;
    return 0;
}

void job_opts_spec_settle(struct job_opts *o, bool allowed)
{
    if (!o->spec.core_spec || allowed)
        return;
    say_error("Ignoring %s since it's not allowed by configuration (AllowSpecResourcesUsage = No)",
              o->spec.core_spec & REQ_SPEC_THREADS ? "--thread-spec" : "-S");
    o->spec.core_spec = 0;
}

/* Nodes that reboot into other features are not there: the time is kept and shown. */
int opt_delay_boot(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint32_t min = 0;
    if (!str_eq(arg, "-1") && (!*arg || time_limit_parse(arg, &min, NULL)))
        return OPT_EXIT_USAGE;
    ((struct job_opts *)into)->spec.delay_boot_min = min == TIME_INFINITE ? 0 : min;
    return 0;
}

int opt_gres_flags(const struct opt *o, void *into, const char *arg, struct err *err)
{
    const char *pos = arg;
    int rc = 0;
    for (char *word; !rc && (word = str_next(&pos, ",")); free(word)) {
        if (str_ieq(word, "disable-binding") || str_ieq(word, "multiple-tasks-per-sharing"))
            continue; /* what they switch off is off */
        if (str_ieq(word, "enforce-binding") || str_ieq(word, "one-task-per-sharing"))
            rc = err_set(err, OPT_EXIT_VALUE, "option --gres-flags=%s is not supported by this release of Spur", word);
        else
            rc = err_set(err, OPT_EXIT_VALUE, "Invalid --gres-flags specification: %s", word);
    }
    if (!rc)
        ((struct job_opts *)into)->spec.gres_flags = (char *)arg;
    return rc;
}
