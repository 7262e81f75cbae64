/* main - one simulation from the command line: `sim --seed S --nodes N --jobs J [-v]`. */
#include <getopt.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "sim/sim.h"

static int sim_usage(void)
{
    fputs(
        "usage: sim [--seed S] [--nodes N] [--jobs J] [--steps K] [--sets P] [--controllers M]\n"
        "           [--no-faults] [--faults N] [--confirm|--lease] [--turns] [--rules qos|short] [--save FILE] [-v]\n"
        "\n"
        "Runs the real controller with N pretend nodes on a pretend clock until J submissions, K steps, and what goes\n"
        "wrong meanwhile, have come to their end.  P of a hundred submissions are heterogeneous jobs; --rules:\n"
        "limits, licences and reservations come and go, and jobs are preempted by QOS or yield (SpurPolicy=short).  "
        "The same seed\n"
        "gives the same story; -v prints it.\n",
        stderr);
    return 2;
}

static double now_s(void)
{
    return (double)clock_mono_us() / 1e6;
}

static void sim_report(const struct sim_conf *conf, const struct sim_stats *st, double took)
{
    fprintf(stderr,
            "seed %llu: %u nodes, %llu jobs taken, %llu refused, %llu runs, %llu controller crashes, %llu failovers, "
            "%llu node faults, "
            "%llu retries, %llu steps; %lld s simulated in %.2f s: %llu log events in %llu entries, %.0f simulated "
            "events/s\n",
            (unsigned long long)conf->seed, conf->nodes, (unsigned long long)st->jobs_acked,
            (unsigned long long)st->refused, (unsigned long long)st->runs, (unsigned long long)st->crashes,
            (unsigned long long)st->failovers, (unsigned long long)st->node_faults, (unsigned long long)st->retries,
            (unsigned long long)st->steps, (long long)(st->end_ms / 1000), took, (unsigned long long)st->events,
            (unsigned long long)st->entries, (double)st->happenings / (took > 0 ? took : 1));
    if (conf->fault_count)
        fprintf(stderr, "%llu faults, %llu starts of a job that still ran elsewhere\n", (unsigned long long)st->faults,
                (unsigned long long)st->twice);
    if (conf->rules)
        fprintf(stderr,
                "by rules: %llu starts in reservations, %llu with licences, %llu times at a limit, %llu preempted, "
                "%llu yields\n",
                (unsigned long long)st->reserved, (unsigned long long)st->licensed, (unsigned long long)st->limited,
                (unsigned long long)st->preempted, (unsigned long long)st->yields);
}

int main(int argc, char **argv)
{
    static const struct option options[] = { { "seed", 1, NULL, 's' },      { "nodes", 1, NULL, 'n' },
                                             { "jobs", 1, NULL, 'j' },      { "controllers", 1, NULL, 'c' },
                                             { "steps", 1, NULL, 't' },     { "sets", 1, NULL, 'h' },
                                             { "no-faults", 0, NULL, 'q' }, { "turns", 0, NULL, 'g' },
                                             { "rules", 1, NULL, 'r' },     { "save", 1, NULL, 'o' },
                                             { "confirm", 0, NULL, 'f' },   { "faults", 1, NULL, 'F' },
                                             { "lease", 0, NULL, 'l' },
                                               { "verbose", 0, NULL, 'v' },   { 0 } };
    struct sim_conf conf = { .seed = 1, .nodes = 100, .jobs = 300, .controllers = 2, .faults = true };
    const char *save = NULL;
    uint64_t v = 0;
    for (int o; (o = getopt_long(argc, argv, "v", options, NULL)) != -1;) {
        if (strchr("snjcthF", o) && !str_u64(optarg, 0, o == 's' ? UINT64_MAX : 1000000, &v))
            return sim_usage();
        switch (o) {
        case 's': conf.seed = v; break;
        case 'n': conf.nodes = (uint32_t)v; break;
        case 'j': conf.jobs = (uint32_t)v; break;
        case 'c': conf.controllers = (uint32_t)v; break;
        case 't': conf.steps = (uint32_t)v; break;
        case 'h': conf.sets = (uint32_t)v; break;
        case 'q': conf.faults = false; break;
        case 'F': conf.fault_count = (uint32_t)v; break;
        case 'f': conf.confirm = true; break;
        case 'l': conf.lease = true; break;
        case 'g': conf.turns = true; break;
        case 'r':
            conf.rules = str_eq(optarg, "qos") ? RULES_QOS : str_eq(optarg, "short") ? RULES_SHORT : RULES_NONE;
            if (!conf.rules)
                return sim_usage();
            break;
        case 'o': save = optarg; break;
        case 'v': conf.story = stdout; break;
        default: return sim_usage();
        }
    }
    log_open("sim", LOG_FATAL);
    struct err err = ERR_INIT;
    double began = now_s();
    struct sim *s = sim_new(&conf);
    int rc = sim_run(s, &err);
    sim_report(&conf, sim_stats(s), now_s() - began);
    if (rc)
        fprintf(stderr,
                "BROKEN %s\nsee it again: sim --seed %llu --nodes %u --jobs %u --steps %u --sets %u --controllers "
                "%u --faults %u%s%s%s%s -v\n",
                err.text, (unsigned long long)conf.seed, conf.nodes, conf.jobs, conf.steps, conf.sets, conf.controllers,
                conf.fault_count, conf.faults ? "" : " --no-faults", conf.turns ? " --turns" : "",
                conf.confirm ? " --confirm" : conf.lease ? " --lease" : "",
                conf.rules == RULES_QOS ? " --rules qos"
                : conf.rules            ? " --rules short"
                                        : "");
    struct err trouble = ERR_INIT;
    if (save && sim_log_save(sim_log(s), save, &trouble)) {
        fprintf(stderr, "%s\n", trouble.text);
        rc = 1;
    }
    sim_free(s);
    return rc != 0;
}
