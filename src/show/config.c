/* config - the configuration that is in force; see config.h. */
#include "show/config.h"

#include <ctype.h>

#include "base/str.h"
#include "show/row.h"
#include "text/time.h"

#define CONFIG(row) ((const struct config_row *)(row))

/* ---- lines ---- */

/* "Key = value" or "Key[0] = value"; other lines are no pairs. */
static bool pair_read(const char *line, size_t len, struct config_pair *p)
{
    const char *equals = memmem(line, len, " = ", 3);
    if (!equals)
        return false;
    p->key = line;
    p->key_len = 0;
    while (p->key_len < (size_t)(equals - line) && !strchr(" [", line[p->key_len]))
        p->key_len++;
    p->value = equals + 3;
    p->value_len = len - (size_t)(p->value - line);
    return p->key_len > 0;
}

void config_row_init(struct config_row *r, const char *text, int64_t boot_s, int64_t now_s)
{
    *r = (struct config_row){ .boot_s = boot_s, .now_s = now_s };
    while (*text) {
        size_t len = strcspn(text, "\n");
        struct config_pair p;
        if (pair_read(text, len, &p))
            vec_push(&r->pair, p);
        text += len + (text[len] == '\n');
    }
}

void config_row_clear(struct config_row *r)
{
    vec_clear(&r->pair);
}

static const struct config_pair *pair_find(const struct config_row *r, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i < r->pair.n; i++)
        if (r->pair.at[i].key_len == len && !memcmp(r->pair.at[i].key, key, len))
            return &r->pair.at[i];
    return NULL;
}

static bool pair_is(const struct config_pair *p, const char *text)
{
    return p && p->value_len == strlen(text) && !strncasecmp(p->value, text, p->value_len);
}

/* ---- values by type ---- */

static bool pair_unset(const struct config_pair *p)
{
    return !p || !p->value_len || *p->value == '(';
}

static void set_list(struct show_value *v, const struct config_pair *p)
{
    if (!pair_unset(p) && !pair_is(p, "none"))
        buf_add(show_make(v), p->value, p->value_len);
}

#define NO_LIMIT 65535 /* as Slurm writes it where a number cannot be infinite */

static void set_number(struct show_value *v, const struct config_pair *p, enum show_type type)
{
    bool infinite = pair_is(p, "UNLIMITED") || pair_is(p, "INFINITE");
    if (infinite && type == SHOW_NUMBER)
        show_set_number(v, NO_LIMIT);
    else if (infinite)
        show_set_infinite(v);
    else if (!pair_unset(p) && isdigit((unsigned char)*p->value))
        show_set_number(v, strtoll(p->value, NULL, 10)); /* a unit may follow */
}

GET(get_value)
{
    const struct config_pair *p = pair_find(row, f->key);
    if (f->type == SHOW_TEXT && !pair_unset(p))
        buf_add(show_make(v), p->value, p->value_len);
    else if (f->type == SHOW_LIST)
        set_list(v, p);
    else if (f->type == SHOW_BOOL)
        show_set_count(v, pair_is(p, "1") || pair_is(p, "yes") || pair_is(p, "true"));
    else if (f->type == SHOW_NUMBER || f->type == SHOW_NUMBER_SET)
        set_number(v, p, f->type);
}

/* ---- values of their own ---- */

GET_NUMBER(get_one, 1)
GET_TEXT(get_ip, "IPv4")

/* "root(0)" */
GET(get_user)
{
    const struct config_pair *p = pair_find(row, f->key);
    if (p)
        buf_add(show_make(v), p->value, strcspn(p->value, "(\n"));
}

GET(get_user_id)
{
    const struct config_pair *p = pair_find(row, f->at ? "SlurmdUser" : "SlurmUser");
    const char *paren = p ? memchr(p->value, '(', p->value_len) : NULL;
    show_set_number(v, paren ? strtoll(paren + 1, NULL, 10) : 0);
}

