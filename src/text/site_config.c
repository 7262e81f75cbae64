/*
 * site_config - the body of `scontrol show config`: every key in Slurm's order, spelling and units.
 */

#include "base/str.h"
#include "text/site.h"
#include "text/strs.h"
#include "text/time.h"

struct shown;
typedef void show_fn(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out);

struct shown {
    const char *name; /* the label, and the key where there is one */
    const char *unit;
    const char *endless; /* for the largest of the type */
    const char *unset;   /* for NULL; "(null)" unless said */
    show_fn *fn;         /* rows that are not simply the key's value */
};

static void show_line(struct buf *out, const char *label, const char *value)
{
    buf_addf(out, "%-23s = %s\n", label, value ? value : "(null)");
}

static void show_number(struct buf *out, const char *label, uint64_t n, const char *unit)
{
    buf_addf(out, "%-23s = %llu%s%s\n", label, (unsigned long long)n, unit ? " " : "", unit ? unit : "");
}

/* ---- words that bring others with them ---- */

static const struct {
    const char *key, *word, *means;
} implied[] = {
    { "AccountingStorageEnforce", "all", "associations,limits,qos,safe,wckeys" },
    { "AccountingStorageEnforce", "limits", "associations,limits" },
    { "AccountingStorageEnforce", "nojobs", "nojobs,nosteps" },
    { "AccountingStorageEnforce", "qos", "associations,qos" },
    { "AccountingStorageEnforce", "safe", "associations,limits,safe" },
    { "AccountingStorageEnforce", "wckeys", "associations,wckeys" },
    { "PriorityFlags", "DEPTH_OBLIVIOUS", "DEPTH_OBLIVIOUS,NO_FAIR_TREE" },
    { "PriorityFlags", "FAIR_TREE", "" },
    { "PriorityFlags", "MAX_TRES_GRES", "MAX_TRES_GRES" },
    { "PrivateData", "all", "accounts,events,jobs,nodes,partitions,reservations,usage,users" },
    { "PrologFlags", "Contain", "Alloc,Contain" },
    { "PrologFlags", "DeferBatch", "Alloc,DeferBatch" },
    { "PrologFlags", "ForceRequeueOnFail", "Alloc,ForceRequeueOnFail" },
    { "PrologFlags", "NoHold", "Alloc,NoHold" },
    { "PrologFlags", "RunInJob", "Alloc,Contain,RunInJob" },
    { "PrologFlags", "X11", "Alloc,Contain,X11" },
};

/* `value` with each word replaced by what it means; yours. */
static char *with_implied(const char *key, const char *value)
{
    auto_buf struct buf all = BUF_INIT;
    for (const char *pos = value;;) {
        auto_free char *word = str_next(&pos, ",");
        if (!word)
            return buf_take(&all);
        const char *means = word;
        for (size_t i = 0; i < ARRAY_LEN(implied); i++)
            if (str_eq(implied[i].key, key) && str_ieq(implied[i].word, word))
                means = implied[i].means;
        buf_addf(&all, "%s%s", all.len ? "," : "", means);
    }
}

/* ---- the value of a key ---- */

static uint64_t largest_value(enum conf_type type)
{
    return type == CONF_U16 ? UINT16_MAX : type == CONF_U64 ? UINT64_MAX : UINT32_MAX;
}

static void show_parsed(const struct shown *row, const struct conf_key *key, const struct conf_value *v,
                        struct buf *out)
{
    char text[TIME_TEXT];
    switch (key->type) {
    case CONF_BOOL: show_line(out, row->name, v->number ? "yes" : "no"); return;
    case CONF_U16:
    case CONF_U32:
    case CONF_U64:
    case CONF_IDLE:
    case CONF_MINUTES:
        if (row->endless && v->number == largest_value(key->type))
            show_line(out, row->name, row->endless);
        else
            show_number(out, row->name, v->number, row->unit);
        return;
    case CONF_SECONDS:
        show_line(out, row->name,
                  row->endless && v->number == UINT32_MAX ? row->endless : time_secs_text(text, v->number));
        return;
    case CONF_WORDS:
    case CONF_FLAGS: /* no word that is known: as if it were not set */
        show_line(out, row->name, *v->text ? v->text : row->unset);
        return;
    case CONF_TEXT:
    case CONF_LIST:
    case CONF_HOSTS:
    case CONF_WORD:
    case CONF_LEVEL:
    case CONF_PORTS:
    case CONF_MANY:
    case CONF_GONE: show_line(out, row->name, v->text); return;
    }
}

