/*
 * conf_rows - the rows of conf_keys: every key of slurm.conf(5), sorted by name without regard to case.
 *
 * Words stand in the order in which Slurm prints them.  USED is a promise: a row becomes USED in the commit that
 * acts on the key.
 */
#include "text/conf_keys.h"

#include "base/mem.h"
#include "text/site_lines.h"

/* clang-format off */
#define GOVERNOR_WORDS \
    "Conservative|OnDemand|Performance|PowerSave|SchedUtil|UserSpace"
#define CPU_FREQ_WORDS \
    "Unknown|Conservative|OnDemand|Performance|PowerSave|SchedUtil|UserSpace"
#define HEALTH_WORDS \
    "CYCLE|ANY|IDLE|ALLOC|MIXED|NONDRAINED_IDLE|START_ONLY|REBOOT_ONLY"
#define LOG_TIME_WORDS \
    "iso8601|iso8601_ms|rfc5424|rfc5424_ms|rfc3339|clock|short|thread_id|format_stderr"
#define PRIORITY_WORDS \
    "ACCRUE_ALWAYS|SMALL_RELATIVE_TO_TIME|CALCULATE_RUNNING|DEPTH_OBLIVIOUS|NO_FAIR_TREE|FAIR_TREE|" \
    "INCR_ONLY|MAX_TRES|MAX_TRES_GRES|NO_NORMAL_ALL|NO_NORMAL_ASSOC|NO_NORMAL_PART|NO_NORMAL_QOS|" \
    "NO_NORMAL_TRES"
#define PRIVATE_WORDS \
    "none|accounts|events|jobs|nodes|partitions|reservations|usage|users|all"
#define PROLOG_WORDS \
    "Alloc|Contain|DeferBatch|NoHold|RunInJob|ForceRequeueOnFail|Serial|X11"
#define RLIMIT_WORDS \
    "ALL|NONE|AS|CORE|CPU|DATA|FSIZE|MEMLOCK|NOFILE|NPROC|RSS|STACK"
#define SELECT_WORDS \
    "CR_CPU|CR_CPU_MEMORY|CR_CORE|CR_CORE_MEMORY|CR_SOCKET|CR_SOCKET_MEMORY|CR_MEMORY|" \
    "CR_ONE_TASK_PER_CORE|CR_NO_DIST_TOPO_BLOCK|CR_CORE_DEFAULT_DIST_BLOCK|CR_LLN|CR_PACK_NODES|" \
    "LL_SHARED_GRES|MULTIPLE_SHARING_GRES_PJ|ENFORCE_BINDING_GRES|ONE_TASK_PER_SHARING_GRES"
#define CPU_BIND_WORDS "none|socket|ldom|core|thread|sockets>socket|ldoms>ldom|cores>core|threads>thread|off>none"
#define TASK_WORDS \
    "OOMKillStep|SlurmdOffSpec|SlurmdSpecOverride|verbose|none|sockets|cores|threads|autobind=none|" \
    "autobind=cores|autobind=sockets|autobind=threads"
#define DEBUG_WORDS \
    "Accrue|JobAccountGather|Agent|AuditRPCs|AuditTLS|Backfill|BackfillMap|BurstBuffer|Cgroup|" \
    "CpuFrequency|CPU_Bind|Data|DBD_Agent|Dependency|Elasticsearch|Energy|Federation|Gang|GLOB_SILENCE|" \
    "Gres|Hetjob|JobComp|Namespace|NodeFeatures|License|Metrics|Network|NetworkRaw|NO_CONF_HASH|Power|" \
    "Priority|Profile|Protocol|Reservation|Route|Script|SelectType|Steps|Switch|thread|TLS|TraceJobs|" \
    "Triggers|ConMgr"

