# scontrol create, update and delete of a partition.
one() {
	show scontrol update PartitionName=extra "$@"
	show_keys "$keys" scontrol -o show part extra
}
show scontrol create PartitionName=extra Nodes=n1 MaxTime=5
show sinfo -p extra
show scontrol show partition extra
keys='State' one State=DOWN
keys='State' one State=DRAIN
keys='State' one State=INACTIVE
show sinfo -p extra
keys='State' one State=UP
keys='MaxTime' one MaxTime=2:00:00
keys='MaxTime|DefaultTime' one DefaultTime=30
keys='MaxTime' one MaxTime=INFINITE
keys='MaxNodes' one MaxNodes=2
keys='MinNodes' one MinNodes=2
keys='PriorityTier|PriorityJobFactor' one PriorityTier=5
keys='Nodes|TotalNodes|TotalCPUs' one Nodes=n[1-3]
keys='Nodes' one Nodes=nosuch
keys='Default' one Default=NO
keys='State' one State=nosuch
keys='State' one Nosuch=1
keys='MaxTime' one MaxTime=nosuch
sub -H -p extra --wrap true
show scontrol delete PartitionName=extra
scancel "$JOB"
show scontrol delete PartitionName=extra
show sinfo -p extra
show scontrol delete PartitionName=nosuch
show scontrol update PartitionName=nosuch State=UP
show scontrol create PartitionName=extra Nodes=nosuch
show scontrol create PartitionName=extra Nosuch=1
show scontrol create