static void show_value(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const struct conf_key *key = conf_key_find(CONF_GLOBAL, row->name);
    const char *value = site_value(s, row->name);
    auto_buf struct buf scratch = BUF_INIT;
    struct conf_value v;
    (void)f;
    if (!key || !value) {
        show_line(out, row->name, row->unset);
        return;
    }
    bool words = key->type == CONF_WORDS || key->type == CONF_FLAGS;
    auto_free char *all = words ? with_implied(key->name, value) : mem_str(value);
    if (!conf_value_parse(key, all, &v, &scratch, NULL))
        show_parsed(row, key, &v, out);
}

/* ---- rows with a mind of their own ---- */

/* A plugin called none is no plugin. */
static void show_plugin(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const char *value = site_value(s, row->name);
    (void)f;
    show_line(out, row->name, str_ieq(value, "none") || str_has_suffix(value, "/none") ? NULL : value);
}

static void show_fixed(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    static const char *const values[][2] = { { "HASH_VAL", "Match" },
                                             { "MULTIPLE_SLURMD", "yes" },
                                             { "JobCompPass", NULL } };
    (void)s, (void)f;
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        if (str_eq(values[i][0], row->name))
            show_line(out, row->name, values[i][1]);
}

static void show_boot(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    char text[TIME_TEXT];
    (void)s;
    show_line(out, row->name, time_stamp(text, f->boot, "Unknown"));
}

static void show_next_job(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)s;
    show_number(out, row->name, f->next_job_id, NULL);
}

static void show_node_count(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const char *value = site_value(s, row->name);
    if (value)
        show_line(out, row->name, value);
    else
        show_number(out, row->name, f->node_count ? f->node_count : s->nnodes, NULL);
}

static void show_path(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_line(out, row->name, s->path);
}

static void show_version(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)s;
    show_line(out, row->name, f->version);
}

static void show_cluster(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_line(out, row->name, s->cluster);
}

static void show_max_job_count(const struct shown *row, const struct site *s, const struct site_facts *f,
                               struct buf *out)
{
    (void)f;
    show_number(out, row->name, s->max_job_count, NULL);
}

static void show_max_job_id(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_number(out, row->name, s->max_job_id, NULL);
}

static void show_min_job_age(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_number(out, row->name, s->min_job_age_s, "sec");
}

static void show_requeue(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_number(out, row->name, s->job_requeue, NULL);
}

static void show_unkillable(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    show_number(out, row->name, s->unkillable_step_timeout_s, "sec");
}

/* "6000-6010", or no range at all */
static void show_port_range(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    unsigned from = 0, to = 0;
    (void)f;
    if (sscanf(str_or(site_value(s, row->name), ""), "%5u-%5u", &from, &to) != 2)
        from = to = 0;
    buf_addf(out, "%-23s = %u-%u\n", row->name, from, to);
}

/* Only select/cons_tres has a default. */
static void show_select(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    if (s->select_type_parameters)
        show_line(out, row->name, s->select_type_parameters);
}

/* Old words for no topology. */
static void show_topology(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    static const char *const flat[] = { "none", "topology/none", "default", "topology/default" };
    const char *plugin = s->topology_plugin;
    for (size_t i = 0; i < ARRAY_LEN(flat); i++)
        if (str_ieq(s->topology_plugin, flat[i]))
            plugin = "topology/flat";
    show_line(out, row->name, plugin);
}

/* "root(0)" */
static void show_user(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const char *name = site_value(s, row->name);
    uint64_t uid;
    if (!str_u64(name, 0, UINT32_MAX, &uid))
        uid = str_eq(row->name, "SlurmUser") ? f->slurm_uid : f->slurmd_uid;
    buf_addf(out, "%-23s = %s(%llu)\n", row->name, name, (unsigned long long)uid);
}

static void show_memory(struct buf *out, const char *name, uint64_t per_cpu, uint64_t per_node)
{
    auto_free char *cpu = mem_printf("%sPerCPU", name), *node = mem_printf("%sPerNode", name);
    if (per_cpu)
        show_number(out, cpu, per_cpu, NULL);
    else if (per_node)
        show_number(out, node, per_node, NULL);
    else
        show_line(out, node, "UNLIMITED");
}

static void show_def_mem(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)row, (void)f;
    show_memory(out, "DefMem", s->def_mem_per_cpu_mb, s->def_mem_per_node_mb);
}

static void show_max_mem(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)row, (void)f;
    show_memory(out, "MaxMem", s->max_mem_per_cpu_mb, s->max_mem_per_node_mb);
}