#define AT(field) .at = offsetof(struct site, field) + 1
static const struct conf_key global_rows[] = {
    { "AccountingStorageBackupHost", CONF_TEXT, NOT_USED },
    { "AccountingStorageEnforce", CONF_WORDS, USED, .dflt = "none", AT(accounting_enforce),
      .words = "none|associations|limits|nojobs|nosteps|qos|safe|wckeys|all" },
    { "AccountingStorageExternalHost", CONF_TEXT, NOT_USED },
    { "AccountingStorageHost", CONF_TEXT, NOT_USED, .dflt = "localhost" },
    { "AccountingStorageParameters", CONF_TEXT, NOT_USED },
    { "AccountingStoragePass", CONF_TEXT, NOT_USED },
    { "AccountingStoragePort", CONF_U16, NOT_USED, .dflt = "0" },
    { "AccountingStorageTRES", CONF_LIST, USED, .dflt = "cpu,mem,energy,node,billing,fs/disk,vmem,pages",
      AT(accounting_tres) },
    { "AccountingStorageType", CONF_TEXT, NOT_USED },
    { "AccountingStorageUser", CONF_TEXT, NOT_USED },
    { "AccountingStoreFlags", CONF_FLAGS, NOT_USED, .words = "job_comment|job_env|job_extra|job_script|no_stdio" },
    { "AccountingStoreJobComment", CONF_GONE, NOT_USED, .words = "AccountingStoreFlags=job_comment" },
    { "AcctGatherEnergyType", CONF_TEXT, NOT_USED },
    { "AcctGatherFilesystemType", CONF_TEXT, NOT_USED },
    { "AcctGatherInfinibandType", CONF_TEXT, NOT_USED, .alias = "AcctGatherInterconnectType" },
    { "AcctGatherInterconnectType", CONF_TEXT, NOT_USED },
    { "AcctGatherNodeFreq", CONF_U16, NOT_USED, .dflt = "0" },
    { "AcctGatherProfileType", CONF_TEXT, NOT_USED },
    { "AllowSpecResourcesUsage", CONF_BOOL, USED, .dflt = "no", AT(allow_spec) },
    { "AuthAltParameters", CONF_TEXT, NOT_USED },
    { "AuthAltTypes", CONF_TEXT, NOT_USED },
    { "AuthInfo", CONF_TEXT, NOT_USED },
    { "AuthType", CONF_TEXT, NOT_USED, .dflt = "auth/munge" },
    { "BackupAddr", CONF_TEXT, USED },
    { "BackupController", CONF_TEXT, USED },
    { "BatchStartTimeout", CONF_U16, NOT_USED, .dflt = "10", AT(batch_start_timeout_s) },
    { "BcastExclude", CONF_LIST, USED, .dflt = "/lib,/usr/lib,/lib64,/usr/lib64" },
    { "BcastParameters", CONF_TEXT, USED },
    { "BurstBufferParameters", CONF_TEXT, NOT_USED },
    { "BurstBufferType", CONF_TEXT, NOT_USED },
    { "CertgenParameters", CONF_TEXT, NOT_USED },
    { "CertgenType", CONF_TEXT, NOT_USED },
    { "CertmgrParameters", CONF_TEXT, NOT_USED },
    { "CertmgrType", CONF_TEXT, NOT_USED },
    { "CliFilterParameters", CONF_TEXT, NOT_USED },
    { "CliFilterPlugins", CONF_LIST, NOT_USED },
    { "ClusterName", CONF_TEXT, USED, AT(cluster) },
    { "CommunicationParameters", CONF_TEXT, NOT_USED },
    { "CompleteWait", CONF_U16, NOT_USED, .dflt = "0", AT(complete_wait_s) },
    { "ControlAddr", CONF_TEXT, USED },
    { "ControlMachine", CONF_TEXT, USED },
    { "CoreSpecPlugin", CONF_TEXT, NOT_USED },
    { "CpuFreqDef", CONF_FLAGS, NOT_USED, .dflt = "Unknown", .words = CPU_FREQ_WORDS },
    { "CpuFreqGovernors", CONF_FLAGS, NOT_USED, .dflt = "OnDemand,Performance,UserSpace", .words = GOVERNOR_WORDS },
    { "CredType", CONF_TEXT, NOT_USED, .dflt = "cred/munge" },
    { "CryptoType", CONF_TEXT, NOT_USED, .alias = "CredType" },
    { "DataParserParameters", CONF_TEXT, NOT_USED },
    { "DebugFlags", CONF_WORDS, NOT_USED, AT(debug_flags), .words = DEBUG_WORDS },
    { "DefCpuPerGPU", CONF_U64, USED, AT(def_cpu_per_gpu) },
    { "DefMemPerCPU", CONF_U64, USED, AT(def_mem_per_cpu_mb) },
    { "DefMemPerGPU", CONF_U64, USED, AT(def_mem_per_gpu_mb) },
    { "DefMemPerNode", CONF_U64, USED, AT(def_mem_per_node_mb) },
    { "DependencyParameters", CONF_TEXT, USED, AT(dependency_parameters) },
    { "DisableRootJobs", CONF_BOOL, USED, .dflt = "no", AT(disable_root_jobs) },
    { "EioTimeout", CONF_U16, NOT_USED, .dflt = "60" },
    { "EnforcePartLimits", CONF_WORD, USED, .dflt = "NO", AT(enforce_part_limits), .words = "NO|ANY|ALL|YES>ANY" },
    { "Epilog", CONF_MANY, USED, AT(epilog) },
    { "EpilogMsgTime", CONF_U32, NOT_USED, .dflt = "2000" },
    { "EpilogSlurmctld", CONF_MANY, USED, AT(epilog_slurmctld) },
    { "EpilogTimeout", CONF_U16, USED, .dflt = "65534", AT(epilog_timeout_s) },
    { "ExtSensorsFreq", CONF_TEXT, NOT_USED },
    { "ExtSensorsType", CONF_TEXT, NOT_USED },
    { "FairShareDampeningFactor", CONF_U16, USED, .dflt = "1", AT(fair_damping) },
    { "FastSchedule", CONF_U16, NOT_USED },
    { "FederationParameters", CONF_TEXT, NOT_USED },
    { "FirstJobId", CONF_U32, USED, .dflt = "1", AT(first_job_id) },
    { "GetEnvTimeout", CONF_TEXT, NOT_USED },
    { "GpuFreqDef", CONF_TEXT, NOT_USED },
    { "GresTypes", CONF_LIST, USED, AT(gres_types) },
    { "GroupUpdateForce", CONF_U16, NOT_USED, .dflt = "1" },
    { "GroupUpdateTime", CONF_U16, NOT_USED, .dflt = "600", AT(group_update_s) },
    { "HashPlugin", CONF_TEXT, NOT_USED, .dflt = "hash/k12" },
    { "HealthCheckInterval", CONF_U16, NOT_USED, .dflt = "0", AT(health_check_interval_s) },
    { "HealthCheckNodeState", CONF_FLAGS, NOT_USED, .dflt = "ANY", .words = HEALTH_WORDS },
    { "HealthCheckProgram", CONF_TEXT, NOT_USED },
    { "HealthCheckTimeout", CONF_U16, NOT_USED, .dflt = "0" },
    { "HttpParserType", CONF_TEXT, NOT_USED },
    { "InactiveLimit", CONF_U16, NOT_USED, .dflt = "0", AT(inactive_limit_s) },
    { "InteractiveStepOptions", CONF_TEXT, USED, .dflt = "--interactive --preserve-env --pty $SHELL",
      AT(interactive_step_options) },
    { "JobAcctGatherFrequency", CONF_TEXT, USED, .dflt = "30" },
    { "JobAcctGatherParams", CONF_TEXT, NOT_USED },
    { "JobAcctGatherType", CONF_TEXT, USED },
    { "JobCompHost", CONF_TEXT, NOT_USED, .dflt = "localhost" },
    { "JobCompLoc", CONF_TEXT, NOT_USED },
    { "JobCompParams", CONF_TEXT, NOT_USED },
    { "JobCompPass", CONF_TEXT, NOT_USED },
    { "JobCompPassScript", CONF_TEXT, NOT_USED },
    { "JobCompPort", CONF_U32, NOT_USED, .dflt = "0" },
    { "JobCompType", CONF_TEXT, NOT_USED },
    { "JobCompUser", CONF_TEXT, NOT_USED, .dflt = "root" },
    { "JobContainerType", CONF_TEXT, USED, .alias = "NamespaceType" },
    { "JobCredentialPrivateKey", CONF_TEXT, NOT_USED },
    { "JobCredentialPublicCertificate", CONF_TEXT, NOT_USED },
    { "JobFileAppend", CONF_U16, USED, .dflt = "0", AT(job_file_append) },
    { "JobRequeue", CONF_U16, USED, .dflt = "1", AT(job_requeue) },
    { "JobSubmitPlugins", CONF_LIST, NOT_USED, AT(job_submit_plugins) },
    { "KeepAliveTime", CONF_U32, NOT_USED },
    { "KillOnBadExit", CONF_U16, USED, .dflt = "0", AT(kill_on_bad_exit) },
    { "KillWait", CONF_U16, USED, .dflt = "30", AT(kill_wait_s) },
    { "LaunchParameters", CONF_LIST, USED, AT(launch_parameters) },
    { "LaunchType", CONF_TEXT, NOT_USED },
    { "LicenseParameters", CONF_TEXT, NOT_USED },
    { "Licenses", CONF_LIST, USED, AT(licenses) },
    { "LogTimeFormat", CONF_FLAGS, NOT_USED, .dflt = "iso8601_ms", .words = LOG_TIME_WORDS },
    { "MailDomain", CONF_TEXT, NOT_USED },
    { "MailProg", CONF_TEXT, NOT_USED, .dflt = "/bin/mail", AT(mail_prog) },
    { "MaxArraySize", CONF_U32, USED, .dflt = "1001", AT(max_array_size) },
    { "MaxBatchRequeue", CONF_U32, NOT_USED, .dflt = "5", AT(max_batch_requeue) },
    { "MaxDBDMsgs", CONF_U32, NOT_USED, .dflt = "0" },
    { "MaxJobCount", CONF_U32, USED, .dflt = "10000", AT(max_job_count) },
    { "MaxJobId", CONF_U32, USED, .dflt = "67043328", AT(max_job_id) },
    { "MaxMemPerCPU", CONF_U64, USED, AT(max_mem_per_cpu_mb) },
    { "MaxMemPerNode", CONF_U64, USED, AT(max_mem_per_node_mb) },
    { "MaxNodeCount", CONF_U32, NOT_USED },
    { "MaxStepCount", CONF_U32, NOT_USED, .dflt = "40000", AT(max_step_count) },
    { "MaxTasksPerNode", CONF_U16, USED, .dflt = "512", AT(max_tasks_per_node) },
    { "MCSParameters", CONF_TEXT, NOT_USED },
    { "MCSPlugin", CONF_TEXT, NOT_USED },
    { "MessageTimeout", CONF_U16, USED, .dflt = "10", AT(message_timeout_s) },
    { "MetricsAuthUsers", CONF_TEXT, NOT_USED },
    { "MetricsParameters", CONF_TEXT, NOT_USED },
    { "MetricsType", CONF_TEXT, NOT_USED },
    { "MinJobAge", CONF_U32, USED, .dflt = "300", AT(min_job_age_s) },
    { "MpiDefault", CONF_TEXT, USED, AT(mpi_default) },
    { "MpiParams", CONF_TEXT, NOT_USED },
    { "NamespaceType", CONF_TEXT, USED },
    { "NodeFeaturesPlugins", CONF_LIST, NOT_USED },
    { "OverTimeLimit", CONF_U16, USED, .dflt = "0", AT(over_time_limit_min) },
    { "PluginDir", CONF_TEXT, NOT_USED, .dflt = "/usr/lib/slurm" },
    { "PlugStackConfig", CONF_TEXT, NOT_USED },
    { "PowerParameters", CONF_TEXT, NOT_USED },
    { "PowerPlugin", CONF_TEXT, NOT_USED },
    { "PreemptExemptTime", CONF_SECONDS, USED, .dflt = "0", AT(preempt_exempt_s) },
    { "PreemptMode", CONF_WORDS, USED, .dflt = "OFF", AT(preempt_mode),
      .words = "GANG|WITHIN|PRIORITY|OFF|CANCEL|REQUEUE|SUSPEND" },
    { "PreemptParameters", CONF_TEXT, USED },
    { "PreemptType", CONF_TEXT, USED, AT(preempt_type) },
    { "PrEpParameters", CONF_TEXT, NOT_USED },
    { "PrEpPlugins", CONF_TEXT, NOT_USED, .dflt = "prep/script" },
    { "PriorityCalcPeriod", CONF_SECONDS, USED, .dflt = "5", AT(priority_calc_s) },
    { "PriorityDecayHalfLife", CONF_SECONDS, USED, .dflt = "7-0", AT(priority_half_life_s) },
    { "PriorityFavorSmall", CONF_BOOL, USED, .dflt = "no", AT(priority_favor_small) },
    { "PriorityFlags", CONF_FLAGS, USED, AT(priority_flags), .words = PRIORITY_WORDS },
    { "PriorityMaxAge", CONF_SECONDS, USED, .dflt = "7-0", AT(priority_max_age_s) },
    { "PriorityParameters", CONF_TEXT, NOT_USED },
    { "PrioritySiteFactorParameters", CONF_TEXT, NOT_USED },
    { "PrioritySiteFactorPlugin", CONF_TEXT, NOT_USED },
    { "PriorityType", CONF_WORD, USED, .dflt = "priority/multifactor", AT(priority_type),
      .words = "priority/multifactor|priority/basic" },
    { "PriorityUsageResetPeriod", CONF_WORD, USED, .dflt = "NONE", AT(priority_reset),
      .words = "NONE|NOW|DAILY|WEEKLY|MONTHLY|QUARTERLY|YEARLY" },
    { "PriorityWeightAge", CONF_U32, USED, .dflt = "0", AT(priority_weight_age) },
    { "PriorityWeightAssoc", CONF_U32, USED, .dflt = "0", AT(priority_weight_assoc) },
    { "PriorityWeightFairShare", CONF_U32, USED, .dflt = "0", AT(priority_weight_fairshare) },
    { "PriorityWeightJobSize", CONF_U32, USED, .dflt = "0", AT(priority_weight_job_size) },
    { "PriorityWeightPartition", CONF_U32, USED, .dflt = "0", AT(priority_weight_partition) },
    { "PriorityWeightQOS", CONF_U32, USED, .dflt = "0", AT(priority_weight_qos) },
    { "PriorityWeightTRES", CONF_TEXT, USED, AT(priority_weight_tres) },
    { "PrivateData", CONF_FLAGS, USED, .dflt = "none", AT(private_data), .words = PRIVATE_WORDS },
    { "ProctrackType", CONF_TEXT, USED, .dflt = "proctrack/cgroup", AT(proctrack_type) },
    { "Prolog", CONF_MANY, USED, AT(prolog) },
    { "PrologEpilogTimeout", CONF_U16, USED, .dflt = "65534", AT(prolog_epilog_timeout_s) },
    { "PrologFlags", CONF_WORDS, USED, AT(prolog_flags), .words = PROLOG_WORDS },
    { "PrologSlurmctld", CONF_MANY, USED, AT(prolog_slurmctld) },
    { "PrologTimeout", CONF_U16, USED, .dflt = "65534", AT(prolog_timeout_s) },
    { "PropagatePrioProcess", CONF_WORD, NOT_USED, .dflt = "0", .words = "0|1|2" },
    { "PropagateResourceLimits", CONF_WORDS, USED, .dflt = "ALL", AT(propagate_limits), .words = RLIMIT_WORDS },
    { "PropagateResourceLimitsExcept", CONF_WORDS, USED, AT(propagate_limits_except), .words = RLIMIT_WORDS },
    { "RebootProgram", CONF_TEXT, NOT_USED },
    { "ReconfigFlags", CONF_FLAGS, NOT_USED, .words = "KeepPartInfo|KeepPartState|KeepPowerSaveSettings" },
    { "RequeueExit", CONF_TEXT, NOT_USED, AT(requeue_exit) },
    { "RequeueExitHold", CONF_TEXT, NOT_USED, AT(requeue_exit_hold) },
    { "ResumeFailProgram", CONF_TEXT, NOT_USED },
    { "ResumeProgram", CONF_TEXT, NOT_USED },
    { "ResumeRate", CONF_U16, NOT_USED, .dflt = "300" },
    { "ResumeTimeout", CONF_U16, NOT_USED, .dflt = "60" },
    { "ResvEpilog", CONF_TEXT, USED },
    { "ResvOverRun", CONF_U16, USED, .dflt = "0", AT(resv_over_run_min) },
    { "ResvProlog", CONF_TEXT, USED },
    { "ReturnToService", CONF_U16, USED, .dflt = "0", AT(return_to_service) },
    { "RoutePlugin", CONF_TEXT, NOT_USED },
    { "SallocDefaultCommand", CONF_GONE, NOT_USED, .words = "LaunchParameters=use_interactive_step" },
    { "SbcastParameters", CONF_TEXT, USED, .alias = "BcastParameters" },
    { "SchedulerParameters", CONF_LIST, USED, AT(scheduler_parameters) },
    { "SchedulerTimeSlice", CONF_U16, USED, .dflt = "30", AT(time_slice_s) },
    { "SchedulerType", CONF_WORD, USED, .dflt = "sched/backfill", AT(scheduler_type),
      .words = "sched/backfill|sched/builtin" },
    { "ScronParameters", CONF_TEXT, NOT_USED },
    { "SelectType", CONF_WORD, USED, .dflt = "select/cons_tres", AT(select_type),
      .words = "select/cons_tres|select/linear" },
    { "SelectTypeParameters", CONF_WORDS, USED, .dflt = "CR_CORE_MEMORY", AT(select_type_parameters),
      .words = SELECT_WORDS },
    { "SlurmctldAddr", CONF_TEXT, NOT_USED },
    { "SlurmctldDebug", CONF_LEVEL, USED, .dflt = "info", AT(ctl_log_level) },
    { "SlurmctldHost", CONF_MANY, USED },
    { "SlurmctldHttpAuthParameters", CONF_TEXT, NOT_USED },
    { "SlurmctldLogFile", CONF_TEXT, USED, AT(ctl_log_file) },
    { "SlurmctldParameters", CONF_LIST, USED, AT(slurmctld_parameters) },
    { "SlurmctldPidFile", CONF_TEXT, USED, .dflt = "/run/slurmctld.pid", AT(ctl_pid_file) },
    { "SlurmctldPort", CONF_PORTS, USED, .dflt = "6817" },
    { "SlurmctldPrimaryOffProg", CONF_TEXT, NOT_USED },
    { "SlurmctldPrimaryOnProg", CONF_TEXT, NOT_USED },
    { "SlurmctldSyslogDebug", CONF_LEVEL, NOT_USED },
    { "SlurmctldTimeout", CONF_U16, NOT_USED, .dflt = "120", AT(ctl_timeout_s) },
    { "SlurmdDebug", CONF_LEVEL, USED, .dflt = "info", AT(node_log_level) },
    { "SlurmdHttpAuthParameters", CONF_TEXT, NOT_USED },
    { "SlurmdLogFile", CONF_TEXT, USED, AT(node_log_file) },
    { "SlurmdParameters", CONF_LIST, USED, AT(slurmd_parameters) },
    { "SlurmdPidFile", CONF_TEXT, USED, .dflt = "/run/slurmd.pid", AT(node_pid_file) },
    { "SlurmdPort", CONF_U32, USED, .dflt = "6818" },
    { "SlurmdSpoolDir", CONF_TEXT, USED, .dflt = "/var/spool/slurmd", AT(node_spool_dir) },
    { "SlurmdSyslogDebug", CONF_LEVEL, NOT_USED },
    { "SlurmdTimeout", CONF_U16, USED, .dflt = "300", AT(node_timeout_s) },
    { "SlurmdUser", CONF_TEXT, NOT_USED, .dflt = "root", AT(slurmd_user) },
    { "SlurmSchedLogFile", CONF_TEXT, NOT_USED },
    { "SlurmSchedLogLevel", CONF_U16, NOT_USED, .dflt = "0" },
    { "SlurmUser", CONF_TEXT, USED, .dflt = "root", AT(slurm_user) },
    { "SpurClockMaxSkew", CONF_U32, USED, .dflt = "300", AT(clock_max_skew_s) },
    { "SpurControllers", CONF_TEXT, USED },
    { "SpurFenceProgram", CONF_TEXT, USED, AT(fence_program) },
    { "SpurFencing", CONF_WORD, USED, .dflt = "slurm", AT(fencing), .words = "slurm|confirm|lease" },
    { "SpurKeyDir", CONF_TEXT, USED, AT(key_dir) },
    { "SpurKeyFile", CONF_TEXT, USED, .dflt = "/etc/spur/spur.key", AT(key_file) },
    { "SpurLeaseTime", CONF_U32, USED, .dflt = "0", AT(lease_s) },
    { "SpurPlannedStarts", CONF_U32, USED, .dflt = "2", AT(planned_starts) },
    { "SpurPolicy", CONF_WORD, USED, .dflt = "priority", AT(policy), .words = "priority|short" },
    { "SpurSocketDir", CONF_TEXT, USED, AT(socket_dir) },
    { "SpurTrainingEnv", CONF_BOOL, USED, .dflt = "yes", AT(training_env) },
    { "SpurTransport", CONF_WORD, USED, .dflt = "tls", AT(transport), .words = "plain|tls" },
    { "SpurYieldAfter", CONF_SECONDS, USED, .dflt = "0", AT(yield_after_s) },
    { "SrunEpilog", CONF_TEXT, USED, AT(srun_epilog) },
    { "SrunPortRange", CONF_TEXT, NOT_USED, .dflt = "0-0" },
    { "SrunProlog", CONF_TEXT, USED, AT(srun_prolog) },
    { "StateSaveLocation", CONF_TEXT, USED, .dflt = "/var/spool", AT(state_dir) },
    { "SuspendExcNodes", CONF_TEXT, NOT_USED },
    { "SuspendExcParts", CONF_LIST, NOT_USED },
    { "SuspendExcStates", CONF_LIST, NOT_USED },
    { "SuspendProgram", CONF_TEXT, NOT_USED },
    { "SuspendRate", CONF_U16, NOT_USED, .dflt = "60" },
    { "SuspendTime", CONF_IDLE, NOT_USED, .dflt = "INFINITE" },
    { "SuspendTimeout", CONF_U16, NOT_USED, .dflt = "30" },
    { "SwitchParameters", CONF_TEXT, NOT_USED },
    { "SwitchType", CONF_TEXT, NOT_USED },
    { "TaskEpilog", CONF_TEXT, USED, AT(task_epilog) },
    { "TaskPlugin", CONF_LIST, USED, AT(task_plugin) },
    { "TaskPluginParam", CONF_WORDS, USED, .words = TASK_WORDS },
    { "TaskProlog", CONF_TEXT, USED, AT(task_prolog) },
    { "TCPTimeout", CONF_U16, NOT_USED, .dflt = "2", AT(tcp_timeout_s) },
    { "TLSParameters", CONF_TEXT, NOT_USED },
    { "TLSType", CONF_TEXT, NOT_USED, .dflt = "tls/none" },
    { "TmpFS", CONF_TEXT, USED, .dflt = "/tmp", AT(tmp_fs) },
    { "TopologyParam", CONF_TEXT, USED, AT(topology_param) },
    { "TopologyPlugin", CONF_TEXT, USED, .dflt = "topology/flat", AT(topology_plugin) },
    { "TrackWCKey", CONF_BOOL, NOT_USED, .dflt = "no", AT(track_wckey) },
    { "TreeWidth", CONF_U16, USED, .dflt = "16", AT(tree_width) },
    { "UnkillableStepProgram", CONF_TEXT, NOT_USED },
    { "UnkillableStepTimeout", CONF_U16, NOT_USED, .dflt = "60", AT(unkillable_step_timeout_s) },
    { "UrlParserType", CONF_TEXT, NOT_USED },
    { "UsePAM", CONF_BOOL, NOT_USED, .dflt = "no" },
    { "VSizeFactor", CONF_U16, NOT_USED, .dflt = "0", AT(vsize_factor) },
    { "WaitTime", CONF_U16, USED, .dflt = "0", AT(wait_time_s) },
    { "X11Parameters", CONF_TEXT, NOT_USED },
};
#undef AT

