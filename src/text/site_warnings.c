/* site_warnings - what Slurm would complain about and go on: told once at the start. */
#include "base/map.h"
#include "base/str.h"
#include "text/gres.h"
#include "text/site.h"

struct warnings {
    const struct site *s;
    site_warning_fn *each;
    void *arg;
};

static void warn_line(const struct warnings *d, const struct conf_line *at, const char *what, const char *text)
{
    auto_free char *sentence = mem_printf("%s:%u: %s %s", at->file, at->number, what, text);
    d->each(d->arg, sentence);
}

/* Keys of which there may be several. */
static bool key_repeats(const char *key)
{
    return str_ieq(key, "SlurmctldHost") || str_has_iprefix(key, "Prolog") || str_has_iprefix(key, "Epilog");
}

static void said_twice(const struct warnings *d)
{
    struct smap seen = { 0 };
    for (size_t i = 0; i < d->s->conf.line.n; i++) {
        const struct conf_line *line = &d->s->conf.line.at[i];
        const char *key = d->s->conf.pair.at[line->first].key;
        if (conf_line_kind(key) != CONF_GLOBAL || key_repeats(key))
            continue;
        const struct conf_key *known = conf_key_find(CONF_GLOBAL, key);
        if (known && smap_put(&seen, known->name, (void *)known))
            warn_line(d, line, known->name, "is said more than once, the last value counts");
    }
    smap_clear(&seen);
}

static void odd_cpus(const struct warnings *d, const struct site_node *n)
{
    const struct conf_line *line = &d->s->conf.line.at[n->line];
    const char *cpus = conf_line_value(&d->s->conf, line, "CPUs");
    uint64_t said;
    if (!cpus || !str_u64(cpus, 1, UINT32_MAX, &said) || said == n->cpus)
        return;
    auto_free char *text = mem_printf(
        "has CPUs=%s, which is neither its sockets nor its cores nor its threads: %u counts", cpus, n->cpus);
    warn_line(d, line, n->name, text);
}

static void odd_gres(const struct warnings *d, const struct site_node *n)
{
    auto_gres struct gres_list list = GRES_INIT;
    if (str_empty(n->gres) || gres_parse_node(n->gres, &list, NULL))
        return;
    for (size_t i = 0; i < list.n; i++)
        if (!d->s->gres_types || !str_in_list(d->s->gres_types, list.at[i].name)) {
            auto_free char *text = mem_printf("has gres %s, which GresTypes does not name", list.at[i].name);
            warn_line(d, &d->s->conf.line.at[n->line], n->name, text);
        }
}

/* Each stands for the flag and more; what is more is not there. */
static void prolog_flags(const struct warnings *d)
{
    static const char *const missing[] = { "Contain", "DeferBatch", "RunInJob", "Serial", "X11" };
    for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
        if (str_empty(d->s->prolog_flags) || !str_in_list(d->s->prolog_flags, missing[i]))
            continue;
        auto_free char *text = mem_printf("PrologFlags=%s is not acted on by this release%s", missing[i],
                                          str_eq(missing[i], "Serial") ? "" : ", but for the Alloc that it implies");
        d->each(d->arg, text);
    }
}

static void task_params(const struct warnings *d)
{
    static const char *const missing[] = { "SlurmdOffSpec", "SlurmdSpecOverride" };
    const char *params = site_value(d->s, "TaskPluginParam");
    for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
        if (!params || !str_in_list(params, missing[i]))
            continue;
        auto_free char *text = mem_printf("TaskPluginParam=%s is not acted on by this release", missing[i]);
        d->each(d->arg, text);
    }
}

/* Words of a list that nothing acts on.  `heeded`: up to a NULL; a value may follow such a word. */
static void warn_unheeded(const struct warnings *d, const char *key, const char *list, const char *const *heeded)
{
    const char *pos = str_or(list, "");
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *word = next;
        const char *const *h = heeded;
        while (*h && !str_has_iprefix(word, *h))
            h++;
        if (*h)
            continue;
        auto_free char *text = mem_printf("%s=%s is not acted on by this release", key, word);
        d->each(d->arg, text);
    }
}

static void launch_words(const struct warnings *d)
{
    static const char *const heeded[] = { "use_interactive_step", NULL };
    warn_unheeded(d, "LaunchParameters", d->s->launch_parameters, heeded);
}

/* The rate limit alone (ctl/budget.h). */
static void controller_words(const struct warnings *d)
{
    static const char *const heeded[] = { "rl_bucket_size", "rl_enable",     "rl_log_freq", "rl_refill_period",
                                          "rl_refill_rate", "rl_table_size", NULL };
    warn_unheeded(d, "SlurmctldParameters", d->s->slurmctld_parameters, heeded);
}