static void show_job_defaults(const struct shown *row, const struct site *s, const struct site_facts *f,
                              struct buf *out)
{
    auto_buf struct buf text = BUF_INIT;
    (void)f;
    if (s->def_cpu_per_gpu)
        buf_addf(&text, "DefCpuPerGPU=%llu", (unsigned long long)s->def_cpu_per_gpu);
    if (s->def_mem_per_gpu_mb)
        buf_addf(&text, "%sDefMemPerGPU=%llu", text.len ? "," : "", (unsigned long long)s->def_mem_per_gpu_mb);
    show_line(out, row->name, text.s);
}

static void show_controllers(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    (void)f;
    for (size_t i = 0; i < s->nctl; i++) {
        const struct site_ctl *c = &s->ctl[i];
        auto_free char *label = mem_printf("%s[%zu]", row->name, i);
        auto_free char *value = str_eq(c->name, c->host) ? mem_str(c->name) : mem_printf("%s(%s)", c->name, c->host);
        show_line(out, label, value);
    }
}

/* Prolog[0], Prolog[1] ...: only those that are there. */
static void show_programs(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const struct conf_key *key = conf_key_find(CONF_GLOBAL, row->name);
    auto_strs struct strs programs = STRS_INIT;
    const char *all = *(char *const *)(const void *)((const char *)s + key->at - 1);
    (void)f;
    if (all)
        strs_split(&programs, all, "\n");
    for (size_t i = 0; i < programs.n; i++) {
        auto_free char *label = mem_printf("%s[%zu]", row->name, i);
        show_line(out, label, programs.at[i]);
    }
}

/* One line when both are the same. */
static void show_prolog_timeouts(const struct shown *row, const struct site *s, const struct site_facts *f,
                                 struct buf *out)
{
    uint16_t both = s->prolog_epilog_timeout_s;
    uint16_t prolog = s->prolog_timeout_s == SITE_NONE16 ? both : s->prolog_timeout_s;
    uint16_t epilog = s->epilog_timeout_s == SITE_NONE16 ? both : s->epilog_timeout_s;
    (void)f;
    if (prolog == epilog) {
        show_number(out, row->name, prolog, NULL);
        return;
    }
    show_number(out, "EpilogTimeout", epilog, NULL);
    show_number(out, "PrologTimeout", prolog, NULL);
}