/* One program to a line. */
GET(get_programs)
{
    const struct config_row *r = row;
    struct buf *out = show_make(v);
    size_t start = out->len, len = strlen(f->key);
    for (size_t i = 0; i < r->pair.n; i++) {
        const struct config_pair *p = &r->pair.at[i];
        if (p->key_len != len || memcmp(p->key, f->key, len) || pair_unset(p))
            continue;
        if (out->len > start)
            buf_addc(out, ',');
        buf_add(out, p->value, p->value_len);
    }
}

/* Timeouts of prologs and epilogs have a value of their own or a common one; 65534 is none. */
GET(get_script_timeout)
{
    const struct config_pair *p = pair_find(row, f->key), *both = pair_find(row, "PrologEpilogTimeout");
    set_number(v, p ? p : both, f->type);
    if (v->state == SHOW_SET && v->number == 65534)
        v->state = SHOW_UNSET;
}

GET(get_seconds)
{
    const struct config_pair *p = pair_find(row, f->key);
    char text[32] = "";
    uint32_t seconds;
    if (p && p->value_len < sizeof(text))
        memcpy(text, p->value, p->value_len);
    show_set_number(v, time_secs_parse(text, &seconds, NULL) ? 0 : seconds);
}

GET(get_max_mem)
{
    const struct config_pair *p = pair_find(row, "MaxMemPerCPU");
    set_number(v, p ? p : pair_find(row, "MaxMemPerNode"), f->type);
    if (v->state != SHOW_SET)
        show_set_number(v, 0);
}

static int port_at(const struct config_row *r, int which)
{
    const struct config_pair *p = pair_find(r, "SrunPortRange");
    int port[2] = { 0 };
    if (p && sscanf(p->value, "%5d-%5d", &port[0], &port[1]) != 2)
        port[0] = port[1] = 0;
    return port[which];
}
GET_NUMBER(get_port_low, port_at(row, 0))
GET_NUMBER(get_port_high, port_at(row, 1))
GET_COUNT(get_port_set, port_at(row, 1))

/* The word for a number. */
static void set_word(struct show_value *v, const struct config_pair *p, const char *const words[3])
{
    if (!pair_unset(p) && *p->value >= '0' && *p->value <= '2')
        show_set_text(v, words[*p->value - '0']);
}

GET(get_return_to_service)
{
    set_word(v, pair_find(row, f->key), (const char *const[3]){ "none", "non_responsive_only", "all" });
}

GET(get_prio_process)
{
    set_word(v, pair_find(row, f->key), (const char *const[3]){ "off", "on", "nicer" });
}

GET(get_conf_flags)
{
    static const char *const keys[] = { "DisableRootJobs", "AllowSpecResourcesUsage", "UsePam", "TrackWCKey" };
    struct buf *out = show_make(v);
    size_t start = out->len;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct config_pair *p = pair_find(row, keys[i]);
        if (pair_is(p, "1") || pair_is(p, "yes"))
            buf_addf(out, "%s%s", out->len > start ? "," : "", keys[i]);
    }
}

/* The fair tree is a flag that is on unless the configuration turns it off. */
GET(get_priority_flags)
{
    const struct config_pair *p = pair_find(row, f->key);
    struct buf *out = show_make(v);
    size_t start = out->len;
    if (!pair_unset(p))
        buf_add(out, p->value, p->value_len);
    if (!p || !memmem(p->value, p->value_len, "NO_FAIR_TREE", 12))
        buf_addf(out, "%sFAIR_TREE", out->len > start ? "," : "");
}

/* Without a choice of governors the list is empty. */
GET(get_governors)
{
    const struct config_pair *p = pair_find(row, f->key);
    if (!pair_is(p, "OnDemand,Performance,UserSpace"))
        set_list(v, p);
}