#define NODE_STATES   "UNKNOWN|IDLE>UNKNOWN|DOWN|DRAIN|FAIL|FAILING|CLOUD|FUTURE"
#define SELECT_PART   "CR_CORE|CR_CORE_MEMORY|CR_SOCKET|CR_SOCKET_MEMORY"

#define AT(field) .at = offsetof(struct node_line, field) + 1
static const struct conf_key node_rows[] = {
    { "BcastAddr", CONF_HOSTS, NOT_USED, AT(bcast_addrs) },
    { "Boards", CONF_U16, USED, AT(boards) },
    { "CoreSpecCount", CONF_U16, USED, AT(node.core_spec) },
    { "CoresPerSocket", CONF_U16, USED, AT(cores) },
    { "CpuBind", CONF_WORD, USED, AT(node.cpu_bind), .words = CPU_BIND_WORDS },
    { "CPUs", CONF_U16, USED, AT(cpus) },
    { "CpuSpecList", CONF_LIST, USED, AT(node.cpu_spec_list) },
    { "Feature", CONF_LIST, USED, AT(node.features), .alias = "Features" },
    { "Features", CONF_LIST, USED, AT(node.features) },
    { "Gres", CONF_LIST, USED, AT(node.gres) },
    { "GresConf", CONF_TEXT, NOT_USED },
    { "MemSpecLimit", CONF_U64, USED, AT(node.mem_spec_mb) },
    { "NodeAddr", CONF_HOSTS, USED, AT(addrs) },
    { "NodeHostname", CONF_HOSTS, USED, AT(hostnames) },
    { "Parameters", CONF_LIST, NOT_USED, AT(node.parameters) },
    { "Port", CONF_HOSTS, USED, AT(ports) },
    { "Procs", CONF_U16, USED, AT(cpus), .alias = "CPUs" },
    { "RealMemory", CONF_U64, USED, .dflt = "0", AT(node.mem_mb) },
    { "Reason", CONF_TEXT, USED, AT(node.reason) },
    { "RestrictedCoresPerGPU", CONF_U16, NOT_USED, AT(node.restricted_cores_per_gpu) },
    { "Sockets", CONF_U16, USED, AT(sockets) },
    { "SocketsPerBoard", CONF_U16, USED, AT(sockets_per_board) },
    { "State", CONF_WORD, USED, .dflt = "UNKNOWN", AT(node.state), .words = NODE_STATES },
    { "SuspendTime", CONF_IDLE, NOT_USED, .dflt = "4294967294", AT(node.suspend_time_s) },
    { "ThreadsPerCore", CONF_U16, USED, AT(threads) },
    { "TmpDisk", CONF_U32, USED, AT(tmp_mb) },
    { "Topology", CONF_TEXT, USED, AT(node.topology) },
    { "TRESWeights", CONF_TEXT, NOT_USED },
    { "Weight", CONF_U32, USED, .dflt = "1", AT(node.weight) },
};
#undef AT