/* task/ before each name, cgroup before affinity, and none is nothing. */
static void show_tasks(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    auto_strs struct strs names = STRS_INIT;
    auto_buf struct buf text = BUF_INIT;
    (void)f;
    strs_split(&names, str_or(site_value(s, row->name), ""), ",");
    for (size_t i = names.n; i-- > 0;) {
        const char *slash = strrchr(names.at[i], '/'), *name = slash ? slash + 1 : names.at[i];
        if (!str_eq(name, "none"))
            buf_addf(&text, "%stask/%s", text.len ? "," : "", name);
    }
    show_line(out, row->name, text.s);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is always counted and what the site adds; a GPU brings its use and its memory. */
static void show_tres(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    const struct conf_key *key = conf_key_find(CONF_GLOBAL, row->name);
    const char *value = site_value(s, row->name);
    (void)f;
    if (str_eq(value, key->dflt)) {
        show_line(out, row->name, value);
        return;
    }
    auto_strs struct strs all = STRS_INIT, unique = STRS_INIT;
    strs_split(&all, key->dflt, ",");
    strs_split(&all, value, ",");
    if (strs_has(&all, "gres/gpu"))
        strs_split(&all, "gres/gpumem,gres/gpuutil", ",");
    qsort(all.at, all.n, sizeof(*all.at), by_name);
    for (size_t i = 0; i < all.n; i++)
        if (!i || !str_eq(all.at[i], all.at[i - 1]))
            strs_add(&unique, all.at[i]);
    auto_free char *text = strs_join(&unique, ",");
    show_line(out, row->name, text);
}

/* Spur's own keys, only where the file names them: tools that read Slurm's list find nothing new. */
static void show_own(const struct shown *row, const struct site *s, const struct site_facts *f, struct buf *out)
{
    size_t n;
    const struct conf_key *key = conf_keys(CONF_GLOBAL, &n);
    (void)f;
    for (size_t i = 0; i < n; i++)
        if (s->value[i] && str_has_prefix(key[i].name, row->name))
            show_line(out, key[i].name, s->value[i]);
}

/* clang-format off */
static const struct shown rows[] = {
    { "AccountingStorageBackupHost" }, { "AccountingStorageEnforce" }, { "AccountingStorageHost" },
    { "AccountingStorageExternalHost" }, { "AccountingStorageParameters" }, { "AccountingStoragePort" },
    { "AccountingStorageTRES", .fn = show_tres }, { "AccountingStorageType", .fn = show_plugin },
    { "AccountingStoreFlags" }, { "AcctGatherEnergyType", .fn = show_plugin },
    { "AcctGatherFilesystemType", .fn = show_plugin }, { "AcctGatherInterconnectType", .fn = show_plugin },
    { "AcctGatherNodeFreq", .unit = "sec" }, { "AcctGatherProfileType", .fn = show_plugin },
    { "AllowSpecResourcesUsage" }, { "AuthAltTypes" }, { "AuthAltParameters" }, { "AuthInfo" }, { "AuthType" },
    { "BatchStartTimeout", .unit = "sec" }, { "BcastExclude" }, { "BcastParameters" },
    { "BOOT_TIME", .fn = show_boot }, { "BurstBufferType" }, { "CertgenParameters" }, { "CertgenType" },
    { "CertmgrParameters" }, { "CertmgrType" }, { "CliFilterParameters" }, { "CliFilterPlugins" },
    { "ClusterName", .fn = show_cluster }, { "CommunicationParameters" }, { "CompleteWait", .unit = "sec" },
    { "CpuFreqDef" }, { "CpuFreqGovernors" }, { "CredType" }, { "DataParserParameters" }, { "DebugFlags" },
    { "DefMemPerNode", .fn = show_def_mem }, { "DependencyParameters" }, { "DisableRootJobs" }, { "EioTimeout" },
    { "EnforcePartLimits" }, { "Epilog", .fn = show_programs }, { "EpilogMsgTime", .unit = "usec" },
    { "EpilogSlurmctld", .fn = show_programs }, { "FairShareDampeningFactor" }, { "FederationParameters" },
    { "FirstJobId" }, { "GresTypes" }, { "GpuFreqDef" }, { "GroupUpdateForce" }, { "GroupUpdateTime", .unit = "sec" },
    { "HASH_VAL", .fn = show_fixed }, { "HashPlugin" }, { "HealthCheckInterval", .unit = "sec" },
    { "HealthCheckNodeState" }, { "HealthCheckProgram" }, { "HealthCheckTimeout", .unit = "sec" },
    { "HttpParserType" }, { "InactiveLimit", .unit = "sec" }, { "InteractiveStepOptions" },
    { "JobAcctGatherFrequency" }, { "JobAcctGatherType", .fn = show_plugin }, { "JobAcctGatherParams" },
    { "JobCompHost" }, { "JobCompLoc" }, { "JobCompParams" }, { "JobCompPass", .fn = show_fixed }, { "JobCompPort" },
    { "JobCompType", .fn = show_plugin }, { "JobCompUser" }, { "JobDefaults", .fn = show_job_defaults },
    { "JobFileAppend" }, { "JobRequeue", .fn = show_requeue }, { "JobSubmitPlugins" }, { "KillOnBadExit" },
    { "KillWait", .unit = "sec" }, { "LaunchParameters" }, { "LicenseParameters" }, { "Licenses" },
    { "LogTimeFormat" }, { "MailDomain" }, { "MailProg" }, { "MaxArraySize" }, { "MaxBatchRequeue" },
    { "MaxDBDMsgs" }, { "MaxJobCount", .fn = show_max_job_count }, { "MaxJobId", .fn = show_max_job_id },
    { "MaxMemPerNode", .fn = show_max_mem }, { "MaxNodeCount", .fn = show_node_count }, { "MaxStepCount" },
    { "MaxTasksPerNode" }, { "MCSPlugin", .fn = show_plugin }, { "MCSParameters" },
    { "MessageTimeout", .unit = "sec" }, { "MetricsAuthUsers" }, { "MetricsParameters" }, { "MetricsType" },
    { "MinJobAge", .fn = show_min_job_age }, { "MpiDefault", .fn = show_plugin }, { "MpiParams" },
    { "MULTIPLE_SLURMD", .fn = show_fixed }, { "NamespaceType" }, { "NEXT_JOB_ID", .fn = show_next_job },
    { "NodeFeaturesPlugins" }, { "OverTimeLimit", .unit = "min", .endless = "UNLIMITED" }, { "PluginDir" },
    { "PlugStackConfig" }, { "PreemptMode" }, { "PreemptParameters" }, { "PreemptType", .fn = show_plugin },
    { "PreemptExemptTime", .endless = "NONE" }, { "PrEpParameters" }, { "PrEpPlugins" }, { "PriorityParameters" },
    { "PrioritySiteFactorParameters" }, { "PrioritySiteFactorPlugin" }, { "PriorityDecayHalfLife" },
    { "PriorityCalcPeriod" }, { "PriorityFavorSmall" }, { "PriorityFlags", .unset = "" }, { "PriorityMaxAge" },
    { "PriorityType" }, { "PriorityUsageResetPeriod" }, { "PriorityWeightAge" }, { "PriorityWeightAssoc" },
    { "PriorityWeightFairShare" }, { "PriorityWeightJobSize" }, { "PriorityWeightPartition" },
    { "PriorityWeightQOS" }, { "PriorityWeightTRES" }, { "PrivateData" }, { "ProctrackType" },
    { "Prolog", .fn = show_programs }, { "PrologEpilogTimeout", .fn = show_prolog_timeouts },
    { "PrologSlurmctld", .fn = show_programs }, { "PrologFlags" }, { "PropagatePrioProcess" },
    { "PropagateResourceLimits" }, { "PropagateResourceLimitsExcept" }, { "RebootProgram" }, { "ReconfigFlags" },
    { "RequeueExit" }, { "RequeueExitHold" }, { "ResumeFailProgram" }, { "ResumeProgram" },
    { "ResumeRate", .unit = "nodes/min" }, { "ResumeTimeout", .unit = "sec", .endless = "INFINITE" },
    { "ResvEpilog" }, { "ResvOverRun", .unit = "min", .endless = "UNLIMITED" }, { "ResvProlog" },
    { "ReturnToService" }, { "SchedulerParameters" }, { "SchedulerTimeSlice", .unit = "sec" }, { "SchedulerType" },
    { "ScronParameters" }, { "SelectType" }, { "SelectTypeParameters", .fn = show_select },
    { "SlurmUser", .fn = show_user }, { "SlurmctldAddr" }, { "SlurmctldDebug" },
    { "SlurmctldHost", .fn = show_controllers }, { "SlurmctldHttpAuthParameters" }, { "SlurmctldLogFile" },
    { "SlurmctldPort" }, { "SlurmctldSyslogDebug" }, { "SlurmctldPrimaryOffProg" }, { "SlurmctldPrimaryOnProg" },
    { "SlurmctldTimeout", .unit = "sec" }, { "SlurmctldParameters" }, { "SlurmdDebug" },
    { "SlurmdHttpAuthParameters" }, { "SlurmdLogFile" }, { "SlurmdParameters" }, { "SlurmdPidFile" },
    { "SlurmdPort" }, { "SlurmdSpoolDir" }, { "SlurmdSyslogDebug" }, { "SlurmdTimeout", .unit = "sec" },
    { "SlurmdUser", .fn = show_user }, { "SlurmSchedLogFile" }, { "SlurmSchedLogLevel" }, { "SlurmctldPidFile" },
    { "SLURM_CONF", .fn = show_path }, { "SLURM_VERSION", .fn = show_version }, { "Spur", .fn = show_own },
    { "SrunEpilog" }, { "SrunPortRange", .fn = show_port_range }, { "SrunProlog" }, { "StateSaveLocation" },
    { "SuspendExcNodes" }, { "SuspendExcParts" }, { "SuspendExcStates" }, { "SuspendProgram" },
    { "SuspendRate", .unit = "nodes/min" }, { "SuspendTime", .unit = "sec", .endless = "INFINITE" },
    { "SuspendTimeout", .unit = "sec" }, { "SwitchParameters" }, { "SwitchType", .fn = show_plugin },
    { "TaskEpilog" }, { "TaskPlugin", .fn = show_tasks }, { "TaskPluginParam", .unset = "(null type)" },
    { "TaskProlog" }, { "TCPTimeout", .unit = "sec" }, { "TLSParameters" }, { "TLSType" }, { "TmpFS" },
    { "TopologyParam" }, { "TopologyPlugin", .fn = show_topology }, { "TrackWCKey" }, { "TreeWidth" }, { "UsePam" },
    { "UnkillableStepProgram" }, { "UnkillableStepTimeout", .fn = show_unkillable }, { "UrlParserType" },
    { "VSizeFactor", .unit = "percent" }, { "WaitTime", .unit = "sec" }, { "X11Parameters" },
};
/* clang-format on */

void site_config_text(const struct site *s, const struct site_facts *facts, struct buf *out)
{
    char now[TIME_TEXT];
    buf_addf(out, "Configuration data as of %s\n", time_stamp(now, facts->now, "Unknown"));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        (rows[i].fn ? rows[i].fn : show_value)(&rows[i], s, facts, out);
}
