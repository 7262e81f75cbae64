/*
 * sacct_opts - sacct's options, and the question they become.
 */
#include <ctype.h>
#include <grp.h>
#include <time.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/sacct.h"
#include "cli/say.h"
#include "cli/states.h"
#include "core/job.h"
#include "core/why.h"
#include "text/hostlist.h"
#include "text/time.h"

#define AT(member) .at = offsetof(struct sacct, member)
#define ENV(name) .env = { name }

/* ---- options that are more than a value ---- */

static int add_words(const struct opt *o, void *into, const char *arg, struct err *err)
{
    strs_split((struct strs *)((char *)into + o->at), arg, ",");
    return 0;
}

static int add_format(const struct opt *o, void *into, const char *arg, struct err *err)
{
    strs_add((struct strs *)((char *)into + o->at), arg);
    return 0;
}

static int set_bars(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sacct *s = into;
    s->bars = true;
    s->ends = o->letter == 'p';
    return 0;
}

static int set_whole_het(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sacct *s = into;
    s->whole_het = !arg || str_ieq(arg, "yes");
    s->exact_het = arg && str_ieq(arg, "no");
    if (s->whole_het || s->exact_het)
        return 0;
    return err_set(err, 1, "Invalid --whole-hetjob value \"%s\". Valid values: [yes|no].", arg);
}

