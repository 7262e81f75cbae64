# Every name of sinfo -O on idle nodes: header and value.
mask 's/^(CPUsLoad): .*/\1: LOAD/; s/^(FreeMem): .*/\1: MB/; s/^(Version): .*/\1: VERSION/; s/^(Port): .*/\1: PORT/; s/^(NodeHost): .*/\1: HOST/'
for f in AllocMem AllocNodes Available Cluster Comment Cores CPUs CPUsLoad CPUsState DefaultTime Disk Extra Features \
	features_act FreeMem Gres GresUsed Groups MaxCPUsPerNode Memory NodeAddr NodeAI NodeAIOT NodeHost NodeList Nodes \
	OverSubscribe Partition PartitionName Port PreemptMode PriorityJobFactor PriorityTier Reason Reservation Root Share \
	Size Sockets SocketCoreThread StateCompact StateComplete StateLong Threads Time TimeStamp User UserLong Version \
		Weight; do
	printf '%s: ' "$f"
	sinfo -n n1 -p half -O "$f:40" 2>&1 | sed 's/ *$/|/' | paste -sd' '
done
show sinfo -O partition,nodes
show sinfo -p half -O partition:5,nodelist:12,statelong:8
show sinfo -O nosuch
show sinfo -p half -o '%5P|%.8P|%P|%10t|%.3D'
show sinfo -o '%_'
show sinfo -o ''
show sinfo -h -o %P
show sinfo -h -o %R
show sinfo -h -o '%n %t'
show env SINFO_FORMAT='%P env' sinfo
show env SINFO_PARTITION=half sinfo
