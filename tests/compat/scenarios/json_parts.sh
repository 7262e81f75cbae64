# The values of partitions of many kinds, as JSON.
# made NAME PAIR...: create the partition, show it, remove it.
made() {
	scontrol create PartitionName="$1" Nodes=n6 "${@:2}" || echo "(not created: $*)"
	values scontrol show partition "$1" --json
	scontrol delete PartitionName="$1"
}
made plain
made flags Hidden=yes RootOnly=yes DisableRootJobs=yes ReqResv=yes LLN=yes
made shared OverSubscribe=yes:4 ExclusiveUser=yes DefMemPerNode=500 MaxMemPerNode=1000
made whole OverSubscribe=exclusive PreemptMode=off DefMemPerCPU=7 GraceTime=60
made lists AllowGroups=root,daemon AllocNodes=n1 Alternate=main MinNodes=2 MaxCPUsPerNode=4 MaxCPUsPerSocket=2 \
	DefaultTime=unlimited
made drained State=drain PreemptMode=cancel MaxTime=100 DefaultTime=50 MaxNodes=3 PriorityTier=5 PriorityJobFactor=7
made denied State=inactive DenyAccounts=physics AllowQos=high
