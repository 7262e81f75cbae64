/* spursim - what would a policy have done with a recorded trace?  The real controller on a simulated clock. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "sim/summary.h"

struct policy {
    const char *name, *lines, *help;
};

#define FAR "SchedulerParameters=bf_window=100000,bf_max_job_test=1000000"
static const struct policy policies[] = {
    { "fifo", "SchedulerType=sched/builtin\n" FAR, "first come, first served, without backfill" },
    { "easy", "SchedulerType=sched/backfill\nSpurPlannedStarts=1\n" FAR,
      "EASY backfill: a planned start for the first pending job" },
    { "slurm", "SchedulerType=sched/backfill\n" FAR, "Slurm's order, planned starts for many jobs" },
    { "short", "SchedulerType=sched/backfill\nSpurPolicy=short\n" FAR,
      "SpurPolicy=short: little expected GPU-time first, with ageing" },
    { "yield", "SchedulerType=sched/backfill\nSpurPolicy=short\nSpurYieldAfter=60\n" FAR,
      "the same, and jobs that checkpoint yield (SpurYieldAfter=60)" },
    { "default", "", "the site's defaults" },
};

struct options {
    struct trace_conf trace;
    struct drive_conf drive;
    const char *policy, *csv, *svg, *conf;
    double load, days;
    bool sizes; /* print waits by size */
    bool one;   /* ignore node boundaries */
};

static const struct option longs[] = {
    { "trace", 1, 0, 't' },
    { "days", 1, 0, 'd' },
    { "nodes", 1, 0, 'N' },
    { "gpus", 1, 0, 'g' },
    { "cpus", 1, 0, 'c' },
    { "policy", 1, 0, 'p' },
    { "limits", 1, 0, 'l' },
    { "seed", 1, 0, 's' },
    { "csv", 1, 0, 'o' },
    { "svg", 1, 0, 'S' },
    { "one-node", 0, 0, '1' },
    { "jobs", 1, 0, 'j' },
    { "checkpoints", 1, 0, 'k' },
    { "sizes", 0, 0, 'z' },
    { "make-cpu", 1, 0, 'm' },
    { "conf", 1, 0, 'f' },
    { "quiet", 0, 0, 'q' },
    { "help", 0, 0, 'h' },
    { 0 },
};

static void print_help(void)
{
    puts("spursim --trace FILE [OPTIONS]\n"
         "  --trace FILE        jobs: id,arrival,,,gpus,duration (.gz or not)\n"
         "  --make-cpu LOAD,DAYS  synthetic CPU jobs instead of a trace\n"
         "  --days A-B          arrivals of these days only\n"
         "  --nodes N --gpus G --cpus C   the cluster: N nodes with so many each\n"
         "  --one-node          ignore node boundaries: one node with everything\n"
         "  --policy A,B        which to compare (see below)\n"
         "  --conf FILE         lines of slurm.conf for every policy\n"
         "  --limits ladder|equal|loose|exact|enough   what time limits the jobs ask for\n"
         "  --checkpoints SHARE[,SECONDS]  this fraction of the jobs can be requeued, at a cost of SECONDS each (300)\n"
         "  --sizes             waits by size\n"
         "  --seed S, --jobs N, --csv FILE, --svg FILE, --quiet\n"
         "policies:");
    for (size_t i = 0; i < ARRAY_LEN(policies); i++)
        printf("  %-18s %s\n", policies[i].name, policies[i].help);
}

static int bad_option(const char *what, const char *value)
{
    fprintf(stderr, "spursim: %s: %s\n", what, value);
    return 2;
}