static int set_units(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sacct *s = into;
    char unit = (char)toupper((unsigned char)*arg);
    if (!unit || !strchr("KMGTP", unit)) {
        say_error("Invalid unit type '%c'. Possible options are 'KMGTP'", *arg);
        say_fatal("Invalid unit type");
        err->code = OPT_SAID;
        return 1;
    }
    s->env.unit = unit;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 'A', "accounts",       OPT_CALL, AT(accounts), "NAMES", "jobs of these accounts", add_words },
    { 1, 'L', "allclusters",    OPT_FLAG, AT(all_clusters), NULL, "jobs of all clusters, of which there is one" },
    { 1, 'X', "allocations",    OPT_FLAG, AT(allocations), NULL, "jobs alone, without their steps" },
    { 1, 'a', "allusers",       OPT_FLAG, AT(all_users), NULL, "jobs of all users" },
    { 1, 0,   "array",          OPT_FLAG, AT(array), NULL, "a line for each waiting task of an array" },
    { 1, 'x', "associations",   OPT_CALL, AT(assocs), "IDS", "jobs of the associations with these numbers", add_words },
    { 1, 0,   "autocomplete",   OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'B', "batch-script",   OPT_FLAG, AT(script), NULL, "the batch scripts of the jobs of --jobs" },
    { 1, 'b', "brief",          OPT_FLAG, AT(brief), NULL, "id, state and exit code" },
    { 1, 'M', "cluster",        OPT_CALL, AT(clusters), "NAMES", "the same as --clusters", add_words },
    { 1, 0,   "clusters",       OPT_CALL, AT(clusters), "NAMES", "jobs of these clusters, or of all",
              add_words },
    { 1, 'c', "completion",     OPT_FLAG, AT(completion), NULL, "records of a JobCompType, which does not exist here" },
    { 1, 'C', "constraints",    OPT_CALL, AT(constraints), "NAMES", "jobs that asked for all of these", add_words },
    { 1, 0,   "delimiter",      OPT_TEXT, AT(delimiter), "TEXT", "between fields with -p or -P, instead of a bar" },
    { 1, 'D', "duplicates",     OPT_FLAG, AT(duplicates), NULL, "every attempt of a requeued job" },
    { 1, 'E', "endtime",        OPT_TEXT, AT(end), "TIME", "jobs that were eligible before TIME" },
    { 1, 0,   "env-vars",       OPT_FLAG, AT(environment), NULL, "the environments of the jobs of --jobs" },
    { 1, 0,   "expand-patterns", OPT_FLAG, AT(expand), NULL, "file names with their patterns filled in" },
    { 1, 0,   "federation",     OPT_FLAG, AT(federation), NULL,
              "jobs of the federation, of which this cluster is the only member", ENV("SACCT_FEDERATION") },
    { 1, 0,   "fields",         OPT_CALL, AT(format), "FIELDS", "the same as --format", add_format },
    { 1, 'f', "file",           OPT_TEXT, AT(file), "FILE", "records of a JobCompType in FILE" },
    { 1, 'F', "flags",          OPT_CALL, AT(flags), "NAMES",
              "jobs with one of these flags: SchedSubmit, SchedMain, SchedBackfill, StartReceived", add_words },
    { 1, 'o', "format",         OPT_CALL, AT(format), "FIELDS", "these fields: NAME[%[-]WIDTH],...", add_format },
    { 1, 'g', "gid",            OPT_CALL, AT(groups), "NAMES", "jobs of these groups", add_words },
    { 1, 0,   "group",          OPT_CALL, AT(groups), "NAMES", "the same", add_words },
    { 1, 'h', "help",           OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "help-fields",    OPT_FLAG, AT(help_format), NULL, "the same as --helpformat" },
    { 1, 'e', "helpformat",     OPT_FLAG, AT(help_format), NULL, "the fields there are" },
    { 1, 0,   "helpreason",     OPT_FLAG, AT(help_reason), NULL, "the reasons that --reason knows" },
    { 1, 0,   "helpstate",      OPT_FLAG, AT(help_state), NULL, "the states that --state knows" },
    { 1, 'j', "jobs",           OPT_CALL, AT(jobs), "IDS", "these jobs and steps: 12,13_4,14.0,15.batch", add_words },
    { 1, 0,   "local",          OPT_FLAG, AT(local), NULL, "jobs of this cluster alone", ENV("SACCT_LOCAL") },
    { 1, 'l', "long",           OPT_FLAG, AT(long_list), NULL, "many fields" },
    { 1, 0,   "name",           OPT_CALL, AT(names), "NAMES", "jobs with these names", add_words },
    { 1, 'I', "ncpus",          OPT_TEXT, AT(cpu_range), "MIN[-MAX]", "jobs that had so many CPUs" },
    { 1, 'i', "nnodes",         OPT_TEXT, AT(node_range), "MIN[-MAX]", "jobs that had so many nodes" },
    { 1, 0,   "noconvert",      OPT_FLAG, AT(no_convert), NULL, "amounts in the unit they were measured in" },
    { 1, 'N', "nodelist",       OPT_TEXT, AT(nodes), "NODES", "jobs that had one of these nodes" },
    { 1, 'n', "noheader",       OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 'p', "parsable",       OPT_CALL, 0, NULL, "fields that end in a bar each", set_bars },
    { 1, 'P', "parsable2",      OPT_CALL, 0, NULL, "fields with a bar between them", set_bars },
    { 1, 'r', "partition",      OPT_CALL, AT(parts), "NAMES", "jobs in these partitions", add_words },
    { 1, 'q', "qos",            OPT_CALL, AT(qos), "NAMES", "jobs of these qualities of service", add_words },
    { 1, 'R', "reason",         OPT_CALL, AT(reasons), "REASONS", "jobs that waited for one of these reasons",
              add_words },
    { 1, 'S', "starttime",      OPT_TEXT, AT(start), "TIME", "jobs that had not ended before TIME" },
    { 1, 's', "state",          OPT_CALL, AT(states), "STATES", "jobs in one of these states in that time", add_words },
    { 1, 'K', "timelimit-max",  OPT_TEXT, AT(limit_max), "TIME", "with -k: jobs with at most this time limit" },
    { 1, 'k', "timelimit-min",  OPT_TEXT, AT(limit_min), "TIME", "jobs with this time limit" },
    { 1, 'T', "truncate",       OPT_FLAG, AT(truncate), NULL, "count no time before -S and after -E" },
    { 1, 'u', "uid",            OPT_CALL, AT(users), "NAMES", "jobs of these users", add_words },
    { 1, 0,   "user",           OPT_CALL, AT(users), "NAMES", "the same", add_words },
    { 1, 0,   "units",          OPT_CALL, 0, "UNIT", "amounts in this unit: K, M, G, T or P", set_units },
    { 1, 'U', "usage",          OPT_FLAG, AT(usage), NULL, "a short reminder" },
    { 1, 0,   "use-local-uid",  OPT_FLAG, AT(local_uid), NULL, "the user's number on this machine" },
    { 1, 'v', "verbose",        OPT_MORE, AT(verbose), NULL, "say what is being asked for" },
    { 1, 'V', "version",        OPT_FLAG, AT(version), NULL, "the version" },
    { 1, 'W', "wckeys",         OPT_CALL, AT(wckeys), "NAMES", "jobs with these wckeys", add_words },
    { 1, 0,   "whole-hetjob",   OPT_CALL, 0, "[yes|no]",
              "all components of a heterogeneous job, or the one that was named", set_whole_het },
    DOCUMENT_OPTS(offsetof(struct sacct, doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set sacct_set = { "sacct", 0, options, "[OPTIONS]", true, .no_hint = true };

/* ---- jobs ---- */

static int bad_job(const char *text, int why)
{
    if (why && isdigit((unsigned char)*text))
        say_fatal("Bad job/step specified: %s: %s", text, err_text(why));
    else
        say_fatal("Bad job/step specified: %s", text);
    return 1;
}

/* "12+1": a component of a heterogeneous job; stepid knows the rest. */
static int parse_job(const char *text, struct stepid *id, uint32_t *het, bool *has_het)
{
    const char *plus = strchr(text, '+'), *dot = strchr(text, '.');
    *has_het = false;
    if (strchr(text, '['))
        return ESLURM_INVALID_JOB_ID_NON_NUMERIC;
    if (!plus || (dot && dot < plus))
        return stepid_parse(text, id);
    size_t len = (size_t)(plus - text), digits = strspn(plus + 1, "0123456789");
    auto_free char *number = mem_strn(plus + 1, digits);
    auto_free char *rest = mem_printf("%.*s%s", (int)len, text, plus + 1 + digits);
    uint64_t n;
    if (!str_u64(number, 0, UINT32_MAX - 2, &n) || (plus[1 + digits] && plus[1 + digits] != '.'))
        return ESLURM_INVALID_HET_JOB_COMP_NON_NUMERIC;
    *has_het = true;
    *het = (uint32_t)n;
    return stepid_parse(rest, id);
}

static int read_jobs(struct sacct *s)
{
    for (size_t i = 0; i < s->jobs.n; i++) {
        struct stepid id;
        uint32_t het = 0;
        bool has_het;
        int rc = parse_job(s->jobs.at[i], &id, &het, &has_het);
        if (rc)
            return bad_job(s->jobs.at[i], rc);
        Pb__JobRef *r = NEW(Pb__JobRef);
        pb__job_ref__init(r);
        r->job = id.job;
        r->has_task = id.has_task, r->task = id.task;
        r->has_step = id.has_step, r->step = id.step;
        r->has_het = has_het, r->het = het;
        vec_push(&s->refs, r);
        vec_push(&s->ids, id);
    }
    s->query.jobs = s->refs.at;
    s->query.n_jobs = s->refs.n;
    s->query.exact_het = s->exact_het;
    return 0;
}

/* ---- users and groups ---- */

static int read_users(struct sacct *s)
{
    for (size_t i = 0; i < s->users.n; i++) {
        uint32_t uid;
        if (!names_find_user(s->users.at[i], &uid)) {
            say_error("Invalid user id: %s", s->users.at[i]);
            return 1;
        }
        vec_push(&s->uids, uid);
    }
    if (!s->users.n && !s->all_users && !s->jobs.n && getuid())
        vec_push(&s->uids, getuid());
    s->query.uid = s->uids.at;
    s->query.n_uid = s->uids.n;
    return 0;
}

static int read_groups(struct sacct *s)
{
    for (size_t i = 0; i < s->groups.n; i++) {
        const char *name = s->groups.at[i];
        const struct group *g = getgrnam(name);
        uint64_t gid = g ? g->gr_gid : 0;
        if (!g && !str_u64(name, 0, UINT32_MAX - 1, &gid)) {
            say_error("Invalid group id: %s", name);
            return 1;
        }
        vec_push(&s->gids, (uint32_t)gid);
    }
    s->query.gid = s->gids.at;
    s->query.n_gid = s->gids.n;
    return 0;
}

/* ---- states and reasons ---- */

/* The states that are accounted: those that a record can have, and what becomes of an attempt. */
static bool is_accounted(uint32_t state, const char *name)
{
    return state < JOB_STATE_COUNT || state == JOB_REQUEUE_FLAG || str_ieq(name, "RS") || str_ieq(name, "resizing") ||
           str_ieq(name, "RV") || str_ieq(name, "revoked");
}

static int read_states(struct sacct *s)
{
    for (size_t i = 0; i < s->states.n; i++) {
        const char *name = s->states.at[i];
        uint32_t state;
        bool known = state_find(name, &state);
        if (!known)
            say_fatal("unrecognized job state value '%s'", name);
        else if (!is_accounted(state, name))
            say_fatal("job state %s is not supported / accounted", name);
        if (!known || !is_accounted(state, name))
            return 1;
        vec_push(&s->state_codes, state);
    }
    s->query.state = s->state_codes.at;
    s->query.n_state = s->state_codes.n;
    return 0;
}

static int read_reasons(const struct sacct *s)
{
    for (size_t i = 0; i < s->reasons.n; i++) {
        bool known = false;
        for (int code = 0; code < WHY_COUNT && !known; code++)
            known = str_ieq(why_name((enum why_code)code), s->reasons.at[i]);
        if (!known) {
            say_fatal("unrecognized job reason value '%s'", s->reasons.at[i]);
            return 1;
        }
    }
    return 0;
}

static int read_flags(const struct sacct *s)
{
    static const char *const known[] = { "SchedSubmit", "SchedMain", "SchedBackfill", "StartReceived" };
    for (size_t i = 0; i < s->flags.n; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(known) && !str_ieq(known[k], s->flags.at[i]))
            k++;
        if (k == ARRAY_LEN(known)) {
            say_error("str_2_job_flags: Invalid job flag %s", s->flags.at[i]);
            return 1;
        }
    }
    return 0;
}

/* ---- time ---- */

static int parse_time(const char *text, time_t now, int64_t *out)
{
    struct err err = ERR_INIT;
    time_t at;
    if (time_past_parse(text, now, &at, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    *out = at;
    return 0;
}

static int64_t midnight(time_t now)
{
    struct tm tm;
    localtime_r(&now, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    return mktime(&tm);
}

static void say_window(const struct sacct *s)
{
    char from[64] = "Epoch 0", to[64];
    time_t start = s->query.start_s, end = s->query.end_s;
    struct tm tm;
    auto_buf struct buf what = BUF_INIT;
    if (start && localtime_r(&start, &tm))
        strftime(from, sizeof(from), "%a %b %d %H:%M:%S %Y", &tm);
    localtime_r(&end, &tm);
    strftime(to, sizeof(to), "%a %b %d %H:%M:%S %Y", &tm);
    for (size_t i = 0; i < s->state_codes.n; i++)
        buf_addf(&what, "%s%s", i ? "," : "", job_state_name(s->state_codes.at[i]));
    say_verbose(s->verbose, "Jobs %s in the time window from %s to %s", what.len ? what.s : "Eligible", from, to);
}

/* What -S and -E mean without a value depends on -j and -s. */
static int read_window(struct sacct *s)
{
    time_t now = (time_t)s->now_s;
    bool states = s->states.n != 0, jobs = s->jobs.n != 0;
    int64_t start = jobs ? 0 : states ? now : midnight(now);
    if (s->start && parse_time(s->start, now, &start))
        return 1;
    int64_t end = states && s->start ? start + 1 : now + (states && !jobs);
    if (s->end && parse_time(s->end, now, &end))
        return 1;
    if (start > end) {
        char from[TIME_TEXT], to[TIME_TEXT];
        say_error("Start time (%s) requested is after end time (%s).", time_stamp(from, (time_t)start, "Unknown"),
                  time_stamp(to, (time_t)end, "Unknown"));
        return 1;
    }
    s->query.start_s = start;
    s->query.end_s = end;
    say_window(s);
    if (s->end && !states && end > start)
        s->query.end_s--; /* eligible before that second */
    return 0;
}

/* ---- amounts ---- */

static int parse_range(const char *text, const char *what, uint32_t *min, uint32_t *max)
{
    if (!text)
        return 0;
    auto_free char *copy = mem_str(text);
    char *dash = strchr(copy, '-');
    uint64_t low, high;
    if (dash)
        *dash = '\0';
    if (!str_u64(copy, 0, UINT32_MAX - 2, &low) || (dash && !str_u64(dash + 1, 0, UINT32_MAX - 2, &high))) {
        say_error("Invalid numeric value \"%s\" for requested %s range.", text, what);
        return 1;
    }
    *min = (uint32_t)low;
    *max = (uint32_t)(dash ? high : low);
    return 0;
}

static int parse_limit(const char *text, uint32_t *minutes)
{
    if (!text || !time_limit_parse(text, minutes, NULL))
        return 0;
    say_fatal("Invalid time limit specification");
    return 1;
}

static int read_amounts(struct sacct *s)
{
    Pb__HistoryQuery *q = &s->query;
    int rc = parse_range(s->cpu_range, "cpu", &q->min_cpus, &q->max_cpus);
    if (!rc)
        rc = parse_range(s->node_range, "node", &q->min_nodes, &q->max_nodes);
    if (!rc)
        rc = parse_limit(s->limit_min, &q->min_limit_min);
    if (!rc)
        rc = parse_limit(s->limit_max, &q->max_limit_min);
    if (!s->limit_min)
        q->max_limit_min = 0;
    else if (!s->limit_max)
        q->max_limit_min = q->min_limit_min;
    return rc;
}

/* ---- the rest ---- */

static int check_combination(const struct sacct *s)
{
    const char *wrong = NULL;
    if (s->script && s->environment)
        wrong = "Options --batch-script and --env-vars are mutually exclusive";
    else if (s->script && !s->jobs.n)
        wrong = "When requesting job scripts you must also request specific jobs with the '-j' option.";
    else if (s->environment && !s->jobs.n)
        wrong = "When requesting job environment you must also request specific jobs with the '-j' option.";
    else if (s->long_list && s->format.n)
        wrong = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.";
    if (wrong)
        say_fatal("%s", wrong);
    return wrong != NULL;
}

static void read_clusters(struct sacct *s, const char *here)
{
    s->other_cluster = s->clusters.n && !s->all_clusters;
    for (size_t i = 0; i < s->clusters.n; i++)
        if (str_ieq(s->clusters.at[i], here) || str_ieq(s->clusters.at[i], "all"))
            s->other_cluster = false;
}

static void set_words(char ***list, size_t *n, const struct strs *words)
{
    *list = words->at;
    *n = words->n;
}

static void fill_words(struct sacct *s)
{
    Pb__HistoryQuery *q = &s->query;
    set_words(&q->account, &q->n_account, &s->accounts);
    set_words(&q->partition, &q->n_partition, &s->parts);
    set_words(&q->qos, &q->n_qos, &s->qos);
    set_words(&q->name, &q->n_name, &s->names);
    set_words(&q->wckey, &q->n_wckey, &s->wckeys);
    set_words(&q->node, &q->n_node, &s->node_names);
    q->duplicates = s->duplicates;
    q->steps = !s->allocations && !s->script && !s->environment;
}

static int read_nodes(struct sacct *s)
{
    struct err err = ERR_INIT;
    if (s->nodes && hostlist_expand(s->nodes, &s->node_names, &err)) {
        say_error("Invalid argument");
        return 1;
    }
    return 0;
}

int sacct_read(struct sacct *s)
{
    int rc = read_jobs(s);
    if (!rc)
        rc = read_users(s);
    if (!rc)
        rc = read_groups(s);
    if (!rc)
        rc = read_states(s);
    if (!rc)
        rc = read_reasons(s);
    if (!rc)
        rc = read_flags(s);
    if (!rc)
        rc = read_amounts(s);
    if (!rc)
        rc = check_combination(s);
    if (!rc)
        rc = read_window(s);
    if (!rc)
        rc = read_nodes(s);
    read_clusters(s, client_site(s->client)->cluster);
    fill_words(s);
    return rc;
}

void sacct_clear(struct sacct *s)
{
    for (size_t i = 0; i < s->refs.n; i++)
        free(s->refs.at[i]);
    vec_clear(&s->refs);
    vec_clear(&s->ids);
    vec_clear(&s->uids);
    vec_clear(&s->gids);
    vec_clear(&s->state_codes);
    struct strs *const lists[] = { &s->jobs,   &s->accounts, &s->assocs, &s->clusters, &s->constraints, &s->flags,
                                   &s->groups, &s->names,    &s->qos,    &s->parts,    &s->reasons,     &s->states,
                                   &s->users,  &s->wckeys,   &s->format, &s->node_names };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        strs_clear(lists[i]);
    show_columns_clear(&s->columns);
    buf_clear(&s->out);
    if (s->tree)
        client_free(&s->tree->base);
    client_close(s->client);
}