/* Nothing polls, so how often and how long the scheduler may look has no meaning here. */
static void scheduler_words(const struct warnings *d)
{
    /* those of the last row are so in any case */
    static const char *const heeded[] = {
        "allow_zero_lic",      "bf_hetjob_prio",       "bf_max_job_array_resv", "bf_max_job_test",
        "bf_min_age_reserve",  "bf_min_prio_reserve",  "bf_window=",            "disable_hetjob_steps",
        "disable_job_shrink",  "enable_hetjob_steps",  "enable_user_top",       "ignore_constraint_validation",
        "kill_invalid_depend", "ignore_prefer_validation", "max_array_tasks",   "max_script_size",
        "max_submit_line_size", "max_switch_wait",     "nohold_on_prolog_fail", "pack_serial_at_end",
        "permit_job_expansion", "requeue_delay",       "spec_cores_first",
        "bf_hetjob_immediate", "bf_licenses",          "bf_one_resv_per_job",   NULL };
    warn_unheeded(d, "SchedulerParameters", d->s->scheduler_parameters, heeded);
}

static void two_defaults(const struct warnings *d)
{
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < d->s->conf.line.n; i++) {
        const struct conf_line *line = &d->s->conf.line.at[i];
        const char *yes = conf_line_kind(d->s->conf.pair.at[line->first].key) == CONF_PART
                              ? conf_line_value(&d->s->conf, line, "Default")
                              : NULL;
        if (!yes || !(str_ieq(yes, "YES") || str_ieq(yes, "TRUE") || str_eq(yes, "1")) ||
            str_ieq(d->s->conf.pair.at[line->first].value, "DEFAULT"))
            continue;
        if (before != SIZE_MAX)
            warn_line(d, line, d->s->conf.pair.at[line->first].value, "is a second default partition, the last counts");
        before = i;
    }
}

/* Of preemption's words: what is not acted on is said. */
static void preempt_words(const struct warnings *d)
{
    static const char *const heeded[] = { "youngest_first",
                                          "min_exempt_priority",
                                          "reclaim_licenses",
                                          "send_user_signal",
                                          "suspend_grace_time",
                                          "reorder_count",
                                          "strict_order", /* no more than have to go in any case */
                                          NULL };
    warn_unheeded(d, "PreemptParameters", site_value(d->s, "PreemptParameters"), heeded);
    const char *mode = str_or(d->s->preempt_mode, "");
    if (strcasestr(mode, "SUSPEND") && !strcasestr(mode, "GANG"))
        d->each(d->arg, "PreemptMode=SUSPEND needs GANG beside it: no suspended job would be resumed");
}

/* Of SelectTypeParameters these say how, and nothing here does it that way. */
static void select_words(const struct warnings *d)
{
    static const char *const missing[] = { "CR_PACK_NODES", "LL_SHARED_GRES", "MULTIPLE_SHARING_GRES_PJ",
                                           "ONE_TASK_PER_SHARING_GRES" };
    for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
        if (!str_in_list(str_or(d->s->select_type_parameters, ""), missing[i]))
            continue;
        auto_free char *text = mem_printf("SelectTypeParameters=%s is not acted on by this release", missing[i]);
        d->each(d->arg, text);
    }
}

/* Words of AccountingStorageEnforce that are not acted on. */
static void account_words(const struct warnings *d)
{
    static const char *const missing[] = { "wckeys", "nojobs", "nosteps" };
    const char *value = str_or(site_value(d->s, "AccountingStorageEnforce"), "");
    for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
        if (!str_in_list(value, missing[i]))
            continue;
        auto_free char *text = mem_printf("AccountingStorageEnforce=%s is not acted on by this release", missing[i]);
        d->each(d->arg, text);
    }
}

void site_warnings(const struct site *s, site_warning_fn *each, void *arg)
{
    struct warnings d = { s, each, arg };
    if (!s->conf.line.n)
        return;
    said_twice(&d);
    two_defaults(&d);
    prolog_flags(&d);
    preempt_words(&d);
    select_words(&d);
    task_params(&d);
    account_words(&d);
    launch_words(&d);
    scheduler_words(&d);
    controller_words(&d);
    for (size_t i = 0; i < s->nnodes; i++) {
        /* One line may stand for thousands of nodes: its first speaks for all. */
        if (i && s->node[i].line == s->node[i - 1].line)
            continue;
        odd_cpus(&d, &s->node[i]);
        odd_gres(&d, &s->node[i]);
    }
}