static int set_option(struct options *o, int c, const char *v)
{
    static const char *const limits[] = { "ladder", "equal", "loose", "exact", "enough" };
    char *end = NULL;
    switch (c) {
    case 't': o->trace.path = v; return 0;
    case 'd':
        return sscanf(v, "%lf-%lf", &o->trace.from_day, &o->trace.to_day) == 2 ? 0 : bad_option("not days A-B", v);
    case 'm': return sscanf(v, "%lf,%lf", &o->load, &o->days) == 2 ? 0 : bad_option("not LOAD,DAYS", v);
    case 'p': o->policy = v; return 0;
    case 'k':
        return sscanf(v, "%lf,%u", &o->trace.checkpoints, &o->drive.save_s) >= 1 ? 0
                                                                                 : bad_option("not SHARE,SECONDS", v);
    case 'f': o->conf = v; return 0;
    case 'o': o->csv = v; return 0;
    case 'S': o->svg = v; return 0;
    case '1': o->one = true; return 0;
    case 'z': o->sizes = true; return 0;
    case 'q': o->drive.watch = false; return 0;
    case 'l':
        for (size_t i = 0; i < ARRAY_LEN(limits); i++)
            if (str_eq(v, limits[i])) {
                o->trace.limits = (enum trace_limits)i;
                return 0;
            }
        return bad_option("not a limit model", v);
    case 'h': print_help(); exit(0);
    }
    unsigned long n = v ? strtoul(v, &end, 10) : 0;
    if (!v || !end || *end)
        return v ? bad_option("not a number", v) : 2;
    switch (c) {
    case 'N': o->drive.nodes = (uint32_t)n; break;
    case 'g': o->drive.gpus = (uint32_t)n; break;
    case 'c': o->drive.cpus = (uint32_t)n; break;
    case 's': o->trace.seed = n; break;
    case 'j': o->trace.max_jobs = (uint32_t)n; break;
    default: return 2;
    }
    return 0;
}

static const struct policy *find_policy(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(policies); i++)
        if (str_eq(policies[i].name, name))
            return &policies[i];
    return NULL;
}

static int run_one(struct options *o, const struct policy *p, const struct trace *t, struct drive_out *out,
                   struct summary *s)
{
    struct err err = ERR_INIT;
    auto_buf struct buf lines = BUF_INIT;
    buf_addf(&lines, "%s\n", p->lines);
    if (o->conf && buf_read_file(&lines, o->conf, 1 << 20))
        return bad_option("cannot read", o->conf);
    buf_addc(&lines, '\0');
    o->drive.trace = t;
    o->drive.lines = lines.s;
    if (drive_run(&o->drive, out, &err))
        return bad_option(p->name, err.text);
    summary_make(s, p->name, &o->drive, out);
    summary_line(stdout, s);
    if (o->sizes)
        summary_sizes(stdout, &o->drive, out);
    fflush(stdout);
    return 0;
}

static int run_policies(struct options *o)
{
    struct trace t = { 0 };
    struct err err = ERR_INIT;
    if (o->one) {
        o->drive.gpus *= o->drive.nodes, o->drive.cpus *= o->drive.nodes;
        o->drive.nodes = 1;
    }
    if (o->days > 0)
        trace_make_cpu(&t, &o->trace, o->drive.nodes * o->drive.cpus, o->load, o->days);
    else if (trace_load(&t, &o->trace, &err))
        return bad_option("the trace", err.text);
    struct drive_out outs[16] = { 0 };
    struct summary sums[16];
    size_t n = 0;
    int rc = 0;
    summary_head(stdout);
    const char *pos = o->policy;
    for (char *name; !rc && n < ARRAY_LEN(outs) && (name = str_next(&pos, ",")); free(name)) {
        const struct policy *p = find_policy(name);
        rc = p ? run_one(o, p, &t, &outs[n], &sums[n]) : bad_option("no such policy", name);
        n += !rc;
    }
    FILE *f = !rc && o->csv ? fopen(o->csv, "w") : NULL;
    if (f) {
        summary_csv(f, sums, n);
        fclose(f);
    }
    f = !rc && o->svg ? fopen(o->svg, "w") : NULL;
    if (f) {
        summary_svg(f, sums, &o->drive, outs, n);
        fclose(f);
    }
    for (size_t i = 0; i < n; i++)
        drive_clear(&outs[i]);
    trace_clear(&t);
    return rc;
}

int main(int argc, char **argv)
{
    struct options o = { .drive = { .nodes = 225, .gpus = 8, .cpus = 64, .save_s = 300, .watch = true },
                         .policy = "fifo,easy,slurm" };
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (set_option(&o, c, optarg))
            return 2;
    if (!o.trace.path && !(o.days > 0)) {
        print_help();
        return 2;
    }
    log_open("spursim", LOG_ERROR);
    return run_policies(&o);
}
