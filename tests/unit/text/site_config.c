/* The body of `scontrol show config`, line by line as Slurm 26.05 answers it for the same file. */
#include "text/site.h"

#include "base/str.h"
#include "test.h"

static char *shown(const char *text)
{
    struct site *s = NULL;
    struct err err = ERR_INIT;
    auto_buf struct buf out = BUF_INIT;
    if (site_load_text(&s, text, strlen(text), "/etc/slurm/slurm.conf", &err))
        return mem_printf("! %s", err.text);
    struct site_facts facts = { .now = 1000000000, .boot = 0, .next_job_id = 7, .node_count = 4, .version = "26.05.5",
                                .slurm_uid = 64 };
    site_config_text(s, &facts, &out);
    site_free(s);
    return buf_take(&out);
}

/* Recorded from Slurm with nothing but a cluster and a controller. */
static const char defaults[] =
    "Configuration data as of 2001-09-09T01:46:40\n"
    "AccountingStorageBackupHost = (null)\n"
    "AccountingStorageEnforce = none\n"
    "AccountingStorageHost   = localhost\n"
    "AccountingStorageExternalHost = (null)\n"
    "AccountingStorageParameters = (null)\n"
    "AccountingStoragePort   = 0\n"
    "AccountingStorageTRES   = cpu,mem,energy,node,billing,fs/disk,vmem,pages\n"
    "AccountingStorageType   = (null)\n"
    "AccountingStoreFlags    = (null)\n"
    "AcctGatherEnergyType    = (null)\n"
    "AcctGatherFilesystemType = (null)\n"
    "AcctGatherInterconnectType = (null)\n"
    "AcctGatherNodeFreq      = 0 sec\n"
    "AcctGatherProfileType   = (null)\n"
    "AllowSpecResourcesUsage = no\n"
    "AuthAltTypes            = (null)\n"
    "AuthAltParameters       = (null)\n"
    "AuthInfo                = (null)\n"
    "AuthType                = auth/munge\n"
    "BatchStartTimeout       = 10 sec\n"
    "BcastExclude            = /lib,/usr/lib,/lib64,/usr/lib64\n"
    "BcastParameters         = (null)\n"
    "BOOT_TIME               = Unknown\n"
    "BurstBufferType         = (null)\n"
    "CertgenParameters       = (null)\n"
    "CertgenType             = (null)\n"
    "CertmgrParameters       = (null)\n"
    "CertmgrType             = (null)\n"
    "CliFilterParameters     = (null)\n"
    "CliFilterPlugins        = (null)\n"
    "ClusterName             = x\n"
    "CommunicationParameters = (null)\n"
    "CompleteWait            = 0 sec\n"
    "CpuFreqDef              = Unknown\n"
    "CpuFreqGovernors        = OnDemand,Performance,UserSpace\n"
    "CredType                = cred/munge\n"
    "DataParserParameters    = (null)\n"
    "DebugFlags              = (null)\n"
    "DefMemPerNode           = UNLIMITED\n"
    "DependencyParameters    = (null)\n"
    "DisableRootJobs         = no\n"
    "EioTimeout              = 60\n"
    "EnforcePartLimits       = NO\n"
    "EpilogMsgTime           = 2000 usec\n"
    "FairShareDampeningFactor = 1\n"
    "FederationParameters    = (null)\n"
    "FirstJobId              = 1\n"
    "GresTypes               = (null)\n"
    "GpuFreqDef              = (null)\n"
    "GroupUpdateForce        = 1\n"
    "GroupUpdateTime         = 600 sec\n"
    "HASH_VAL                = Match\n"
    "HashPlugin              = hash/k12\n"
    "HealthCheckInterval     = 0 sec\n"
    "HealthCheckNodeState    = ANY\n"
    "HealthCheckProgram      = (null)\n"
    "HealthCheckTimeout      = 0 sec\n"
    "HttpParserType          = (null)\n"
    "InactiveLimit           = 0 sec\n"
    "InteractiveStepOptions  = --interactive --preserve-env --pty $SHELL\n"
    "JobAcctGatherFrequency  = 30\n"
    "JobAcctGatherType       = (null)\n"
    "JobAcctGatherParams     = (null)\n"
    "JobCompHost             = localhost\n"
    "JobCompLoc              = (null)\n"
    "JobCompParams           = (null)\n"
    "JobCompPass             = (null)\n"
    "JobCompPort             = 0\n"
    "JobCompType             = (null)\n"
    "JobCompUser             = root\n"
    "JobDefaults             = (null)\n"
    "JobFileAppend           = 0\n"
    "JobRequeue              = 1\n"
    "JobSubmitPlugins        = (null)\n"
    "KillOnBadExit           = 0\n"
    "KillWait                = 30 sec\n"
    "LaunchParameters        = (null)\n"
    "LicenseParameters       = (null)\n"
    "Licenses                = (null)\n"
    "LogTimeFormat           = iso8601_ms\n"
    "MailDomain              = (null)\n"
    "MailProg                = /bin/mail\n"
    "MaxArraySize            = 1001\n"
    "MaxBatchRequeue         = 5\n"
    "MaxDBDMsgs              = 0\n"
    "MaxJobCount             = 10000\n"
    "MaxJobId                = 67043328\n"
    "MaxMemPerNode           = UNLIMITED\n"
    "MaxNodeCount            = 4\n"
    "MaxStepCount            = 40000\n"
    "MaxTasksPerNode         = 512\n"
    "MCSPlugin               = (null)\n"
    "MCSParameters           = (null)\n"
    "MessageTimeout          = 10 sec\n"
    "MetricsAuthUsers        = (null)\n"
    "MetricsParameters       = (null)\n"
    "MetricsType             = (null)\n"
    "MinJobAge               = 300 sec\n"
    "MpiDefault              = (null)\n"
    "MpiParams               = (null)\n"
    "MULTIPLE_SLURMD         = yes\n"
    "NamespaceType           = (null)\n"
    "NEXT_JOB_ID             = 7\n"
    "NodeFeaturesPlugins     = (null)\n"
    "OverTimeLimit           = 0 min\n"
    "PluginDir               = /usr/lib/slurm\n"
    "PlugStackConfig         = (null)\n"
    "PreemptMode             = OFF\n"
    "PreemptParameters       = (null)\n"
    "PreemptType             = (null)\n"
    "PreemptExemptTime       = 00:00:00\n"
    "PrEpParameters          = (null)\n"
    "PrEpPlugins             = prep/script\n"
    "PriorityParameters      = (null)\n"
    "PrioritySiteFactorParameters = (null)\n"
    "PrioritySiteFactorPlugin = (null)\n"
    "PriorityDecayHalfLife   = 7-00:00:00\n"
    "PriorityCalcPeriod      = 00:05:00\n"
    "PriorityFavorSmall      = no\n"
    "PriorityFlags           = \n"
    "PriorityMaxAge          = 7-00:00:00\n"
    "PriorityType            = priority/multifactor\n"
    "PriorityUsageResetPeriod = NONE\n"
    "PriorityWeightAge       = 0\n"
    "PriorityWeightAssoc     = 0\n"
    "PriorityWeightFairShare = 0\n"
    "PriorityWeightJobSize   = 0\n"
    "PriorityWeightPartition = 0\n"
    "PriorityWeightQOS       = 0\n"
    "PriorityWeightTRES      = (null)\n"
    "PrivateData             = none\n"
    "ProctrackType           = proctrack/cgroup\n"
    "PrologEpilogTimeout     = 65534\n"
    "PrologFlags             = (null)\n"
    "PropagatePrioProcess    = 0\n"
    "PropagateResourceLimits = ALL\n"
    "PropagateResourceLimitsExcept = (null)\n"
    "RebootProgram           = (null)\n"
    "ReconfigFlags           = (null)\n"
    "RequeueExit             = (null)\n"
    "RequeueExitHold         = (null)\n"
    "ResumeFailProgram       = (null)\n"
    "ResumeProgram           = (null)\n"
    "ResumeRate              = 300 nodes/min\n"
    "ResumeTimeout           = 60 sec\n"
    "ResvEpilog              = (null)\n"
    "ResvOverRun             = 0 min\n"
    "ResvProlog              = (null)\n"
    "ReturnToService         = 0\n"
    "SchedulerParameters     = (null)\n"
    "SchedulerTimeSlice      = 30 sec\n"
    "SchedulerType           = sched/backfill\n"
    "ScronParameters         = (null)\n"
    "SelectType              = select/cons_tres\n"
    "SelectTypeParameters    = CR_CORE_MEMORY\n"
    "SlurmUser               = root(64)\n"
    "SlurmctldAddr           = (null)\n"
    "SlurmctldDebug          = info\n"
    "SlurmctldHost[0]        = h(10.0.0.1)\n"
    "SlurmctldHttpAuthParameters = (null)\n"
    "SlurmctldLogFile        = (null)\n"
    "SlurmctldPort           = 6817\n"
    "SlurmctldSyslogDebug    = (null)\n"
    "SlurmctldPrimaryOffProg = (null)\n"
    "SlurmctldPrimaryOnProg  = (null)\n"
    "SlurmctldTimeout        = 120 sec\n"
    "SlurmctldParameters     = (null)\n"
    "SlurmdDebug             = info\n"
    "SlurmdHttpAuthParameters = (null)\n"
    "SlurmdLogFile           = (null)\n"
    "SlurmdParameters        = (null)\n"
    "SlurmdPidFile           = /run/slurmd.pid\n"
    "SlurmdPort              = 6818\n"
    "SlurmdSpoolDir          = /var/spool/slurmd\n"
    "SlurmdSyslogDebug       = (null)\n"
    "SlurmdTimeout           = 300 sec\n"
    "SlurmdUser              = root(0)\n"
    "SlurmSchedLogFile       = (null)\n"
    "SlurmSchedLogLevel      = 0\n"
    "SlurmctldPidFile        = /run/slurmctld.pid\n"
    "SLURM_CONF              = /etc/slurm/slurm.conf\n"
    "SLURM_VERSION           = 26.05.5\n"
    "SrunEpilog              = (null)\n"
    "SrunPortRange           = 0-0\n"
    "SrunProlog              = (null)\n"
    "StateSaveLocation       = /var/spool\n"
    "SuspendExcNodes         = (null)\n"
    "SuspendExcParts         = (null)\n"
    "SuspendExcStates        = (null)\n"
    "SuspendProgram          = (null)\n"
    "SuspendRate             = 60 nodes/min\n"
    "SuspendTime             = INFINITE\n"
    "SuspendTimeout          = 30 sec\n"
    "SwitchParameters        = (null)\n"
    "SwitchType              = (null)\n"
    "TaskEpilog              = (null)\n"
    "TaskPlugin              = (null)\n"
    "TaskPluginParam         = (null type)\n"
    "TaskProlog              = (null)\n"
    "TCPTimeout              = 2 sec\n"
    "TLSParameters           = (null)\n"
    "TLSType                 = tls/none\n"
    "TmpFS                   = /tmp\n"
    "TopologyParam           = (null)\n"
    "TopologyPlugin          = topology/flat\n"
    "TrackWCKey              = no\n"
    "TreeWidth               = 16\n"
    "UsePam                  = no\n"
    "UnkillableStepProgram   = (null)\n"
    "UnkillableStepTimeout   = 60 sec\n"
    "UrlParserType           = (null)\n"
    "VSizeFactor             = 0 percent\n"
    "WaitTime                = 0 sec\n"
    "X11Parameters           = (null)\n";