#define AT(field) .at = offsetof(struct site_part, field) + 1
static const struct conf_key part_rows[] = {
    { "AllocNodes", CONF_HOSTS, USED, AT(alloc_nodes) },
    { "AllowAccounts", CONF_LIST, USED, AT(allow_accounts) },
    { "AllowGroups", CONF_LIST, USED, AT(allow_groups) },
    { "AllowQos", CONF_LIST, USED, AT(allow_qos) },
    { "Alternate", CONF_TEXT, USED, AT(alternate) },
    { "CpuBind", CONF_WORD, USED, AT(cpu_bind), .words = CPU_BIND_WORDS },
    { "Default", CONF_BOOL, USED, .dflt = "no", AT(is_default) },
    { "DefaultTime", CONF_MINUTES, USED, AT(default_time_min) },
    { "DefCpuPerGPU", CONF_U64, USED, .dflt = "0", AT(def_cpu_per_gpu) },
    { "DefMemPerCPU", CONF_U64, USED, .dflt = "0", AT(def_mem_per_cpu_mb) },
    { "DefMemPerGPU", CONF_U64, USED, .dflt = "0", AT(def_mem_per_gpu_mb) },
    { "DefMemPerNode", CONF_U64, USED, .dflt = "0", AT(def_mem_per_node_mb) },
    { "DenyAccounts", CONF_LIST, USED, AT(deny_accounts) },
    { "DenyQos", CONF_LIST, USED, AT(deny_qos) },
    { "DisableRootJobs", CONF_BOOL, USED, AT(disable_root_jobs) },
    { "Exclusive", CONF_WORD, USED, AT(exclusive), .words = "NO|NODE|USER|TOPO" },
    { "ExclusiveTopo", CONF_BOOL, USED, AT(exclusive_topo) },
    { "ExclusiveUser", CONF_BOOL, USED, AT(exclusive_user) },
    { "GraceTime", CONF_U32, USED, .dflt = "0", AT(grace_s) },
    { "Hidden", CONF_BOOL, USED, .dflt = "no", AT(hidden) },
    { "LLN", CONF_BOOL, USED, .dflt = "no", AT(lln) },
    { "MaxCPUsPerNode", CONF_U32, USED, .dflt = "UNLIMITED", AT(max_cpus_per_node) },
    { "MaxCPUsPerSocket", CONF_U32, USED, .dflt = "UNLIMITED", AT(max_cpus_per_socket) },
    { "MaxMemPerCPU", CONF_U64, USED, .dflt = "0", AT(max_mem_per_cpu_mb) },
    { "MaxMemPerNode", CONF_U64, USED, .dflt = "0", AT(max_mem_per_node_mb) },
    { "MaxNodes", CONF_U32, USED, .dflt = "UNLIMITED", AT(max_nodes) },
    { "MaxTime", CONF_MINUTES, USED, .dflt = "UNLIMITED", AT(max_time_min) },
    { "MinNodes", CONF_U32, USED, .dflt = "0", AT(min_nodes) },
    { "Nodes", CONF_HOSTS, USED, AT(nodes) },
    { "OverSubscribe", CONF_TEXT, USED, AT(oversubscribe) },
    { "OverTimeLimit", CONF_U32, USED, .dflt = "4294967294", AT(over_time_limit_min) },
    { "PowerDownOnIdle", CONF_BOOL, NOT_USED, .dflt = "no", AT(power_down_on_idle) },
    { "PreemptMode", CONF_TEXT, USED, AT(preempt_mode) },
    { "Priority", CONF_U16, USED, .dflt = "65534", AT(priority_both) },
    { "PriorityJobFactor", CONF_U16, USED, .dflt = "1", AT(priority_job_factor) },
    { "PriorityTier", CONF_U16, USED, .dflt = "1", AT(priority_tier) },
    { "QOS", CONF_TEXT, USED, AT(qos) },
    { "ReqResv", CONF_BOOL, USED, .dflt = "no", AT(req_resv) },
    { "ResumeTimeout", CONF_U16, NOT_USED, .dflt = "65534", AT(resume_timeout_s) },
    { "RootOnly", CONF_BOOL, USED, .dflt = "no", AT(root_only) },
    { "SelectTypeParameters", CONF_WORD, NOT_USED, AT(select_type_parameters), .words = SELECT_PART },
    { "Shared", CONF_TEXT, USED, AT(oversubscribe), .alias = "OverSubscribe" },
    { "State", CONF_WORD, USED, .dflt = "UP", AT(state), .words = "UP|DOWN|DRAIN|INACTIVE" },
    { "SuspendTime", CONF_IDLE, NOT_USED, .dflt = "4294967294", AT(suspend_time_s) },
    { "SuspendTimeout", CONF_U16, NOT_USED, .dflt = "65534", AT(suspend_timeout_s) },
    { "Topology", CONF_TEXT, USED, AT(topology) },
    { "TRESBillingWeights", CONF_LIST, USED, AT(tres_billing_weights) },
};
#undef AT

