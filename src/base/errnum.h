/*
 * errnum - Slurm's error numbers and what it says for each.
 *
 * Tools compare both, so both are Slurm's: the names and numbers of its public
 * slurm_errno.h, the words that slurm_strerror() answers.
 */
#ifndef SPUR_BASE_ERRNUM_H
#define SPUR_BASE_ERRNUM_H

/* clang-format off */
#define SPUR_ERRORS(X) \
    X(SLURM_UNEXPECTED_MSG_ERROR, 1000, "Unexpected message received") \
    X(SLURM_COMMUNICATIONS_CONNECTION_ERROR, 1001, "Communication connection failure") \
    X(SLURM_COMMUNICATIONS_SEND_ERROR, 1002, "Message send failure") \
    X(SLURM_COMMUNICATIONS_RECEIVE_ERROR, 1003, "Message receive failure") \
    X(SLURM_COMMUNICATIONS_SHUTDOWN_ERROR, 1004, "Communication shutdown failure") \
    X(SLURM_PROTOCOL_VERSION_ERROR, 1005, "Incompatible versions of client and server code") \
    X(SLURM_PROTOCOL_IO_STREAM_VERSION_ERROR, 1006, "I/O stream version number error") \
    X(SLURM_PROTOCOL_AUTHENTICATION_ERROR, 1007, "Protocol authentication error") \
    X(SLURM_PROTOCOL_INSANE_MSG_LENGTH, 1008, "Insane message length") \
    X(SLURM_MPI_PLUGIN_NAME_INVALID, 1009, "Invalid MPI plugin name") \
    X(SLURM_MPI_PLUGIN_PRELAUNCH_SETUP_FAILED, 1010, "MPI plugin's pre-launch setup failed") \
    X(SLURM_PLUGIN_NAME_INVALID, 1011, "Plugin initialization failed") \
    X(SLURM_UNKNOWN_FORWARD_ADDR, 1012, "Can't find an address, check slurm.conf") \
    X(SLURM_COMMUNICATIONS_MISSING_SOCKET_ERROR, 1013, "Unexpected missing socket error") \
    X(SLURM_COMMUNICATIONS_INVALID_INCOMING_FD, 1014, "Unable to process incoming file descriptor") \
    X(SLURM_COMMUNICATIONS_INVALID_OUTGOING_FD, 1015, "Unable to process outgoing file descriptor") \
    X(SLURM_COMMUNICATIONS_INVALID_FD, 1016, "Unable to process incoming and outgoing file descriptors") \
    X(SLURM_BLOCKED_ON_READ, 1017, "Read would block") \
    X(SLURM_BLOCKED_ON_WRITE, 1018, "Write would block") \
    X(SLURM_COMMUNICATIONS_REJECTED, 1019, "Connection rejected by handler") \
    X(SLURM_COMMUNICATIONS_QUIESCE_TIMEOUT, 1020, "Connection forced closed by quiesce timeout") \
    X(SLURM_COMMUNICATIONS_CONNECT_TIMEOUT, 1021, "Connection timed out establishing") \
    X(SLURM_COMMUNICATIONS_WRITE_TIMEOUT, 1022, "Connection timed out writing") \
    X(SLURM_COMMUNICATIONS_READ_TIMEOUT, 1023, "Connection timed out reading") \
    X(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, 1800, "Unable to contact slurm controller (connect failure)") \
    X(SLURMCTLD_COMMUNICATIONS_SEND_ERROR, 1801, "Unable to contact slurm controller (send failure)") \
    X(SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR, 1802, "Unable to contact slurm controller (receive failure)") \
    X(SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR, 1803, "Unable to contact slurm controller (shutdown failure)") \
    X(SLURMCTLD_COMMUNICATIONS_BACKOFF, 1804, "Rate limit exceeded, please retry momentarily") \
    X(SLURMCTLD_COMMUNICATIONS_HARD_DROP, 1805, "Rate limit exceeded, please retry later") \
    X(SLURM_NO_CHANGE_IN_DATA, 1900, "Data has not changed since time specified") \
    X(ESLURM_INVALID_PARTITION_NAME, 2000, "Invalid partition name specified") \
    X(ESLURM_DEFAULT_PARTITION_NOT_SET, 2001, "No partition specified or system default partition") \
    X(ESLURM_ACCESS_DENIED, 2002, "Access/permission denied") \
    X(ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP, 2003, "User's group not permitted to use this partition") \
    X(ESLURM_REQUESTED_NODES_NOT_IN_PARTITION, 2004, "Requested nodes not in this partition") \
    X(ESLURM_TOO_MANY_REQUESTED_CPUS, 2005, "More processors requested than permitted") \
    X(ESLURM_INVALID_NODE_COUNT, 2006, "Node count specification invalid") \
    X(ESLURM_MAX_JOB_COUNT, 2007, "MaxJobCount limit reached") \
    X(ESLURM_JOB_MISSING_SIZE_SPECIFICATION, 2008, "Job size specification needs to be provided") \
    X(ESLURM_JOB_SCRIPT_MISSING, 2009, "Job script not specified") \
    X(ESLURM_USER_ID_MISSING, 2010, "Invalid user id") \
    X(ESLURM_DUPLICATE_JOB_ID, 2011, "Duplicate job id") \
    X(ESLURM_PATHNAME_TOO_LONG, 2012, "Pathname of a file, directory or other parameter too long") \
    X(ESLURM_NOT_TOP_PRIORITY, 2013, "Immediate execution impossible, insufficient priority") \
    X(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, 2014, "Requested node configuration is not available") \
    X(ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE, 2015, "Requested partition configuration not available now") \
    X(ESLURM_NODES_BUSY, 2016, "Requested nodes are busy") \
    X(ESLURM_INVALID_JOB_ID, 2017, "Invalid job id specified") \
    X(ESLURM_INVALID_NODE_NAME, 2018, "Invalid node name specified") \
    X(ESLURM_WRITING_TO_FILE, 2019, "I/O error writing script/environment to file") \
    X(ESLURM_TRANSITION_STATE_NO_UPDATE, 2020, "Job can not be altered now, try again later") \
    X(ESLURM_ALREADY_DONE, 2021, "Job/step already completing or completed") \
    X(ESLURM_INTERCONNECT_FAILURE, 2022, "Error configuring interconnect") \
    X(ESLURM_BAD_DIST, 2023, "Task distribution specification invalid") \
    X(ESLURM_JOB_PENDING, 2024, "Job is pending execution") \
    X(ESLURM_BAD_TASK_COUNT, 2025, "Task count specification invalid") \
    X(ESLURM_INVALID_JOB_CREDENTIAL, 2026, "Error generating job credential") \
    X(ESLURM_IN_STANDBY_MODE, 2027, "Slurm backup controller in standby mode") \
    X(ESLURM_INVALID_NODE_STATE, 2028, "Invalid node state specified") \
    X(ESLURM_INVALID_FEATURE, 2029, "Invalid feature specification") \
    X(ESLURM_INVALID_AUTHTYPE_CHANGE, 2030, \
      "AuthType change requires restart of all Slurm daemons and commands to take effect") \
    X(ESLURM_ACTIVE_FEATURE_NOT_SUBSET, 2031, "Active features not subset of available features") \
    X(ESLURM_INVALID_SCHEDTYPE_CHANGE, 2032, \
      "SchedulerType change requires restart of the slurmctld daemon to take effect") \
    X(ESLURM_INVALID_SELECTTYPE_CHANGE, 2033, \
      "SelectType change requires restart of the slurmctld daemon to take effect") \
    X(ESLURM_INVALID_SWITCHTYPE_CHANGE, 2034, \
      "SwitchType change requires restart of all Slurm daemons and jobs to take effect") \
    X(ESLURM_FRAGMENTATION, 2035, "Immediate execution impossible, resources too fragmented for allocation") \
    X(ESLURM_NOT_SUPPORTED, 2036, "Requested operation not supported on this system") \
    X(ESLURM_DISABLED, 2037, "Requested operation is presently disabled") \
    X(ESLURM_DEPENDENCY, 2038, "Job dependency problem") \
    X(ESLURM_BATCH_ONLY, 2039, "Only batch jobs are accepted or processed") \
    X(ESLURM_LICENSES_UNAVAILABLE, 2040, "Licenses currently unavailable") \
    X(ESLURM_TAKEOVER_NO_HEARTBEAT, 2041, "Unable to takeover, heartbeat file is missing") \
    X(ESLURM_JOB_HELD, 2042, "Job is in held state, pending scheduler release") \
    X(ESLURM_INVALID_CRED_TYPE_CHANGE, 2043, "CredType change requires restart of all Slurm daemons to take effect") \
    X(ESLURM_INVALID_TASK_MEMORY, 2044, "Memory required by task is not available") \
    X(ESLURM_INVALID_ACCOUNT, 2045, "Invalid account or account/partition combination specified") \
    X(ESLURM_INVALID_PARENT_ACCOUNT, 2046, "Invalid parent account specified") \
    X(ESLURM_SAME_PARENT_ACCOUNT, 2047, "Account already child of parent account specified") \
    X(ESLURM_INVALID_LICENSES, 2048, "Invalid license specification") \
    X(ESLURM_NEED_RESTART, 2049, \
      "The node configuration changes that were made require restart of the slurmctld daemon to take effect") \
    X(ESLURM_ACCOUNTING_POLICY, 2050, \
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)") \
    X(ESLURM_INVALID_TIME_LIMIT, 2051, "Requested time limit is invalid (missing or exceeds some limit)") \
    X(ESLURM_RESERVATION_ACCESS, 2052, "Access denied to requested reservation") \
    X(ESLURM_RESERVATION_INVALID, 2053, "Requested reservation is invalid") \
    X(ESLURM_INVALID_TIME_VALUE, 2054, "Invalid time specified") \
    X(ESLURM_RESERVATION_BUSY, 2055, "Requested reservation is in use") \
    X(ESLURM_RESERVATION_NOT_USABLE, 2056, "Requested reservation not usable now") \
    X(ESLURM_INVALID_WCKEY, 2057, "Invalid wckey specification") \
    X(ESLURM_RESERVATION_OVERLAP, 2058, "Requested reservation overlaps with another reservation") \
    X(ESLURM_PORTS_BUSY, 2059, "Required ports are in use") \
    X(ESLURM_PORTS_INVALID, 2060, "Requires more ports than can be reserved") \
    X(ESLURM_PROLOG_RUNNING, 2061, "PrologSlurmctld is still running") \
    X(ESLURM_NO_STEPS, 2062, "Job steps can not be run on this cluster") \
    X(ESLURM_MISSING_WORK_DIR, 2063, "Job cannot be submitted without the current working directory specified.") \
    X(ESLURM_STEPS_DRAINED, 2064, "No running or pending steps in the job") \
    X(ESLURM_INVALID_QOS, 2066, "Invalid qos specification") \
    X(ESLURM_QOS_PREEMPTION_LOOP, 2067, "QOS Preemption loop detected") \
    X(ESLURM_NODE_NOT_AVAIL, 2068, "Required node not available (down, drained or reserved)") \
    X(ESLURM_INVALID_CPU_COUNT, 2069, "CPU count specification invalid") \
    X(ESLURM_PARTITION_NOT_AVAIL, 2070, "Required partition not available (inactive or drain)") \
    X(ESLURM_CIRCULAR_DEPENDENCY, 2071, "Circular job dependency") \
    X(ESLURM_INVALID_GRES, 2072, "Invalid generic resource (gres) specification") \
    X(ESLURM_JOB_NOT_PENDING, 2073, "Job is no longer pending execution") \
    X(ESLURM_QOS_THRES, 2074, "Requested account has breached requested QOS usage threshold") \
    X(ESLURM_PARTITION_IN_USE, 2075, "Partition is in use") \
    X(ESLURM_STEP_LIMIT, 2076, "Step limit reached for this job") \
    X(ESLURM_JOB_SUSPENDED, 2077, "Job is current suspended, requested operation disabled") \
    X(ESLURM_CAN_NOT_START_IMMEDIATELY, 2078, "Job can not start immediately") \
    X(ESLURM_RESERVATION_EMPTY, 2080, "Reservation request lacks users, groups or accounts") \
    X(ESLURM_INVALID_ARRAY, 2081, "Invalid job array specification") \
    X(ESLURM_RESERVATION_NAME_DUP, 2082, "Duplicate reservation name") \
    X(ESLURM_JOB_STARTED, 2083, "Job has already started") \
    X(ESLURM_JOB_FINISHED, 2084, "Job has already finished") \
    X(ESLURM_JOB_NOT_RUNNING, 2085, "Job is not running") \
    X(ESLURM_JOB_NOT_PENDING_NOR_RUNNING, 2086, "Job is not pending nor running") \
    X(ESLURM_JOB_NOT_SUSPENDED, 2087, "Job is not suspended") \
    X(ESLURM_JOB_NOT_FINISHED, 2088, "Job is not finished") \
    X(ESLURM_TRIGGER_DUP, 2089, "Duplicate event trigger") \
    X(ESLURM_INTERNAL, 2090, "Slurm internal error, contact system administrator") \
    X(ESLURM_INVALID_BURST_BUFFER_CHANGE, 2091, \
      "BurstBufferType change requires restart of slurmctld daemon to take effect") \
    X(ESLURM_BURST_BUFFER_PERMISSION, 2092, "Burst Buffer permission denied") \
    X(ESLURM_BURST_BUFFER_LIMIT, 2093, "Burst Buffer resource limit exceeded") \
    X(ESLURM_INVALID_BURST_BUFFER_REQUEST, 2094, "Burst Buffer request invalid") \
    X(ESLURM_PRIO_RESET_FAIL, 2095, "Changes to job priority are not persistent, change nice instead") \
    X(ESLURM_CANNOT_MODIFY_CRON_JOB, 2096, "Cannot modify scrontab jobs through scontrol") \
    X(ESLURM_INVALID_NAMESPACE_CHANGE, 2097, \
      "NamespaceType change requires restart of all Slurm daemons and commands to take effect") \
    X(ESLURM_CANNOT_CANCEL_CRON_JOB, 2098, "Cannot cancel scrontab jobs without --cron flag.") \
    X(ESLURM_INVALID_MCS_LABEL, 2099, "Invalid mcs_label specified") \
    X(ESLURM_BURST_BUFFER_WAIT, 2100, "Waiting for burst buffer") \
    X(ESLURM_PARTITION_DOWN, 2101, "Partition in DOWN state") \
    X(ESLURM_DUPLICATE_GRES, 2102, "Duplicate generic resource (gres) specification") \
    X(ESLURM_RSV_ALREADY_STARTED, 2104, "Reservation already started") \
    X(ESLURM_SUBMISSIONS_DISABLED, 2105, "System submissions disabled") \
    X(ESLURM_NOT_HET_JOB, 2106, "Job not heterogeneous job") \
    X(ESLURM_NOT_HET_JOB_LEADER, 2107, "Job not heterogeneous job leader") \
    X(ESLURM_NOT_WHOLE_HET_JOB, 2108, "Operation not permitted on individual component of heterogeneous job") \
    X(ESLURM_CORE_RESERVATION_UPDATE, 2109, "Core-based reservation can not be updated") \
    X(ESLURM_DUPLICATE_STEP_ID, 2110, "Duplicate job step id") \
    X(ESLURM_INVALID_CORE_CNT, 2111, "Core count for reservation node list is not consistent!") \
    X(ESLURM_X11_NOT_AVAIL, 2112, "X11 forwarding not available") \
    X(ESLURM_GROUP_ID_MISSING, 2113, "Invalid group id") \
    X(ESLURM_BATCH_CONSTRAINT, 2114, "Job --batch option is invalid or not a subset of --constraint") \
    X(ESLURM_INVALID_TRES, 2115, "Invalid Trackable RESource (TRES) specification") \
    X(ESLURM_INVALID_TRES_BILLING_WEIGHTS, 2116, "Invalid TRESBillingWeights specification") \
    X(ESLURM_INVALID_JOB_DEFAULTS, 2117, "Invalid JobDefaults specification") \
    X(ESLURM_RESERVATION_MAINT, 2118, "Job can not start due to maintenance reservation.") \
    X(ESLURM_INVALID_GRES_TYPE, 2119, "Invalid GRES specification (with and without type identification)") \
    X(ESLURM_REBOOT_IN_PROGRESS, 2120, "Reboot already in progress") \
    X(ESLURM_MULTI_KNL_CONSTRAINT, 2121, \
      "Multiple KNL NUMA and/or MCDRAM constraints require use of a heterogeneous job") \
    X(ESLURM_UNSUPPORTED_GRES, 2122, "Requested GRES option unsupported by configured SelectType plugin") \
    X(ESLURM_INVALID_NICE, 2123, "Invalid --nice value") \
    X(ESLURM_INVALID_TIME_MIN_LIMIT, 2124, "Invalid time-min specification (exceeds job's time or other limits)") \
    X(ESLURM_DEFER, 2125, "Immediate execution impossible. Individual job submission scheduling attempts deferred") \
    X(ESLURM_CONFIGLESS_DISABLED, 2126, "ConfigLess mode is disabled in slurm configuration.") \
    X(ESLURM_ENVIRONMENT_MISSING, 2127, "Environment is missing in job") \
    X(ESLURM_RESERVATION_NO_SKIP, 2128, "Reservation given is not skipable, try deleting instead") \
    X(ESLURM_RESERVATION_USER_GROUP, 2129, \
      "Reservations can't have users and groups specified, only one or the other") \
    X(ESLURM_PARTITION_ASSOC, 2130, \
      "Multiple partition job request not supported when a partition is set in the association") \
    X(ESLURM_IN_STANDBY_USE_BACKUP, 2131, "Controller is in standby mode, try a different controller") \
    X(ESLURM_BAD_THREAD_PER_CORE, 2132, "Cannot request more threads per core than the job allocation") \
    X(ESLURM_INVALID_PREFER, 2133, "Invalid preferred feature specification") \
    X(ESLURM_INSUFFICIENT_GRES, 2134, "Insufficient GRES available in allocation") \
    X(ESLURM_INVALID_CONTAINER_ID, 2135, "Invalid container id specified") \
    X(ESLURM_EMPTY_JOB_ID, 2136, "JobID must not be an empty string") \
    X(ESLURM_INVALID_JOB_ID_ZERO, 2137, "JobID can not be zero") \
    X(ESLURM_INVALID_JOB_ID_NEGATIVE, 2138, "JobID can not be a negative number") \
    X(ESLURM_INVALID_JOB_ID_TOO_LARGE, 2139, "JobID larger than acceptable range") \
    X(ESLURM_INVALID_JOB_ID_NON_NUMERIC, 2140, "JobID includes unexpected non-numeric characters") \
    X(ESLURM_EMPTY_JOB_ARRAY_ID, 2141, "Job Array ID must not be an empty string") \
    X(ESLURM_INVALID_JOB_ARRAY_ID_NEGATIVE, 2142, "Job Array ID can not be a negative number") \
    X(ESLURM_INVALID_JOB_ARRAY_ID_TOO_LARGE, 2143, "Job Array ID larger than acceptable range") \
    X(ESLURM_INVALID_JOB_ARRAY_ID_NON_NUMERIC, 2144, "Job Array ID includes unexpected non-numeric characters") \
    X(ESLURM_INVALID_HET_JOB_AND_ARRAY, 2145, "Unknown error 2145") \
    X(ESLURM_EMPTY_HET_JOB_COMP, 2146, "HetJob component must not be an empty string") \
    X(ESLURM_INVALID_HET_JOB_COMP_NEGATIVE, 2147, "HetJob component can not be a negative number") \
    X(ESLURM_INVALID_HET_JOB_COMP_TOO_LARGE, 2148, "HetJob component larger than acceptable range") \
    X(ESLURM_INVALID_HET_JOB_COMP_NON_NUMERIC, 2149, "Unknown error 2149") \
    X(ESLURM_EMPTY_STEP_ID, 2150, "StepID must not be an empty string") \
    X(ESLURM_INVALID_STEP_ID_NEGATIVE, 2151, "StepID can not be a negative number") \
    X(ESLURM_INVALID_STEP_ID_TOO_LARGE, 2152, "StepID larger than acceptable range") \
    X(ESLURM_INVALID_STEP_ID_NON_NUMERIC, 2153, "StepID includes unexpected non-numeric characters") \
    X(ESLURM_EMPTY_HET_STEP, 2154, "HetStep component must not be an empty string") \
    X(ESLURM_INVALID_HET_STEP_ZERO, 2155, "HetStep component can not be zero") \
    X(ESLURM_INVALID_HET_STEP_NEGATIVE, 2156, "HetStep component can not be a negative number") \
    X(ESLURM_INVALID_HET_STEP_TOO_LARGE, 2157, "HetStep component larger than acceptable range") \
    X(ESLURM_INVALID_HET_STEP_NON_NUMERIC, 2158, "HetStep component includes unexpected non-numeric characters") \
    X(ESLURM_INVALID_HET_STEP_JOB, 2159, "HetJob can not Het step id") \
    X(ESLURM_JOB_TIMEOUT_KILLED, 2160, "Job killed due hitting max wall clock limit") \
    X(ESLURM_JOB_NODE_FAIL_KILLED, 2161, "Job killed due node failure") \
    X(ESLURM_EMPTY_LIST, 2162, "Empty list") \
    X(ESLURM_GROUP_ID_INVALID, 2163, "Invalid group ID") \
    X(ESLURM_GROUP_ID_UNKNOWN, 2164, "Unable to resolve group ID to group name") \
    X(ESLURM_USER_ID_INVALID, 2165, "Invalid user ID") \
    X(ESLURM_USER_ID_UNKNOWN, 2166, "Unable to resolve user ID to user name") \
    X(ESLURM_INVALID_ASSOC, 2167, "Invalid or unknown association") \
    X(ESLURM_NODE_ALREADY_EXISTS, 2168, "Node already exists in the node table") \
    X(ESLURM_NODE_TABLE_FULL, 2169, "Unable to add node, node table is full") \
    X(ESLURM_INVALID_RELATIVE_QOS, 2170, \
      "Invalid QOS specification, relative QOS can only be used in a single partition per cluster.") \
    X(ESLURM_INVALID_EXTRA, 2171, "Invalid extra constraints specification") \
    X(ESLURM_JOB_SIGNAL_FAILED, 2172, "Cannot signal job") \
    X(ESLURM_SIGNAL_JOBS_INVALID, 2173, "Invalid signal jobs request, at least one job id or filter is required.") \
    X(ESLURM_RES_CORES_PER_GPU_UNIQUE, 2174, "RestrictedCoresPerGPU: Not enough unique cores per GPU") \
    X(ESLURM_RES_CORES_PER_GPU_TOPO, 2175, "RestrictedCoresPerGPU: Missing core topology for GPUs") \
    X(ESLURM_RES_CORES_PER_GPU_NO, 2176, "RestrictedCoresPerGPU: No GPUs configured on node") \
    X(ESLURM_MAX_POWERED_NODES, 2177, "Max powered up nodes reached") \
    X(ESLURM_REQUESTED_TOPO_CONFIG_UNAVAILABLE, 2178, "Requested topology configuration is not available") \
    X(ESLURM_PREEMPTION_REQUIRED, 2179, "Preemption is required but is disabled on this system") \
    X(ESLURM_INVALID_NODE_STATE_TRANSITION, 2180, "Invalid node state transition") \
    X(ESLURM_INVALID_JOB_STATE, 2181, "Invalid job state") \
    X(ESLURM_INVALID_SLUID, 2185, "SLUID is invalid") \
    X(ESLURM_EXTERN_ONLY, 2186, "Requested operation requires extern step") \
    X(ESLURM_INVALID_POWER_ACTION, 2187, "Invalid power action") \
    X(ESLURM_STEP_QUEUED, 2188, "Step queued as pending") \
    X(ESLURM_INVALID_EXTERNAL_JOB, 2189, "Invalid configuration for external job") \
    X(ESLURM_FILE_UNREADABLE, 2190, "Unable to load file for reading") \
    X(ESPANK_ERROR, 3000, "Generic error") \
    X(ESPANK_BAD_ARG, 3001, "Bad argument") \
    X(ESPANK_NOT_TASK, 3002, "Not in task context") \
    X(ESPANK_ENV_EXISTS, 3003, "Environment variable exists") \
    X(ESPANK_ENV_NOEXIST, 3004, "No such environment variable") \
    X(ESPANK_NOSPACE, 3005, "Buffer too small") \
    X(ESPANK_NOT_REMOTE, 3006, "Valid only in remote context") \
    X(ESPANK_NOEXIST, 3007, "Id/PID does not exist on this node") \
    X(ESPANK_NOT_EXECD, 3008, "Lookup by PID requested, but no tasks running") \
    X(ESPANK_NOT_AVAIL, 3009, "Item not available from this callback") \
    X(ESPANK_NOT_LOCAL, 3010, "Valid only in local or allocator context") \
    X(ESPANK_NODE_FAILURE, 3011, "Spank plugin failure, node failed") \
    X(ESPANK_JOB_FAILURE, 3012, "Spank plugin failure, job failed") \
    X(ESLURMD_KILL_TASK_FAILED, 4001, "Kill task failed") \
    X(ESLURMD_KILL_JOB_ALREADY_COMPLETE, 4002, "Unknown error 4002") \
    X(ESLURMD_INVALID_ACCT_FREQ, 4003, "Invalid accounting frequency requested") \
    X(ESLURMD_INVALID_JOB_CREDENTIAL, 4004, "Invalid job credential") \
    X(ESLURMD_CREDENTIAL_EXPIRED, 4007, "Job credential expired") \
    X(ESLURMD_CREDENTIAL_REVOKED, 4008, "Job credential revoked") \
    X(ESLURMD_CREDENTIAL_REPLAYED, 4009, "Job credential replayed") \
    X(ESLURMD_CREATE_BATCH_DIR_ERROR, 4010, "Slurmd could not create a batch directory or file") \
    X(ESLURMD_SETUP_ENVIRONMENT_ERROR, 4014, "Slurmd could not set up environment for batch job") \
    X(ESLURMD_SET_UID_OR_GID_ERROR, 4016, "Slurmd could not set UID or GID") \
    X(ESLURMD_EXECVE_FAILED, 4020, "Slurmd could not execve job") \
    X(ESLURMD_IO_ERROR, 4021, "Slurmd could not connect IO") \
    X(ESLURMD_PROLOG_FAILED, 4022, "Job prolog failed") \
    X(ESLURMD_EPILOG_FAILED, 4023, "Job epilog failed") \
    X(ESLURMD_TOOMANYSTEPS, 4025, "Too many job steps on node") \
    X(ESLURMD_STEP_EXISTS, 4026, "Job step already exists") \
    X(ESLURMD_STEP_NOTRUNNING, 4027, "Job step not running") \
    X(ESLURMD_STEP_SUSPENDED, 4028, "Job step is suspended") \
    X(ESLURMD_STEP_NOTSUSPENDED, 4029, "Job step is not currently suspended") \
    X(ESLURMD_INVALID_SOCKET_NAME_LEN, 4030, "Unix socket name exceeded maximum length") \
    X(ESLURMD_CONTAINER_RUNTIME_INVALID, 4031, "Container runtime not configured or invalid") \
    X(ESLURMD_CPU_BIND_ERROR, 4032, "Unable to satisfy cpu bind request") \
    X(ESLURMD_CPU_LAYOUT_ERROR, 4033, "Unable to layout tasks on given cpus") \
    X(ESLURMD_TOO_MANY_RPCS, 4034, "Unknown error 4034") \
    X(ESLURMD_STEPD_PROXY_FAILED, 4035, "Unable to proxy slurmstepd message") \
    X(ESLURM_PROTOCOL_INCOMPLETE_PACKET, 5003, "Header lengths are longer than data received") \
    X(SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT, 5004, "Socket timed out on send/recv operation") \
    X(SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT, 5005, "Zero Bytes were transmitted or received") \
    X(ESLURM_AUTH_CRED_INVALID, 6000, "Invalid authentication credential") \
    X(ESLURM_AUTH_EXPIRED, 6001, "Authentication credential expired") \
    X(ESLURM_AUTH_BADARG, 6004, "Bad argument to plugin function") \
    X(ESLURM_AUTH_UNPACK, 6007, "Cannot unpack credential") \
    X(ESLURM_AUTH_SKIP, 6008, "Authentication does not apply to request") \
    X(ESLURM_AUTH_UNABLE_TO_GENERATE_TOKEN, 6009, "Token Generation failed.") \
    X(ESLURM_AUTH_NOBODY, 6010, "Rejecting authentication of user nobody or group nobody") \
    X(ESLURM_AUTH_SOCKET_INVALID_PEER, 6011, "Unable to query kernel for socket peer credential") \
    X(ESLURM_DB_CONNECTION, 7000, "Unable to connect to database") \
    X(ESLURM_JOBS_RUNNING_ON_ASSOC, 7001, "Job(s) active, cancel job(s) before remove") \
    X(ESLURM_CLUSTER_DELETED, 7002, "Cluster deleted, commit/rollback immediately") \
    X(ESLURM_ONE_CHANGE, 7003, "Can only change one at a time") \
    X(ESLURM_BAD_NAME, 7004, "Unacceptable name given. (No '.' in name allowed)") \
    X(ESLURM_OVER_ALLOCATE, 7005, "You can not allocate more than 100% of a resource") \
    X(ESLURM_RESULT_TOO_LARGE, 7006, "Query result exceeds size limit") \
    X(ESLURM_DB_QUERY_TOO_WIDE, 7007, "Too wide of a date range in query") \
    X(ESLURM_DB_CONNECTION_INVALID, 7008, "Database connection reference is invalid") \
    X(ESLURM_NO_REMOVE_DEFAULT_ACCOUNT, 7009, "You can not remove the default account of a user") \
    X(ESLURM_BAD_SQL, 7010, \
      "There is something internally wrong with the SQL needed for this. Please consult the slurmdbd log " \
      "for more info.") \
    X(ESLURM_NO_REMOVE_DEFAULT_QOS, 7011, \
      "This request would make it so some associations would not have access to their default qos.") \
    X(ESLURM_COORD_NO_INCREASE_JOB_LIMIT, 7012, "Coordinators can not increase job limits beyond the parent ones") \
    X(ESLURM_NO_RPC_STATS, 7013, "No RPC stats are available") \
    X(ESLURM_INVALID_SHARED_POOL_ALLOWED, 7014, \
      "Invalid value for Allowed field when SharedPool enabled, must be 0 or 100% (without Absolute) or " \
      "Count (with Absolute).") \
    X(ESLURM_ROLLUP_IN_PROGRESS, 7015, "Usage rollup or archive in progress, retry later") \
    X(ESLURM_FED_CLUSTER_MAX_CNT, 7100, "Too many clusters in federation") \
    X(ESLURM_FED_CLUSTER_MULTIPLE_ASSIGNMENT, 7101, "Clusters can only be assigned to one federation") \
    X(ESLURM_INVALID_CLUSTER_FEATURE, 7102, "Invalid cluster feature specification") \
    X(ESLURM_JOB_NOT_FEDERATED, 7103, "Not a valid federated job") \
    X(ESLURM_INVALID_CLUSTER_NAME, 7104, "Invalid cluster name") \
    X(ESLURM_FED_JOB_LOCK, 7105, "Job locked by another sibling") \
    X(ESLURM_FED_NO_VALID_CLUSTERS, 7106, "No eligible clusters for federated job") \
    X(ESLURM_LUA_INVALID_STATE, 7400, "Invalid or NULL Lua state pointer") \
    X(ESLURM_LUA_INVALID_SYNTAX, 7401, "Lua script loading failed due to invalid syntax") \
    X(ESLURM_LUA_FUNC_NOT_FOUND, 7402, "Requested Lua function not found") \
    X(ESLURM_LUA_FUNC_INVALID_RC, 7403, "Lua function returned nil or table instead of numeric result") \
    X(ESLURM_LUA_FUNC_FAILED, 7404, "Lua function execution failed for unknown reasons") \
    X(ESLURM_LUA_FUNC_FAILED_RUNTIME_ERROR, 7405, "Lua function execution failed due to runtime error") \
    X(ESLURM_LUA_FUNC_FAILED_ENOMEM, 7406, \
      "Lua function execution failed due to memory allocation failure. Either not enough memory for Lua " \
      "script's variables or memory allocation request for a variable was way too large.") \
    X(ESLURM_LUA_FUNC_FAILED_GARBAGE_COLLECTOR, 7407, \
      "Lua function execution failed due to unknown failure in Lua's garbage collector") \
    X(ESLURM_LUA_INVALID_CONVERSION_TYPE, 7408, "Unknown or unparsable Lua type found at top of Lua stack") \
    X(ESLURM_TOPO_ERROR_START, 7200, "Unknown error 7200") \
    X(ESLURM_TOPO_REQ_NODES_NOT_AVAIL, 7201, "Required nodes lack available resources") \
    X(ESLURM_TOPO_REQ_NODES_NO_MATCH_TOPO, 7202, "Required nodes do not fit topology") \
    X(ESLURM_TOPO_NO_FIT, 7203, "No suitable topology unit found") \
    X(ESLURM_TOPO_SEGMENT_NO_FIT, 7204, "No suitable topology unit found for segment") \
    X(ESLURM_TOPO_INSUFFICIENT_RESOURCES, 7205, "Insufficient resources in topology unit") \
    X(ESLURM_TOPO_WEIGHT_NO_FIT, 7206, "Weight-based selection could not satisfy request within topology unit") \
    X(ESLURM_TOPO_MAX_NODE_LIMIT, 7207, "Exceeded maximum node limit during topology allocation") \
    X(ESLURM_TOPO_EMPTY_NODE_MAP, 7208, "No available nodes in topology") \
    X(ESLURM_TOPO_ERROR_END, 7300, "Unknown error 7300") \
    X(ESLURM_MISSING_TIME_LIMIT, 8000, "Time limit specification required, but not provided") \
    X(ESLURM_PLUGIN_INVALID, 8002, "Plugin has invalid format or unable to be loaded") \
    X(ESLURM_PLUGIN_INCOMPLETE, 8003, "Plugin missing required symbol or function") \
    X(ESLURM_PLUGIN_NOT_LOADED, 8004, "Required plugin type not loaded or initialized") \
    X(ESLURM_PLUGIN_NOTFOUND, 8005, "Plugin file not found") \
    X(ESLURM_PLUGIN_ACCESS_ERROR, 8006, "Plugin access denied") \
    X(ESLURM_PLUGIN_DLOPEN_FAILED, 8007, "Dlopen of plugin file failed") \
    X(ESLURM_PLUGIN_INIT_FAILED, 8008, "Plugin init() callback failed") \
    X(ESLURM_PLUGIN_MISSING_NAME, 8009, "Plugin name/type/version symbol missing") \
    X(ESLURM_PLUGIN_BAD_VERSION, 8010, "Incompatible plugin version") \
    X(ESLURM_REST_INVALID_QUERY, 9000, "Query empty or not RFC7320 compliant") \
    X(ESLURM_REST_FAIL_PARSING, 9001, "Failure during parsing") \
    X(ESLURM_REST_INVALID_JOBS_DESC, 9002, "Jobs description entry not found, empty or not dictionary or list") \
    X(ESLURM_REST_EMPTY_RESULT, 9003, "Nothing found with query") \
    X(ESLURM_REST_MISSING_UID, 9004, "Missing UNIX user in the system") \
    X(ESLURM_REST_MISSING_GID, 9005, "Missing UNIX group in the system") \
    X(ESLURM_REST_UNKNOWN_URL, 9006, \
      "Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint or visit " \
      "'https://slurm.schedmd.com/rest_api.html' for the OpenAPI specification which includes a list of all " \
      "possible slurmrestd endpoints.") \
    X(ESLURM_REST_UNKNOWN_URL_METHOD, 9007, \
      "Requested HTTP query method is not supported at URL endpoint. Please query the '/openapi/v3' " \
      "endpoint or visit 'https://slurm.schedmd.com/rest_api.html' for the OpenAPI specification which " \
      "includes a list of all possible slurmrestd endpoints.") \
    X(ESLURM_REST_AUTH_FAIL, 9008, "Authentication failure") \
    X(ESLURM_REST_BAD_REQUEST, 9009, "Query requirements not met") \
    X(ESLURM_DATA_PATH_NOT_FOUND, 9200, "Unable to resolve path") \
    X(ESLURM_DATA_PTR_NULL, 9201, "Data pointer is NULL") \
    X(ESLURM_DATA_CONV_FAILED, 9202, "Unable to convert Data type") \
    X(ESLURM_DATA_REGEX_COMPILE, 9203, "Unable to compile regex") \
    X(ESLURM_DATA_UNKNOWN_MIME_TYPE, 9204, "MIME type is unknown to any loaded plugins") \
    X(ESLURM_DATA_TOO_LARGE, 9205, "Data too large to handle") \
    X(ESLURM_DATA_FLAGS_INVALID_TYPE, 9206, "Data parser expects flags to be a list") \
    X(ESLURM_DATA_FLAGS_INVALID, 9207, "Data parser unable to parse invalid flag") \
    X(ESLURM_DATA_EXPECTED_LIST, 9208, "Data parser expected a list") \
    X(ESLURM_DATA_EXPECTED_DICT, 9209, "Data parser expected a dictionary or object") \
    X(ESLURM_DATA_AMBIGUOUS_MODIFY, 9210, \
      "Request matched more than one object to modify. Modifications must only apply to a single object. " \
      "Try adding more properties to make update match a unique object.") \
    X(ESLURM_DATA_AMBIGUOUS_QUERY, 9211, \
      "Request matched more than one object to query. Request is limited to query of a single matching " \
      "object.") \
    X(ESLURM_DATA_PARSE_NOTHING, 9212, "Request to parse empty string rejected") \
    X(ESLURM_DATA_INVALID_PARSER, 9213, "Invalid parser requested") \
    X(ESLURM_DATA_PARSING_DEPTH, 9214, "Parsing tree too deep. Possible cyclic parsing detected") \
    X(ESLURM_DATA_PARSER_INVALID_STATE, 9215, "Parser went into an invalid state. Possible library issue.") \
    X(ESLURM_DATA_PARSE_BAD_INPUT, 9216, "Request to parse invalid data") \
    X(ESLURM_CONTAINER_NOT_CONFIGURED, 10000, "Container support is not configured") \
    X(ESLURM_URL_UNKNOWN_SCHEME, 11000, "Unknown URL scheme") \
    X(ESLURM_URL_EMPTY, 11001, "URL string is empty") \
    X(ESLURM_URL_NON_NULL_TERMINATOR, 11002, "Invalid non-NULL terminated URL") \
    X(ESLURM_URL_INVALID_FORMATING, 11003, "Invalid format for URL format") \
    X(ESLURM_URL_INVALID_SCHEME, 11004, "Invalid or unknown URL scheme") \
    X(ESLURM_URL_UNSUPPORTED_SCHEME, 11005, "URL scheme not supported") \
    X(ESLURM_URL_INVALID_HOST, 11006, "Invalid or unknown URL host") \
    X(ESLURM_URL_INVALID_PORT, 11007, "Invalid or unknown URL port") \
    X(ESLURM_URL_INVALID_PATH, 11008, "Invalid or unknown URL path") \
    X(ESLURM_URL_INVALID_QUERY, 11009, "Invalid or unknown URL query") \
    X(ESLURM_URL_INVALID_FRAGMENT, 11010, "Invalid or unknown URL fragment") \
    X(ESLURM_URL_UNSUPPORTED_FORMAT, 11011, "URL format not supported") \
    X(ESLURM_HTTP_PARSING_FAILURE, 12000, "Unspecified error during HTTP parsing") \
    X(ESLURM_HTTP_UNEXPECTED_URL, 12001, "Unexpected duplicate URL") \
    X(ESLURM_HTTP_EMPTY_HEADER, 12002, "Invalid empty HTTP header") \
    X(ESLURM_HTTP_INVALID_STATUS_CODE, 12003, "Invalid HTTP status code") \
    X(ESLURM_HTTP_INVALID_METHOD, 12004, "Invalid HTTP method") \
    X(ESLURM_HTTP_MISSING_LF, 12005, "Missing an expected LF character") \
    X(ESLURM_HTTP_INVALID_CHARACTER, 12006, "Unexpected character added or missing in HTTP") \
    X(ESLURM_HTTP_INVALID_CONTENT_LENGTH, 12007, \
      "Unexpected character or unparsable number in HTTP Content-Length header") \
    X(ESLURM_HTTP_INVALID_TRANSFER_ENCODING, 12008, "Invalid HTTP Tranfser-Encoding header") \
    X(ESLURM_HTTP_UNSUPPORTED_CHUNK_ENCODING, 12009, "HTTP Chunked Transfer-Encoding not supported") \
    X(ESLURM_HTTP_UNEXPECTED_REQUEST, 12010, "Received unexpected HTTP Request") \
    X(ESLURM_HTTP_UNSUPPORTED_VERSION, 12011, "Only HTTP version 1.1 requests are supported") \
    X(ESLURM_HTTP_UNSUPPORTED_UPGRADE, 12012, "HTTP protocol upgrading is not supported.") \
    X(ESLURM_HTTP_INVALID_CONTENT_ENCODING, 12013, "Invalid or unsupported HTTP Content-Encoding header") \
    X(ESLURM_HTTP_UNSUPPORTED_EXPECT, 12014, "Invalid or unsupported HTTP Content-Encoding header") \
    X(ESLURM_HTTP_UNSUPPORTED_KEEP_ALIVE, 12015, "Invalid or unsupported HTTP Keep-Alive header") \
    X(ESLURM_HTTP_CONTENT_LENGTH_TOO_LARGE, 12016, "HTTP Content-Length header too large to process") \
    X(ESLURM_HTTP_POST_MISSING_CONTENT_LENGTH, 12017, "HTTP Content-Length header required for POST method requests") \
    X(ESLURM_HTTP_UNEXPECTED_BODY, 12018, "Unexpected HTTP body provided when URL Query provided") \
    X(ESLURM_HTTP_UNKNOWN_ACCEPT_MIME_TYPE, 12019, "HTTP Accept header content type is unknown or unsupported") \
    X(ESLURM_HTTP_MISSING_CR, 12020, "Missing an expected CR character") \
    X(ESLURM_TLS_REQUIRED, 13000, "TLS missing but required for connection")
/* clang-format on */

enum spur_errnum {
#define X(name, number, text) name = number,
    SPUR_ERRORS(X)
#undef X
};

#endif