GET(get_slurmd_flags)
{
    const struct config_pair *p = pair_find(row, "SlurmdParameters");
    if (p && memmem(p->value, p->value_len, "config_overrides", 16))
        show_set_text(v, "config_overrides");
}

/* ---- controllers: "SlurmctldHost[0] = name(address)" ---- */

static const struct config_pair *host_at(const struct config_row *r, size_t i)
{
    for (size_t k = 0; k < r->pair.n; k++)
        if (r->pair.at[k].key_len == 13 && !memcmp(r->pair.at[k].key, "SlurmctldHost", 13) && !i--)
            return &r->pair.at[k];
    return NULL;
}

static const void *controller_at(const void *of, size_t i, void *room)
{
    return host_at(of, i);
}

GET(get_controllers)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 0, row, controller_at };
    while (host_at(row, v->rows.n))
        v->rows.n++;
}

#define HOST(row) ((const struct config_pair *)(row))
GET(get_machine) { buf_add(show_make(v), HOST(row)->value, strcspn(HOST(row)->value, "(\n")); }
GET(get_address)
{
    size_t name = strcspn(HOST(row)->value, "(\n");
    const char *address = HOST(row)->value[name] == '(' ? HOST(row)->value + name + 1 : HOST(row)->value;
    buf_add(show_make(v), address, strcspn(address, ")\n"));
}

static const struct show_field controller_fields[] = {
    ROW(NULL, "address", TEXT, get_address),
    ROW(NULL, "machine", TEXT, get_machine),
    { 0 },
};
static const struct show_table show_controllers = { "controllers", controller_fields, "", NULL };

