/* job_opts_node - options about nodes: specialised cores, binding of devices to cores, and booting. */
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
    if (jo->spec.core_spec && threads != ((jo->spec.core_spec & REQ_CORE_SPEC_THREADS) != 0))
        jo->both_specs = true;
    jo->spec.core_spec = (uint32_t)n + 1;
    if (threads)
        jo->spec.core_spec |= REQ_CORE_SPEC_THREADS;
    return 0;
}

void job_opts_spec_settle(struct job_opts *o, bool allowed)
{
    if (!o->spec.core_spec || allowed)
        return;
    say_error("Ignoring %s since it's not allowed by configuration (AllowSpecResourcesUsage = No)",
              o->spec.core_spec & REQ_CORE_SPEC_THREADS ? "--thread-spec" : "-S");
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

/* --gres-flags, word by word: which of them it was is said in the order of the table. */
enum gres_flag { FLAG_ENFORCE = 1, FLAG_DISABLE = 2, FLAG_ONE_TASK = 4, FLAG_MANY_TASKS = 8, FLAG_SHARING = 16 };

static unsigned gres_flag(const char *word)
{
    static const struct {
        const char *name;
        enum gres_flag flag;
    } rows[] = {
        { "enforce-binding", FLAG_ENFORCE },
        { "disable-binding", FLAG_DISABLE },
        { "one-task-per-sharing", FLAG_ONE_TASK },
        { "multiple-tasks-per-sharing", FLAG_MANY_TASKS }, /* what it switches off is off */
        { "allow-task-sharing", FLAG_SHARING },            /* devices are kept from other steps, not from other tasks */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_ieq(word, rows[i].name))
            return rows[i].flag;
    return 0;
}

int opt_gres_flags(const struct opt *o, void *into, const char *arg, struct err *err)
{
    const char *pos = arg;
    unsigned all = 0;
    for (char *word; (word = str_next(&pos, ",")); free(word)) {
        unsigned flag = gres_flag(word);
        if (!flag) {
            err_set(err, OPT_EXIT_VALUE, "Invalid --gres-flags specification: %s", word);
            free(word);
            return OPT_EXIT_VALUE;
        }
        all |= flag;
    }
    if ((all & FLAG_ENFORCE) && (all & FLAG_DISABLE))
        return err_set(err, OPT_EXIT_VALUE,
                       "Invalid --gres-flags combo: disable-binding and enforce-binding are mutually exclusive.");
    if (all & FLAG_ONE_TASK)
        return err_set(err, OPT_EXIT_VALUE,
                       "In order to use --gres-flags=one-task-per-sharing you must also have "
                       "SelectTypeParameters=MULTIPLE_SHARING_GRES_PJ in your slurm.conf");
    if ((all & FLAG_SHARING) && !str_eq(say_name, "srun"))
        return err_set(err, OPT_EXIT_VALUE, "--gres-flags=allow-task-sharing is only used with srun.");
    ((struct job_opts *)into)->spec.gres_flags = (char *)arg;
    return 0;
}
