# scontrol show config: the frame, and the keys that scripts read.
mask 's/^(Slurmctld.*is) .*/\1 STATE/'
say the frame
scontrol show config | sed -n '1p'
scontrol show config | grep -cE '^[A-Za-z]+ *= ' | awk '{ print ($1 > 150) ? "more than 150 keys" : "only " $1 }'
scontrol show config | tail -3
for k in ClusterName SlurmctldHost\\[0\\] SlurmctldPort AuthType SelectType SelectTypeParameters SchedulerType \
	SchedulerParameters \
	DefMemPerCPU DefMemPerNode MaxArraySize MaxJobCount MaxMemPerNode MaxTasksPerNode MinJobAge KillWait KillOnBadExit \
		InactiveLimit FirstJobId MaxJobId \
	MessageTimeout SlurmctldTimeout SlurmdTimeout ReturnToService PriorityType ProctrackType TaskPlugin GresTypes \
	JobRequeue EnforcePartLimits OverTimeLimit BatchStartTimeout CompleteWait PreemptMode PreemptType PrivateData \
	PropagateResourceLimits SlurmUser SlurmdParameters SrunPortRange SwitchType TopologyPlugin TmpFS \
		UnkillableStepTimeout \
	UsePam VSizeFactor WaitTime MpiDefault LaunchParameters JobSubmitPlugins HealthCheckProgram Epilog Prolog \
		ResumeTimeout \
	TreeWidth SlurmctldDebug SlurmdDebug RebootProgram Licenses DisableRootJobs CliFilterPlugins BOOT_TIME \
		StateSaveLocation \
	SlurmdSpoolDir SLURM_CONF SLURM_VERSION HASH_VAL MailProg EpilogMsgTime PluginDir NEXT_JOB_ID AccountingStorageType \
		JobCompType; do
	scontrol show config | grep -E "^$k +=" || echo "no $k"
done | sed -E 's/^(BOOT_TIME|SLURM_VERSION|NEXT_JOB_ID|PluginDir|SLURM_CONF|HASH_VAL|MailProg|StateSaveLocation|SlurmdSpoolDir|SlurmUser|SlurmctldHost\[0\]|SlurmctldPort)( *= ).*/\1\2X/'