/* clang-format off */
#define T(key) ROW(key, key, TEXT, get_value)
#define L(key) ROW(key, key, LIST, get_value)
#define N(key) ROW(key, key, NUMBER, get_value)
#define B(key) ROW(key, key, BOOL, get_value)
static const struct show_field fields[] = {
    L("AccountingStorageTRES"), T("AccountingStorageBackupHost"), L("AccountingStorageEnforce"),
    T("AccountingStorageExternalHost"), T("AccountingStorageHost"), L("AccountingStorageParameters"),
    N("AccountingStoragePort"), T("AccountingStorageType"), L("AcctGatherEnergyType"), T("AcctGatherProfileType"),
    T("AcctGatherInterconnectType"), T("AcctGatherFilesystemType"), N("AcctGatherNodeFreq"),
    ROW(NULL, "ConfFlags", LIST, get_conf_flags),
    L("AuthAltTypes"), T("AuthInfo"), T("AuthAltParameters"), T("AuthType"), N("BatchStartTimeout"),
    T("BurstBufferType"), L("BcastExclude"), L("BcastParameters"), L("CertgenParameters"), T("CertgenType"),
    T("CertmgrParameters"), T("CertmgrType"), L("CliFilterParameters"), L("CliFilterPlugins"), T("ClusterName"),
    L("CommunicationParameters"), N("CompleteWait"),
    ROW(NULL, "CommunicationParametersFlags", LIST, get_ip),
    L("AccountingStoreFlags"),
    ROW(NULL, "SlurmdParametersFlags", LIST, get_slurmd_flags),
    ROW(NULL, "controllers", RECORDS, get_controllers, .sub = &show_controllers),
    T("CpuFreqDef"), T("CredType"), T("DataParserParameters"), L("DebugFlags"),
    ROW("DefMemPerCPU", "DefMemPerCPU", NUMBER_SET, get_value),
    L("DependencyParameters"), N("EioTimeout"), L("EnforcePartLimits"),
    ROW("Epilog", "Epilog", LIST, get_programs),
    N("EpilogMsgTime"),
    ROW("EpilogSlurmctld", "EpilogSlurmctld", LIST, get_programs),
    ROW("EpilogTimeout", "EpilogTimeout", NUMBER_SET, get_script_timeout),
    L("FederationParameters"), N("FirstJobId"), N("FairShareDampeningFactor"), N("GetNameInfoCacheTimeout"),
    L("GresTypes"), N("GroupUpdateTime"), B("GroupUpdateForce"), T("GpuFreqDef"), T("HashPlugin"),
    N("HealthCheckInterval"), L("HealthCheckNodeState"), T("HealthCheckProgram"), N("HealthCheckTimeout"),
    T("HttpParserType"), N("HostUnreachRetryCount"), N("InactiveLimit"), T("InteractiveStepOptions"),
    L("JobAcctGatherFrequency"), T("JobAcctGatherType"), L("JobAcctGatherParams"), B("JobAcctOomKill"),
    T("JobCompHost"), T("JobCompLoc"), T("JobCompParams"), N("JobCompPort"), T("JobCompType"), T("JobCompUser"),
    L("JobDefaults"), B("JobFileAppend"), B("JobRequeue"), L("JobSubmitPlugins"), N("KeepaliveInterval"),
    N("KeepaliveProbes"), N("KeepaliveTime"), B("KillOnBadExit"), N("KillWait"), L("LaunchParameters"),
    L("Licenses"), L("LicenseParameters"), T("LogTimeFormat"), T("MailDomain"), T("MailProg"), N("MaxArraySize"),
    N("MaxBatchRequeue"), N("MaxDBDMsgs"), N("MaxJobCount"), N("MaxJobId"),
    ROW(NULL, "MaxMemPerCPU", NUMBER_SET, get_max_mem),
    N("MaxNodeCount"), N("MaxStepCount"), N("MaxTasksPerNode"), T("MCSPlugin"), L("MCSParameters"),
    L("MetricsAuthUsers"), L("MetricsParameters"), T("MetricsType"), N("MinJobAge"), T("MpiDefault"),
    L("MpiParams"), N("MessageTimeout"), T("NamespaceType"), L("NodeFeaturesPlugins"), N("OverTimeLimit"),
    T("PluginDir"), T("PlugStackConfig"),
    ROW("PreemptExemptTime", "PreemptExemptTime", NUMBER_SET, get_seconds),
    L("PreemptMode"), L("PreemptParameters"), T("PreemptType"), T("PrEpParameters"), L("PrEpPlugins"),
    T("PriorityDecayHalfLife"), T("PriorityCalcPeriod"), B("PriorityFavorSmall"),
    T("PriorityMaxAge"), T("PriorityParameters"), T("PriorityUsageResetPeriod"), T("PriorityType"),
    N("PriorityWeightAge"), N("PriorityWeightAssoc"),
    ROW("PriorityWeightFairShare", "PriorityWeightFairshare", NUMBER, get_value),
    N("PriorityWeightJobSize"), N("PriorityWeightPartition"), N("PriorityWeightQOS"), T("PriorityWeightTRES"),
    L("PrivateData"), T("ProctrackType"),
    ROW("Prolog", "Prolog", LIST, get_programs),
    ROW("PrologSlurmctld", "PrologSlurmctld", LIST, get_programs),
    ROW("PrologTimeout", "PrologTimeout", NUMBER_SET, get_script_timeout),
    ROW("PropagatePrioProcess", "PropagatePrioProcess", TEXT, get_prio_process),
    L("PrologFlags"), L("PropagateResourceLimits"), L("PropagateResourceLimitsExcept"), T("RebootProgram"),
    L("ReconfigFlags"), L("RequeueExit"), L("RequeueExitHold"), T("ResumeFailProgram"), T("ResumeProgram"),
    N("ResumeRate"), N("ResumeTimeout"), T("ResvEpilog"), N("ResvOverRun"), T("ResvProlog"),
    ROW("ReturnToService", "ReturnToService", TEXT, get_return_to_service),
    T("SlurmSchedLogFile"), N("SlurmSchedLogLevel"), L("SchedulerParameters"), N("SchedulerTimeSlice"),
    T("SchedulerType"), L("ScronParameters"), T("SelectType"), L("SelectTypeParameters"),
    T("PrioritySiteFactorPlugin"), T("PrioritySiteFactorParameters"),
    ROW(NULL, "SlurmUserId", NUMBER, get_user_id),
    ROW("SlurmUser", "SlurmUser", TEXT, get_user),
    ROW(NULL, "SlurmdUserId", NUMBER, get_user_id, .at = 1),
    ROW("SlurmdUser", "SlurmdUser", TEXT, get_user),
    T("SlurmctldAddr"), T("SlurmctldDebug"),
    ROW("SlurmctldHttpAuthParameters", "SlurmctldHttpAuthParams", LIST, get_value),
    T("SlurmctldLogFile"), T("SlurmctldPidFile"), N("SlurmctldPort"),
    ROW(NULL, "SlurmctldPortCount", NUMBER, get_one),
    T("SlurmctldPrimaryOffProg"), T("SlurmctldPrimaryOnProg"), T("SlurmctldSyslogDebug"), N("SlurmctldTimeout"),
    L("SlurmctldParameters"), T("SlurmdDebug"),
    ROW("SlurmdHttpAuthParameters", "SlurmdHttpAuthParams", LIST, get_value),
    T("SlurmdLogFile"), L("SlurmdParameters"), T("SlurmdPidFile"), N("SlurmdPort"), T("SlurmdSpoolDir"),
    T("SlurmdSyslogDebug"), N("SlurmdTimeout"), T("SrunEpilog"),
    ROW("SrunPortRange", "SrunPortRange.minimum", NUMBER, get_port_low),
    ROW(NULL, "SrunPortRange.maximum", NUMBER, get_port_high),
    ROW(NULL, "SrunPortRange.set", BOOL, get_port_set),
    T("SrunProlog"), T("StateSaveLocation"), L("SuspendExcNodes"), L("SuspendExcParts"), L("SuspendExcStates"),
    T("SuspendProgram"), N("SuspendRate"),
    ROW("SuspendTime", "SuspendTime", NUMBER_SET, get_value),
    N("SuspendTimeout"), T("SwitchType"), L("SwitchParameters"), T("TaskEpilog"), L("TaskPlugin"),
    L("TaskPluginParam"), T("TaskProlog"), L("TLSParameters"), T("TLSType"), N("TCPTimeout"), T("TmpFS"),
    L("TopologyParam"), T("TopologyPlugin"), N("TreeWidth"), T("UnkillableStepProgram"), N("UnkillableStepTimeout"),
    T("UrlParserType"), N("VSizeFactor"), N("WaitTime"), L("X11Parameters"),
    ROW("CpuFreqGovernors", "CpuFreqGovernors", LIST, get_governors),
    ROW("PriorityFlags", "PriorityFlags", LIST, get_priority_flags),
    { 0 },
};
/* clang-format on */

const struct show_table show_config = { "config", fields, "", NULL };

/* ---- about the configuration ---- */

GET_NUMBER(get_now, CONFIG(row)->now_s)
GET_NUMBER(get_boot, CONFIG(row)->boot_s)
GET_NUMBER(get_zero, 0)

static const struct show_field meta_fields[] = {
    ROW(NULL, "LastUpdate", NUMBER, get_now),
    ROW(NULL, "BOOT_TIME", NUMBER, get_boot),
    ROW(NULL, "ClusterId", NUMBER_SET, get_zero),
    ROW(NULL, "HashValue", NUMBER, show_get_unset),
    ROW("NEXT_JOB_ID", "NEXT_JOB_ID", NUMBER_SET, get_value),
    ROW("SLURM_CONF", "SLURM_CONF", TEXT, get_value),
    ROW("SLURM_VERSION", "SLURM_VERSION", TEXT, get_value),
    { 0 },
};

const struct show_table show_config_meta = { "config_meta", meta_fields, "", NULL };
