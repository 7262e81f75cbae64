/*
 * job - the field table of a job; see job.h.
 *
 * The order is that of Slurm's squeue --helpFormat; rows without a -O name follow.  Getters are in job_get.c.
 */
#include "show/job.h"

#include "show/job_priv.h"

#define IN_JOB(member) .at = offsetof(Pb__Job, member), .of = #member
#define IN_SPEC(member) .at = offsetof(Pb__JobSpec, member), .of = "spec." #member
#define OF(members) .of = members

/* clang-format off */
static const struct show_field job_fields[] = {
    /* -O                 -o   head                 scontrol        JSON                 type             getter */
    { "Account", 'a', "ACCOUNT", "Account", "account", SHOW_TEXT, job_get_spec_text, IN_SPEC(account) },
    { "AccrueTime", 0, "ACCRUE_TIME", "AccrueTime", "accrue_time", SHOW_TIME, job_get_accrue, IN_JOB(accrue_s) },
    { "admin_comment", 0, "ADMIN_COMMENT", "AdminComment", "admin_comment", SHOW_TEXT, job_get_spec_text,
      IN_SPEC(admin_comment) },
    { "AllocNodes", 0, "ALLOC_NODES", NULL, "allocating_node", SHOW_TEXT, job_get_spec_text, IN_SPEC(alloc_host) },
    { "AllocSID", 0, "ALLOC_SID", NULL, NULL, SHOW_NUMBER, job_get_spec_number, IN_SPEC(alloc_sid) },
    { "ArrayJobId", 'F', "ARRAY_JOB_ID", NULL, NULL, SHOW_NUMBER, job_get_array_or_id, OF("array_job id") },
    { "ArrayTaskId", 'K', "ARRAY_TASK_ID", "ArrayTaskId", NULL, SHOW_TEXT, job_get_tasks,
      OF("array_task has_task array_text array_pending"), .none = "N/A" },
    { "AssocId", 0, "ASSOC_ID", NULL, "association_id", SHOW_NUMBER, show_get_unset },
    { "BatchFlag", 0, "BATCH_FLAG", "BatchFlag", "batch_flag", SHOW_BOOL, job_get_batch, IN_SPEC(kind) },
    { "BatchHost", 'B', "EXEC_HOST", "BatchHost", "batch_host", SHOW_TEXT, job_get_job_text, IN_JOB(batch_host),
      .none = "n/a" },
    { "BoardsPerNode", 0, "BOARDS_PER_NODE", NULL, NULL, SHOW_NUMBER, show_get_unset },
    { "BurstBuffer", 0, "BURST_BUFFER", NULL, "burst_buffer", SHOW_TEXT, job_get_spec_text, IN_SPEC(burst_buffer) },
    { "BurstBufferState", 0, "BURST_BUFFER_STATE", NULL, "burst_buffer_state", SHOW_TEXT, show_get_unset },
    { "Cluster", 0, "CLUSTER", NULL, "cluster", SHOW_TEXT, job_get_cluster },
    { "ClusterFeature", 0, "CLUSTER_FEATURES", NULL, "cluster_features", SHOW_TEXT, show_get_unset },
    { "Command", 'o', "COMMAND", "Command", "command", SHOW_TEXT, job_get_command, IN_SPEC(argv) },
    { "Comment", 'k', "COMMENT", "Comment", "comment", SHOW_TEXT, job_get_spec_text, IN_SPEC(comment) },
    { "Container", 0, "CONTAINER", NULL, "container", SHOW_TEXT, job_get_spec_text, IN_SPEC(container) },
    { "ContainerId", 0, "CONTAINERID", NULL, "container_id", SHOW_TEXT, job_get_spec_text, IN_SPEC(container_id) },
    { "ContainerType", 0, "CONTAINERTYPE", NULL, "container_type", SHOW_TEXT, show_get_unset, .since = 45 },
    { "Contiguous", 'O', "CONTIGUOUS", "Contiguous", "contiguous", SHOW_BOOL, job_get_spec_flag, IN_SPEC(contiguous) },
    { "Cores", 'I', "CORES_PER_SOCKET", NULL, "cores_per_socket", SHOW_NUMBER_SET, job_get_spec_count,
      IN_SPEC(cores_per_socket), .none = "*" },
    { "CoreSpec", 'X', "CORE_SPEC", NULL, NULL, SHOW_TEXT, job_get_core_spec, OF("spec.core_spec"), .none = "N/A" },
    { "CPUsPerTask", 0, "CPUS_PER_TASK", "CPUs/Task", "cpus_per_task", SHOW_NUMBER_SET, job_get_cpus_per_task,
      OF("spec.cpus_per_task") },
    { "cpus-per-task", 0, "CPUS_PER_TASK", NULL, NULL, SHOW_NUMBER, job_get_cpus_per_task },
    { "cpus-per-tres", 0, "CPUS_PER_TRES", NULL, "cpus_per_tres", SHOW_TEXT, job_get_per_gpu, OF("spec.cpus_per_gpu"),
      .none = "N/A" },
    { "CronJob", 0, "CRON_JOB", NULL, NULL, SHOW_BOOL, show_get_unset, .none = "No" },
    { "Deadline", 0, "DEADLINE", "Deadline", "deadline", SHOW_TIME, job_get_spec_time, IN_SPEC(deadline_s),
      .pair_none = "N/A" },
    { "DelayBoot", 0, "DELAY_BOOT", "DelayBoot", "delay_boot", SHOW_SECONDS, job_get_delay_boot,
      OF("spec.delay_boot_min") },
    { "Dependency", 'E', "DEPENDENCY", "Dependency", "dependency", SHOW_TEXT, job_get_job_text,
      .at = offsetof(Pb__Job, depend_text), OF("depend_text depend spec.dependency") },
    { "DerivedEC", 0, "DERIVED_EC", "DerivedExitCode", "derived_exit_code", SHOW_EXIT_CODE, job_get_exit_code,
      IN_JOB(derived_code) },
    { "EligibleTime", 0, "ELIGIBLE_TIME", "EligibleTime", "eligible_time", SHOW_TIME, job_get_eligible,
      OF("eligible_s") },
    { "EndTime", 'e', "END_TIME", "EndTime", "end_time", SHOW_TIME, job_get_end, OF("end_s suspended_total_s") },
    { "ExcNodes", 'x', "EXC_NODES", "ExcNodeList", "excluded_nodes", SHOW_TEXT, job_get_spec_text, IN_SPEC(exclude),
      .none = "" },
    { "Exclusive", 0, "EXCLUSIVE", "Exclusive", NULL, SHOW_TEXT, job_get_exclusive,
      OF("oversub part_user_exclusive spec.exclusive") },
    { "exit_code", 0, "EXIT_CODE", "ExitCode", "exit_code", SHOW_EXIT_CODE, job_get_exit_code, IN_JOB(exit_code) },
    { "Feature", 'f', "FEATURES", "Features", "features", SHOW_TEXT, job_get_features,
      OF("spec.constraint preferred") },
    { "GroupId", 'G', "GROUP", NULL, "group_id", SHOW_NUMBER, job_get_job_number, IN_JOB(gid) },
    { "GroupName", 'g', "GROUP", NULL, "group_name", SHOW_TEXT, job_get_group },
    { "HetJobId", 0, "HET_JOB_ID", "HetJobId", "het_job_id", SHOW_NUMBER_SET, job_get_job_count, IN_JOB(het_job),
      .none = "N/A", .flags = SHOW_ZERO },
    { "HetJobIdSet", 0, "HET_JOB_ID_SET", "HetJobIdSet", "het_job_id_set", SHOW_TEXT, job_get_het_set, OF("het_size"),
      .none = "N/A" },
    { "HetJobOffset", 0, "HET_JOB_OFFSET", "HetJobOffset", "het_job_offset", SHOW_NUMBER_SET, job_get_het_offset,
      OF("het_offset"), .none = "N/A", .flags = SHOW_ZERO },
    { "JobArrayId", 'i', "JOBID", NULL, NULL, SHOW_TEXT, job_get_id, .sort = job_get_id_order },
    { "JobId", 'A', "JOBID", "JobId", "job_id", SHOW_NUMBER, job_get_job_number, IN_JOB(id) },
    { "LastSchedEval", 0, "LAST_SCHED_EVAL", "LastSchedEval", "last_sched_evaluation", SHOW_TIME, job_get_last_look,
      OF("submit_s start_s") },
    { "Licenses", 'W', "LICENSES", "Licenses", "licenses", SHOW_TEXT, job_get_spec_text, IN_SPEC(licenses) },
    { "LicensesAlloc", 0, "LICENSES_ALLOC", "LicensesAlloc", "licenses_allocated", SHOW_TEXT, job_get_licenses,
      OF("licenses"), .since = 43 },
    { "MaxCPUs", 0, "MAX_CPUS", NULL, NULL, SHOW_NUMBER, job_get_job_number, IN_JOB(num_cpus) },
    { "MaxNodes", 0, "MAX_NODES", NULL, NULL, SHOW_NUMBER, job_get_max_nodes },
    { "mem-per-tres", 0, "MEM_PER_TRES", NULL, "memory_per_tres", SHOW_TEXT, job_get_per_gpu, .at = 1,
      OF("spec.mem_per_gpu_mb"), .none = "N/A" },
    { "MCSLabel", 0, "MCSLABEL", "MCS_label", "mcs_label", SHOW_TEXT, job_get_spec_text, IN_SPEC(mcs_label),
      .pair_none = "N/A" },
    { "MinCPUs", 'c', "MIN_CPUS", "MinCPUsNode", "minimum_cpus_per_node", SHOW_NUMBER_SET, job_get_min_cpus,
      OF("spec.mincpus") },
    { "MinMemory", 'm', "MIN_MEMORY", NULL, NULL, SHOW_MEMORY_MB, job_get_memory },
    { "MinTime", 0, "TIME_MIN", "TimeMin", "time_minimum", SHOW_MINUTES, job_get_spec_count, IN_SPEC(time_min_min),
      .none = "0:00", .flags = SHOW_ZERO },
    { "MinTmpDisk", 'd', "MIN_TMP_DISK", "MinTmpDiskNode", "minimum_tmp_disk_per_node", SHOW_MEMORY_MB,
      job_get_spec_amount, IN_SPEC(tmp_mb), .flags = SHOW_ZERO },
    { "Name", 'j', "NAME", "JobName", "name", SHOW_TEXT, job_get_spec_text, IN_SPEC(name), .none = "" },
    { "Network", 0, "NETWORK", "Network", "network", SHOW_TEXT, job_get_spec_text, IN_SPEC(network) },
    { "Nice", 'y', "NICE", "Nice", "nice", SHOW_NUMBER, job_get_spec_signed, IN_SPEC(nice) },
    { "NodeList", 'N', "NODELIST", "NodeList", "nodes", SHOW_TEXT, job_get_job_text, IN_JOB(nodes), .none = "",
      .pair_none = "" },
    { "NTPerCore", 0, "NTASKS_PER_CORE", NULL, "tasks_per_core", SHOW_NUMBER_SET, job_get_ntasks_per,
      IN_SPEC(ntasks_per_core), .infinite = "N/A" },
    { "NTPerNode", 0, "NTASKS_PER_NODE", NULL, "tasks_per_node", SHOW_NUMBER_SET, job_get_spec_number,
      IN_SPEC(ntasks_per_node) },
    { "NTPerSocket", 0, "NTASKS_PER_SOCKET", NULL, "tasks_per_socket", SHOW_NUMBER_SET, job_get_ntasks_per,
      IN_SPEC(ntasks_per_socket), .infinite = "N/A" },
    { "NTPerBoard", 0, "NTASKS_PER_BOARD", NULL, "tasks_per_board", SHOW_NUMBER_SET, job_get_spec_number,
      IN_SPEC(ntasks_per_board) },
    { "NumCPUs", 'C', "CPUS", "NumCPUs", "cpus", SHOW_NUMBER_SET, job_get_job_number, IN_JOB(num_cpus) },
    { "NumNodes", 'D', "NODES", NULL, "node_count", SHOW_NUMBER_SET, job_get_nodes, OF("num_nodes") },
    { "NumTasks", 0, "TASKS", "NumTasks", "tasks", SHOW_NUMBER_SET, job_get_job_number, IN_JOB(num_tasks) },
    { "Origin", 0, "ORIGIN", NULL, "federation_origin", SHOW_TEXT, show_get_unset, .none = "NA" },
    { "OriginRaw", 0, "ORIGIN_RAW", NULL, NULL, SHOW_TEXT, show_get_unset, .none = "NA" },
    { "OverSubscribe", 'h', "OVER_SUBSCRIBE", "OverSubscribe", NULL, SHOW_TEXT, job_get_shared,
      OF("part_oversub spec.oversubscribe") },
    { "Partition", 'P', "PARTITION", "Partition", "partition", SHOW_TEXT, job_get_partition,
      OF("partition spec.partition") },
    { "PendingTime", 0, "PENDING_TIME", NULL, NULL, SHOW_NUMBER, job_get_pending_time },
    { "PreemptTime", 0, "PREEMPT_TIME", NULL, "preempt_time", SHOW_TIME, job_get_job_time, IN_JOB(preempt_s) },
    { "Prefer", 0, "PREFER", "Prefer", "prefer", SHOW_TEXT, job_get_prefer, OF("spec.prefer") },
    { "Priority", 'p', "PRIORITY", NULL, NULL, SHOW_FLOAT, job_get_priority_share, .format = "%16.14f",
      .sort = job_get_priority_order },
    { "PriorityLong", 'Q', "PRIORITY", "Priority", "priority", SHOW_NUMBER_SET, job_get_job_number, IN_JOB(priority) },
    { "Profile", 0, "PROFILE", NULL, NULL, SHOW_TEXT, job_get_spec_text, IN_SPEC(profile), .none = "NotSet" },
    { "QOS", 'q', "QOS", "QOS", "qos", SHOW_TEXT, job_get_spec_text, IN_SPEC(qos) },
    { "Reason", 'r', "REASON", NULL, NULL, SHOW_TEXT, job_get_reason, OF("reason reason_text lost_nodes") },
    { "ReasonList", 'R', "NODELIST(REASON)", NULL, NULL, SHOW_TEXT, job_get_reason_list, .none = "" },
    { "Reboot", 0, "REBOOT", "Reboot", "reboot", SHOW_BOOL, job_get_spec_flag, IN_SPEC(reboot) },
    { "ReqNodes", 'n', "REQ_NODES", "ReqNodeList", "required_nodes", SHOW_TEXT, job_get_spec_text, IN_SPEC(nodelist),
      .none = "" },
    { "ReqSwitch", 0, "REQ_SWITCH", NULL, "required_switches", SHOW_NUMBER, job_get_switches, OF("spec.switches") },
    { "Requeue", 0, "REQUEUE", "Requeue", "requeue", SHOW_BOOL, job_get_job_flag, .at = offsetof(Pb__Job, requeue),
      OF("requeue spec.requeue") },
    { "Reservation", 'v', "RESERVATION", "Reservation", "resv_name", SHOW_TEXT, job_get_resv,
      OF("resv resv_name spec.reservation") },
    { "ResizeTime", 0, "RESIZE_TIME", "ResizeTime", "resize_time", SHOW_TIME, job_get_job_time, IN_JOB(resize_s) },
    { "RestartCnt", 0, "RESTART_COUNT", "Restarts", "restart_cnt", SHOW_NUMBER, job_get_job_number, IN_JOB(restarts) },
    { "SchedNodes", 'Y', "SCHEDNODES", "SchedNodeList", "scheduled_nodes", SHOW_TEXT, job_get_planned_nodes,
      OF("planned_nodes") },
    { "SCT", 'z', "S:C:T", NULL, NULL, SHOW_TEXT, job_get_sct, .sort = job_get_sockets_order },
    { "SegmentSize", 0, "SEGMENT_SIZE", "SegmentSize", "segment_size", SHOW_NUMBER, job_get_spec_count,
      IN_SPEC(segment),
      .none = "N/A", .since = 43 },
    { "SiblingsActive", 0, "ACTIVE_SIBLINGS", NULL, "federation_siblings_active", SHOW_TEXT, show_get_unset,
      .none = "NA" },
    { "SiblingsActiveRaw", 0, "ACTIVE_SIBLINGS_RAW", NULL, NULL, SHOW_TEXT, show_get_unset, .none = "NA" },
    { "SiblingsViable", 0, "VIABLE_SIBLINGS", NULL, "federation_siblings_viable", SHOW_TEXT, show_get_unset,
      .none = "NA" },
    { "SiblingsViableRaw", 0, "VIALBLE_SIBLINGS_RAW", NULL, NULL, SHOW_TEXT, show_get_unset, .none = "NA" },
    { "SLUID", 's', "SLUID", "SLUID", "step_id.sluid", SHOW_TEXT, job_get_sluid, .since = 44 },
    { "Sockets", 'H', "SOCKETS_PER_NODE", "Socks/Node", "sockets_per_node", SHOW_NUMBER_SET, job_get_spec_count,
      IN_SPEC(sockets_per_node), .none = "*", .pair_none = "*" },
    { "SPerBoard", 0, "SOCKETS_PER_BOARD", NULL, "sockets_per_board", SHOW_NUMBER, show_get_unset },
    { "StartTime", 'S', "START_TIME", "StartTime", "start_time", SHOW_TIME, job_get_start,
      OF("start_s planned_start_s spec.begin_s") },
    { "State", 'T', "STATE", "JobState", NULL, SHOW_TEXT, job_get_state, OF("state") },
    { "StateCompact", 't', "ST", NULL, NULL, SHOW_TEXT, job_get_state_code },
    { "StdErr", 0, "STDERR", NULL, NULL, SHOW_TEXT, job_get_file, .at = 2 },
    { "StdIn", 0, "STDIN", NULL, NULL, SHOW_TEXT, job_get_file, .at = 0 },
    { "StdOut", 0, "STDOUT", NULL, NULL, SHOW_TEXT, job_get_file, .at = 1 },
    { "SubmitTime", 'V', "SUBMIT_TIME", "SubmitTime", "submit_time", SHOW_TIME, job_get_job_time, IN_JOB(submit_s) },
    { "system_comment", 0, "SYSTEM_COMMENT", "SystemComment", "system_comment", SHOW_TEXT, job_get_spec_text,
      IN_SPEC(system_comment) },
    { "Threads", 'J', "THREADS_PER_CORE", NULL, "threads_per_core", SHOW_NUMBER_SET, job_get_spec_count,
      IN_SPEC(threads_per_core), .none = "*" },
    { "TimeLeft", 'L', "TIME_LEFT", NULL, NULL, SHOW_SECONDS, job_get_left, .sort = job_get_left_order },
    { "TimeLimit", 'l', "TIME_LIMIT", "TimeLimit", "time_limit", SHOW_MINUTES, job_get_limit,
      OF("time_limit_min spec.time_limit_min") },
    { "TimeUsed", 'M', "TIME", "RunTime", NULL, SHOW_SECONDS, job_get_elapsed },
    { "tres-alloc", 0, "TRES_ALLOC", NULL, NULL, SHOW_TEXT, job_get_tres, .none = "N/A" },
    { "tres-bind", 0, "TRES_BIND", NULL, "tres_bind", SHOW_TEXT, job_get_spec_text, IN_SPEC(tres_bind), .none = "N/A" },
    { "tres-freq", 0, "TRES_FREQ", NULL, "tres_freq", SHOW_TEXT, show_get_unset, .none = "N/A" },
    { "tres-per-job", 0, "TRES_PER_JOB", "TresPerJob", "tres_per_job", SHOW_TEXT, job_get_gpus, IN_SPEC(gpus),
      .none = "N/A" },
    { "tres-per-socket", 0, "TRES_PER_SOCKET", "TresPerSocket", "tres_per_socket", SHOW_TEXT, job_get_gpus,
      IN_SPEC(gpus_per_socket), .none = "N/A" },
    { "tres-per-task", 0, "TRES_PER_TASK", "TresPerTask", "tres_per_task", SHOW_TEXT, job_get_tres_per_task,
      OF("spec.tres_per_task spec.gpus_per_task"), .none = "N/A" },
    { "UserId", 'U', "UID", NULL, "user_id", SHOW_NUMBER, job_get_job_number, IN_JOB(uid) },
    { "UserName", 'u', "USER", NULL, "user_name", SHOW_TEXT, job_get_user, OF("user_name") },
    { "Wait4Switch", 0, "WAIT4SWITCH", NULL, "maximum_switch_wait_time", SHOW_SECONDS, job_get_switch_wait,
      .flags = SHOW_PLAIN },
    { "WCKey", 'w', "WCKEY", "WCKey", "wckey", SHOW_TEXT, job_get_spec_text, IN_SPEC(wckey) },
    { "WorkDir", 'Z', "WORK_DIR", "WorkDir", "current_working_directory", SHOW_TEXT, job_get_spec_text,
      IN_SPEC(workdir),
      .pair_none = "" },
    { "tres-per-node", 'b', "TRES_PER_NODE", "TresPerNode", "tres_per_node", SHOW_TEXT, job_get_tres_per_node,
      OF("spec.gres spec.gpus_per_node"), .none = "N/A", .flags = SHOW_ALIAS },
    { "Gres", 0, "TRES_PER_NODE", NULL, NULL, SHOW_TEXT, job_get_tres_per_node, .none = "N/A", .flags = SHOW_ALIAS },
    { "Tres", 0, "TRES_ALLOC", NULL, NULL, SHOW_TEXT, job_get_tres, .none = "N/A", .flags = SHOW_ALIAS },
    { "Shared", 0, "OVER_SUBSCRIBE", NULL, NULL, SHOW_TEXT, job_get_shared, .flags = SHOW_ALIAS },
    { "PackJobId", 0, "HET_JOB_ID", NULL, NULL, SHOW_NUMBER, job_get_job_count, .at = offsetof(Pb__Job, het_job),
      .none = "N/A", .flags = SHOW_ALIAS },
    { "PackJobIdSet", 0, "HET_JOB_ID_SET", NULL, NULL, SHOW_TEXT, job_get_het_set, .none = "N/A", .flags = SHOW_ALIAS },
    { "PackJobOffset", 0, "HET_JOB_OFFSET", NULL, NULL, SHOW_NUMBER, job_get_het_offset, .none = "N/A",
      .flags = SHOW_ALIAS },

    /* scontrol */
    { .key = "ArrayJobId", .json = "array_job_id", .type = SHOW_NUMBER_SET, .get = job_get_job_count, IN_JOB(array_job),
      .flags = SHOW_ZERO },
    { .key = "ArrayTaskThrottle", .json = "array_max_tasks", .type = SHOW_NUMBER_SET, .get = job_get_throttle,
      OF("array_max_running spec.array"), .flags = SHOW_ZERO },
    { .key = "UserId", .type = SHOW_TEXT, .get = job_get_user_and_id },
    { .key = "GroupId", .type = SHOW_TEXT, .get = job_get_group_and_id },
    { .key = "Reason", .type = SHOW_TEXT, .get = job_get_reason_word },
    { .key = "PreemptEligibleTime", .type = SHOW_TIME, .get = job_get_preempt_pair, IN_JOB(preemptable_s),
      .pair_none = "None" },
    { .key = "PreemptTime", .type = SHOW_TIME, .get = job_get_preempt_pair, IN_JOB(preempt_s), .pair_none = "None" },
    { .key = "SuspendTime", .json = "suspend_time", .type = SHOW_TIME, .get = job_get_job_time, IN_JOB(suspend_s),
      .pair_none = "None" },
    { .key = "SecsPreSuspend", .json = "pre_sus_time", .type = SHOW_NUMBER_SET, .get = job_get_pre_suspend },
    { .key = "Scheduler", .type = SHOW_TEXT, .get = job_get_word, .none = "Main" },
    { .key = "AllocNode:Sid", .type = SHOW_TEXT, .get = job_get_alloc_node },
    { .key = "BatchFeatures", .json = "batch_features", .type = SHOW_TEXT, .get = job_get_spec_text,
      IN_SPEC(batch_features) },
    { .key = "NumNodes", .type = SHOW_TEXT, .get = job_get_node_range, OF("spec.min_nodes spec.ntasks") },
    { .key = "ReqB:S:C:T", .type = SHOW_TEXT, .get = job_get_bsct },
    { .key = "ReqTRES", .json = "tres_req_str", .type = SHOW_TEXT, .get = job_get_job_text, IN_JOB(tres_req) },
    { .key = "AllocTRES", .json = "tres_alloc_str", .type = SHOW_TEXT, .get = job_get_job_text, IN_JOB(tres_alloc) },
    { .key = "NtasksPerN:B:S:C", .type = SHOW_TEXT, .get = job_get_ntasks_per_nbsc },
    { .key = "CoreSpec", .type = SHOW_TEXT, .get = job_get_spec_pair },
    { .key = "ThreadSpec", .type = SHOW_TEXT, .get = job_get_spec_pair, .at = 1 },
    { .key = "JOB_GRES", .type = SHOW_TEXT, .get = job_get_gres },
    { .key = "Nodes", .type = SHOW_LINES, .get = job_get_alloc_lines },
    { .key = "MinMemoryNode", .type = SHOW_MEMORY_MB, .get = job_get_memory_node },
    { .key = "MinMemoryCPU", .type = SHOW_MEMORY_MB, .get = job_get_memory_cpu },
    { .key = "SubmitLine", .json = "submit_line", .type = SHOW_TEXT, .get = job_get_spec_text, IN_SPEC(submit_line),
      .since = 44 },
    { .key = "Extra", .json = "extra", .type = SHOW_TEXT, .get = job_get_spec_text, IN_SPEC(extra) },
    { .key = "StdErr", .type = SHOW_TEXT, .get = job_get_batch_file, .at = 2, OF("spec.std_err") },
    { .key = "StdIn", .type = SHOW_TEXT, .get = job_get_batch_file, .at = 0, OF("spec.std_in") },
    { .key = "StdOut", .type = SHOW_TEXT, .get = job_get_batch_file, .at = 1, OF("spec.std_out") },
    { .key = "GresEnforceBind", .type = SHOW_TEXT, .get = job_get_gres_bind, OF("spec.gres_flags") },
    { .key = "KillOnInvalidDependent", .type = SHOW_TEXT, .get = job_get_kill_invalid },
    { .key = "SpreadSegments", .type = SHOW_TEXT, .get = job_get_segment_flag, IN_SPEC(spread_segments) },
    { .key = "ConsolidateSegments", .type = SHOW_TEXT, .get = job_get_segment_flag, IN_SPEC(consolidate_segments) },
    { .key = "MailUser", .type = SHOW_TEXT, .get = job_get_mail, IN_SPEC(mail_user) },
    { .key = "MailType", .type = SHOW_TEXT, .get = job_get_mail, IN_SPEC(mail_type) },

    /* JSON */
    { .json = "array_task_id", .type = SHOW_NUMBER_SET, .get = job_get_task },
    { .json = "array_task_string", .type = SHOW_TEXT, .get = job_get_task_string },
    { .json = "flags", .type = SHOW_LIST, .get = job_get_flags, .until = 44 },
    { .json = "flags", .type = SHOW_LIST, .get = job_get_flags, .since = 45,
      OF("spec.kill_on_invalid_dep spec.no_kill_on_invalid_dep spec.spread spec.use_min_nodes") },
    { .json = "core_spec", .type = SHOW_NUMBER, .get = job_get_spec_number_of },
    { .json = "thread_spec", .type = SHOW_NUMBER, .get = job_get_spec_number_of, .at = 1 },
    { .json = "billable_tres", .type = SHOW_FLOAT_SET, .get = job_get_billing },
    { .json = "cpu_frequency_minimum", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "cpu_frequency_maximum", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "cpu_frequency_governor", .type = SHOW_NUMBER_SET, .get = show_get_unset },
    { .json = "cron", .type = SHOW_TEXT, .get = show_get_unset },
    { .json = "failed_node", .type = SHOW_TEXT, .get = show_get_unset },
    { .json = "gres_detail", .type = SHOW_LINES, .get = job_get_gres_detail },
    { .json = "hold", .type = SHOW_BOOL, .get = job_get_hold, OF("hold spec.hold") },
    { .json = "job_resources", .type = SHOW_RECORD, .get = job_get_resources, OF("alloc"), .sub = &show_job_resources },
    { .json = "job_size_str", .type = SHOW_LIST, .get = show_get_unset },
    { .json = "job_state", .type = SHOW_LIST, .get = job_get_states },
    { .json = "mail_type", .type = SHOW_LIST, .get = job_get_mail_types },
    { .json = "mail_user", .type = SHOW_TEXT, .get = job_get_spec_text, .at = offsetof(Pb__JobSpec, mail_user) },
    { .json = "max_cpus", .type = SHOW_NUMBER_SET, .get = show_get_unset, .flags = SHOW_ZERO },
    { .json = "max_nodes", .type = SHOW_NUMBER_SET, .get = job_get_max_nodes_asked, OF("spec.max_nodes"),
      .flags = SHOW_ZERO },
    { .json = "memory_update_delay", .type = SHOW_NUMBER, .get = show_get_unset, .since = 45 },
    { .json = "memory_update_margin", .type = SHOW_NUMBER, .get = show_get_unset, .since = 45 },
    { .json = "tasks_per_tres", .type = SHOW_NUMBER_SET, .get = job_get_spec_count, IN_SPEC(ntasks_per_gpu),
      .flags = SHOW_ZERO },
    { .json = "memory_per_cpu", .type = SHOW_NUMBER_SET, .get = job_get_job_amount,
      .at = offsetof(Pb__Job, mem_per_cpu_mb), OF("mem_per_cpu_mb spec.mem_per_cpu_mb") },
    { .json = "memory_per_node", .type = SHOW_NUMBER_SET, .get = job_get_job_amount,
      .at = offsetof(Pb__Job, mem_per_node_mb), OF("mem_per_node_mb spec.mem_per_node_mb spec.mem_all") },
    { .json = "power.flags", .type = SHOW_LIST, .get = show_get_unset, .until = 44 },
    { .json = "preemptable_time", .type = SHOW_TIME, .get = job_get_job_time, .at = offsetof(Pb__Job, preemptable_s) },
    { .json = "priority_by_partition", .type = SHOW_RECORDS, .get = job_get_priorities, .sub = &show_job_priority },
    { .json = "profile", .type = SHOW_LIST, .get = job_get_word, .none = "NOT_SET" },
    { .json = "selinux_context", .type = SHOW_TEXT, .get = show_get_unset },
    { .json = "shared", .type = SHOW_LIST, .get = job_get_shared_list, .until = 44 },
    { .json = "shared", .type = SHOW_LIST, .get = show_get_unset, .since = 45 },
    { .json = "state_description", .type = SHOW_TEXT, .get = job_get_state_description },
    { .json = "state_reason", .type = SHOW_TEXT, .get = job_get_state_reason },
    { .json = "standard_input", .type = SHOW_TEXT, .get = job_get_file_asked, .at = 0 },
    { .json = "standard_output", .type = SHOW_TEXT, .get = job_get_file_asked, .at = 1 },
    { .json = "standard_error", .type = SHOW_TEXT, .get = job_get_file_asked, .at = 2 },
    { .json = "stdin_expanded", .type = SHOW_TEXT, .get = job_get_file_expanded, .at = 0, .since = 43 },
    { .json = "stdout_expanded", .type = SHOW_TEXT, .get = job_get_file_expanded, .at = 1, .since = 43 },
    { .json = "stderr_expanded", .type = SHOW_TEXT, .get = job_get_file_expanded, .at = 2, .since = 43 },
    { .json = "step_id.job_id", .type = SHOW_NUMBER_SET, .get = job_get_job_number, .at = offsetof(Pb__Job, id),
      .since = 44 },
    { .json = "step_id.step_het_component", .type = SHOW_NUMBER_SET, .get = show_get_unset, .since = 44 },
    { .json = "step_id.step_id", .type = SHOW_TEXT, .get = job_get_word, .none = "entire", .since = 44 },
    { 0 },
};

