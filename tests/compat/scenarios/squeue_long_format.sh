# Every name of squeue -O, for a running and a held job: header and value, 60 columns each.
sub -J run -N 2 -n 4 -c 1 -t 1:30:00 --gres=gpu:1 -A acct --comment 'some words' --wrap 'sleep 300'
run=$JOB
sub -J held -H -p short -t 10 -n 3 -c 2 --mem=200 --nice=50 -x n4 -o o.%j -e e.%j --wrap true
held=$JOB
wait_state "$run" RUNNING
for f in Account AccrueTime admin_comment AllocNodes AllocSID ArrayJobId ArrayTaskId AssocId BatchFlag BatchHost \
	BoardsPerNode BurstBuffer BurstBufferState Cluster ClusterFeature Command Comment Container ContainerId Contiguous \
	Cores CoreSpec CPUFreq CPUsPerTask CronJob Deadline DelayBoot Dependency DerivedEC EligibleTime EndTime ExcNodes \
	Exclusive exit_code Feature GroupId GroupName HetJobId HetJobIdSet HetJobOffset JobArrayId JobId \
	LastSchedEval Licenses LicensesAlloc MaxCPUs MaxNodes MCSLabel MinCPUs MinMemory MinTime MinTmpDisk Name Network \
	Nice NodeList Nodes NTPerBoard NTPerCore NTPerNode NTPerSocket NumCPUs NumNodes NumTasks Origin OriginRaw \
	OverSubscribe Partition PendingTime PreemptTime Prefer Priority PriorityLong Profile QOS Reason ReasonList Reboot \
	ReqNodes ReqSwitch Requeue Reservation ResizeTime RestartCnt ResvPorts Runtime SchedNodes SCT SegmentSize Shared \
	SiblingsActive SiblingsActiveRaw SiblingsViable SiblingsViableRaw Sockets SPerBoard StartTime State StateCompact \
	StdErr StdIn StdOut SubmitTime system_comment Threads TimeLimit TimeUsed UserId UserName \
	Wait4Switch WCKey WorkDir StepId tres-alloc tres-per-node tres-per-job tres-per-task tres-per-socket; do
	for id in $run $held; do
		printf '%s: ' "$f"
		squeue -j "$id" -O "$f:70" 2>&1 | sed 's/ *$/|/' | paste -sd' '
	done
done
mask 's/^(AllocNodes: ALLOC_NODES\|) .*/\1 HOST|/; s/^(AllocSID: .*\|) *[0-9]+\|/\1 SID|/; s/^(PendingTime: .*\|) *[0-9]+\|/\1 0|/; s/^(TimeUsed: TIME\|) [0-9]:[0-9][0-9]\|/\1 0:00|/'
