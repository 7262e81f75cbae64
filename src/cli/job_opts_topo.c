/* job_opts_topo - options about the network: switches, segments of blocks. */
#include "base/str.h"
#include "cli/job_opts_call.h"

/* How long to wait, where the option itself does not say. */
static const char *wait_of_environment(void)
{
    static const char *const names[] = { "SBATCH_WAIT4SWITCH", "SALLOC_WAIT4SWITCH", "SLURM_WAIT4SWITCH" };
    const char *time = NULL;
    for (size_t i = 0; i < ARRAY_LEN(names) && !time; i++)
        time = getenv(names[i]);
    return time;
}

/* COUNT[@TIME]; what stands after the @ is read by the controller, and no time at all is its longest. */
int opt_switches(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_free char *count = mem_strn(arg, strcspn(arg, "@"));
    uint64_t n;
    if (strspn(count, "0123456789") == strlen(count) && strlen(count) > 9 && !str_u64(count, 0, INT32_MAX, &n))
        return err_set(err, OPT_EXIT_VALUE, "Numeric argument (%s) too large for --switches.", count);
    if (!str_u64(count, 1, INT32_MAX, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --switches.", count);
    const char *time = strchr(arg, '@');
    if (!time)
        time = wait_of_environment();
    strs_take(&jo->owned,
              mem_printf("%llu%s%s", (unsigned long long)n, time && *time != '@' ? "@" : "", str_or(time, "")));
    jo->spec.switches = jo->owned.at[jo->owned.n - 1];
    return 0;
}

int opt_segment(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n;
    if (!str_u64(arg, 0, UINT16_MAX, &n))
        return OPT_EXIT_USAGE;
    jo->spec.segment = (uint32_t)n;
    return 0;
}

bool job_opts_segments_fit(const struct job_opts *o)
{
    const Pb__JobSpec *s = &o->spec;
    return !s->segment || s->min_nodes <= s->segment || s->min_nodes % s->segment == 0;
}