static const struct show_skip job_skips[] = {
    { "spec spec_blob script_blob env_blob spec_ref",
      "the spec is shown by its members, script and environment by scontrol write" },
    { "attempt next_step warned end_signal unlaunched gang batch_pos", "the controller's own bookkeeping" },
    { "cancel_uid has_cancel_uid usage ran_s", "accounting has them" },
    { "steps step", "a step has a table of its own" },
    { "array_total limit_set priority_fixed user_exclusive yield_s", "no command of Slurm shows them" },
    { "spec.open_mode spec.umask spec.rlimits spec.get_user_env",
      "only the node needs them" },
    { "spec.overcommit spec.distribution spec.oom_kill_step spec.cpu_freq",
      "no command of Slurm shows them" },
    { "spec.signal spec.signal_before_s spec.signal_batch spec.signal_resv", "no command of Slurm shows them" },
    { "spec.has_priority spec.priority spec.site_factor",
      "the priority and the deadline in force are shown" },
    { "spec.no_kill spec.immediate_s spec.wait_all_nodes", "no command of Slurm shows them" },
    { "spec.acctg_freq", "no command of Slurm shows them" },
    { NULL, NULL },
};
/* clang-format on */

static const char job_layout[] = "JobId ?ArrayJobId ?ArrayTaskId ?ArrayTaskThrottle ?HetJobId ?HetJobOffset JobName\n"
                                 "?HetJobIdSet\n"
                                 "+SLUID\n"
                                 "UserId GroupId MCS_label\n"
                                 "Priority Nice Account QOS ?WCKey\n"
                                 "JobState Reason Dependency\n"
                                 "Requeue Restarts BatchFlag Reboot ExitCode\n"
                                 "+DerivedExitCode\n"
                                 "RunTime TimeLimit TimeMin\n"
                                 "SubmitTime EligibleTime\n"
                                 "AccrueTime\n"
                                 "?ResizeTime\n"
                                 "StartTime EndTime Deadline\n"
                                 "?PreemptEligibleTime ?PreemptTime\n"
                                 "SuspendTime SecsPreSuspend LastSchedEval Scheduler\n"
                                 "Partition AllocNode:Sid\n"
                                 "ReqNodeList ExcNodeList\n"
                                 "NodeList ?SchedNodeList\n"
                                 "?BatchFeatures\n"
                                 "?BatchHost\n"
                                 "NumNodes NumCPUs NumTasks CPUs/Task ReqB:S:C:T\n"
                                 "ReqTRES\n"
                                 "AllocTRES\n"
                                 "Socks/Node NtasksPerN:B:S:C ?CoreSpec ?ThreadSpec\n"
                                 "+?JOB_GRES\n"
                                 "+Nodes\n"
                                 "MinCPUsNode ?MinMemoryCPU ?MinMemoryNode MinTmpDiskNode\n"
                                 "Features DelayBoot\n"
                                 "?Prefer\n"
                                 "?Reservation\n"
                                 "OverSubscribe Exclusive Contiguous Licenses LicensesAlloc Network\n"
                                 "Command\n"
                                 "SubmitLine\n"
                                 "WorkDir\n"
                                 "?AdminComment\n"
                                 "?SystemComment\n"
                                 "?Comment\n"
                                 "?Extra\n"
                                 "?StdErr\n"
                                 "?StdIn\n"
                                 "?StdOut\n"
                                 "?GresEnforceBind ?KillOnInvalidDependent\n"
                                 "?SegmentSize ?SpreadSegments ?ConsolidateSegments\n"
                                 "?TresPerJob\n"
                                 "?TresPerNode\n"
                                 "?TresPerSocket\n"
                                 "?TresPerTask\n"
                                 "?MailUser ?MailType";

const struct show_table show_job = { "job", job_fields, job_layout, job_skips };