#define AT(field) .at = offsetof(struct down_line, field) + 1
static const struct conf_key down_rows[] = {
    { "Reason", CONF_TEXT, USED, AT(reason) },
    { "State", CONF_WORD, USED, .dflt = "DOWN", AT(state), .words = "DOWN|DRAIN|FAIL|FAILING|FUTURE" },
};
#undef AT

#define AT(field) .at = offsetof(struct site_nodeset, field) + 1
static const struct conf_key nodeset_rows[] = {
    { "Feature", CONF_TEXT, USED, AT(feature) },
    { "Nodes", CONF_HOSTS, USED, AT(nodes) },
};
#undef AT

static const struct conf_key power_rows[] = {
    { "Location", CONF_WORD, NOT_USED, .words = "slurmctld|slurmd" },
    { "Program", CONF_TEXT, NOT_USED },
};
/* clang-format on */

static const struct {
    const struct conf_key *row;
    size_t n;
} tables[CONF_KINDS] = {
    [CONF_GLOBAL] = { global_rows, ARRAY_LEN(global_rows) },
    [CONF_NODE] = { node_rows, ARRAY_LEN(node_rows) },
    [CONF_PART] = { part_rows, ARRAY_LEN(part_rows) },
    [CONF_DOWN] = { down_rows, ARRAY_LEN(down_rows) },
    [CONF_NODESET] = { nodeset_rows, ARRAY_LEN(nodeset_rows) },
    [CONF_POWER] = { power_rows, ARRAY_LEN(power_rows) },
};

_Static_assert(ARRAY_LEN(global_rows) <= CONF_KEYS_MAX, "site.value has room for every row");

const struct conf_key *conf_keys(enum conf_kind kind, size_t *n)
{
    *n = tables[kind].n;
    return tables[kind].row;
}