static void test_defaults(void)
{
    setenv("TZ", "UTC0", 1);
    auto_free char *got = shown("ClusterName=x\nSlurmctldHost=h(10.0.0.1)\n");
    const char *g = got, *w = defaults;
    size_t lines = 0;
    for (size_t n, m; *g && *w; lines++, g += n, w += m) {
        n = strcspn(g, "\n") + 1;
        m = strcspn(w, "\n") + 1;
        if (n == m && !memcmp(g, w, n))
            continue;
        printf("#   got: %.*s#  want: %.*s", (int)n, g, (int)m, w);
        break;
    }
    ok(!*g && !*w && lines > 200, "%zu lines, all as Slurm's", lines);
}

static void test_values(void)
{
    static const struct {
        const char *conf, *want;
    } cases[] = {
        { "TrackWCKey=1", "TrackWCKey              = yes\n" },
        { "KillWait=INFINITE", "KillWait                = 65535 sec\n" },
        { "MinJobAge=1", "MinJobAge               = 2 sec\n" },
        { "MaxJobCount=10k", "MaxJobCount             = 10240\n" },
        { "MaxJobCount=UNLIMITED", "MaxJobCount             = 67043328\n" },
        { "SlurmctldPort=7000-7010", "SlurmctldPort           = 7000-7010\n" },
        { "SlurmctldDebug=7", "SlurmctldDebug          = debug3\n" },
        { "DebugFlags=gres,backfill", "DebugFlags              = Backfill,Gres\n" },
        { "OverTimeLimit=UNLIMITED", "OverTimeLimit           = UNLIMITED\n" },
        { "ResvOverRun=5", "ResvOverRun             = 5 min\n" },
        { "ResumeTimeout=65535", "ResumeTimeout           = INFINITE\n" },
        { "SuspendTime=60", "SuspendTime             = 60 sec\n" },
        { "SuspendTime=-1", "SuspendTime             = INFINITE\n" },
        { "PriorityMaxAge=5", "PriorityMaxAge          = 00:05:00\n" },
        { "PreemptExemptTime=-1", "PreemptExemptTime       = NONE\n" },
        { "PreemptMode=gang,suspend", "PreemptMode             = GANG,SUSPEND\n" },
        { "SelectTypeParameters=LL_SHARED_GRES,CR_Core", "SelectTypeParameters    = CR_CORE,LL_SHARED_GRES\n" },
        { "EnforcePartLimits=yes", "EnforcePartLimits       = ANY\n" },
        { "HealthCheckNodeState=IDLE,CYCLE", "HealthCheckNodeState    = CYCLE,IDLE\n" },
        { "PriorityFlags=DEPTH_OBLIVIOUS", "PriorityFlags           = DEPTH_OBLIVIOUS,NO_FAIR_TREE\n" },
        { "PriorityFlags=foo", "PriorityFlags           = \n" },
        { "PrivateData=x", "PrivateData             = none\n" },
        { "PrivateData=all",
          "PrivateData             = accounts,events,jobs,nodes,partitions,reservations,usage,users\n" },
        { "PrologFlags=X11", "PrologFlags             = Alloc,Contain,X11\n" },
        { "AccountingStorageEnforce=limits", "AccountingStorageEnforce = associations,limits\n" },
        { "AccountingStorageEnforce=all", "AccountingStorageEnforce = associations,limits,qos,safe,wckeys\n" },
        { "AccountingStorageTRES=gres/gpu",
          "AccountingStorageTRES   = "
          "billing,cpu,energy,fs/disk,gres/gpu,gres/gpumem,gres/gpuutil,mem,node,pages,vmem\n" },
        { "TaskPlugin=task/affinity,task/cgroup", "TaskPlugin              = task/cgroup,task/affinity\n" },
        { "TaskPlugin=none", "TaskPlugin              = (null)\n" },
        { "TaskPluginParam=cores,verbose", "TaskPluginParam         = verbose,cores\n" },
        { "MpiDefault=none", "MpiDefault              = (null)\n" },
        { "SwitchType=switch/none", "SwitchType              = (null)\n" },
        { "TopologyPlugin=topology/none", "TopologyPlugin          = topology/flat\n" },
        { "SrunPortRange=6000-6010", "SrunPortRange           = 6000-6010\n" },
        { "MessageTimeout=100", "UnkillableStepTimeout   = 500 sec\n" },
        { "MessageTimeout=100\nUnkillableStepTimeout=5", "UnkillableStepTimeout   = 5 sec\n" },
        { "JobRequeue=5", "JobRequeue              = 1\n" },
        { "PreemptMode=\"\"", "PreemptMode             = OFF\n" },
        { "SelectType=select/linear", "SelectType              = select/linear\nSlurmUser " },
        { "SelectType=select/linear\nSelectTypeParameters=CR_Memory", "SelectTypeParameters    = CR_MEMORY\n" },
        { "TLSType=tls/none", "TLSType                 = tls/none\n" },
        { "LogTimeFormat=foo", "LogTimeFormat           = iso8601_ms\n" },
        { "JobCompPass=secret", "JobCompPass             = (null)\n" },
        { "Licenses=\"\"", "Licenses                = \n" },
        { "DefMemPerCPU=100", "DefMemPerCPU            = 100\n" },
        { "DefMemPerNode=0", "DefMemPerNode           = UNLIMITED\n" },
        { "MaxMemPerCPU=6", "MaxMemPerCPU            = 6\n" },
        { "DefMemPerGPU=5\nDefCpuPerGPU=2", "JobDefaults             = DefCpuPerGPU=2,DefMemPerGPU=5\n" },
        { "Epilog=/c\nEpilog=/d", "Epilog[0]               = /c\nEpilog[1]               = /d\n" },
        { "PrologSlurmctld=/e", "PrologSlurmctld[0]      = /e\nPrologFlags             = (null)\n" },
        { "EpilogTimeout=5", "EpilogTimeout           = 5\nPrologTimeout           = 65534\n" },
        { "PrologTimeout=5\nEpilogTimeout=5", "PrologEpilogTimeout     = 5\n" },
        { "PrologEpilogTimeout=9", "PrologEpilogTimeout     = 9\n" },
        { "SlurmctldHost=b", "SlurmctldHost[0]        = h(10.0.0.1)\nSlurmctldHost[1]        = b\n" },
        { "SlurmUser=slurm", "SlurmUser               = slurm(64)\n" },
        { "SlurmUser=4711", "SlurmUser               = 4711(4711)\n" },
        { "UsePAM=yes", "UsePam                  = yes\n" },
        { "SpurKeyFile=/k", "SpurKeyFile             = /k\nSrunEpilog              = (null)\n" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *conf = mem_printf("ClusterName=x\nSlurmctldHost=h(10.0.0.1)\n%s\n", cases[i].conf);
        auto_free char *got = shown(conf), *line = mem_printf("\n%s", cases[i].want);
        if (!ok(strstr(got, line) != NULL, "case %zu", i)) {
            const char *at = strstr(got, cases[i].conf);
            printf("# want: %s# got: %.200s\n", cases[i].want, at ? at : got);
        }
    }
}

int main(void)
{
    test_defaults();
    test_values();
    return test_done();
}
