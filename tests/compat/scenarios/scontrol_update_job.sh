# scontrol update of a job: what changes, what is refused.
sub -J a -H -t 10 -n 2 --wrap 'sleep 300'
j=$JOB
one() {
	local i
	for i in 1 2 3 4 5 6 7 8; do # Slurm says "try again" while its scheduler looks at the job
		show scontrol update JobId="$j" "$@" >"$QUIET.one"
		grep -q "temporarily unavailable" "$QUIET.one" || break
		sleep 0.3
	done
	cat "$QUIET.one"
	[ "$rc" != 0 ] || show_keys "$keys" scontrol -o show job "$j"
}
keys='JobName' one JobName=new
keys='JobName' one Name=newer
keys='TimeLimit' one TimeLimit=20
keys='TimeLimit' one TimeLimit=+5
keys='TimeLimit' one TimeLimit=-5
keys='TimeLimit' one TimeLimit=1-00
keys='TimeLimit' one TimeLimit=UNLIMITED
keys='TimeLimit' one TimeLimit=nosuch
keys='TimeLimit' one TimeLimit=20
keys='Partition' one Partition=short
keys='Partition' one Partition=nosuch
keys='NumNodes' one NumNodes=2
keys='NumNodes' one NumNodes=1-2
keys='NumCPUs' one NumCPUs=4
keys='NumTasks' one NumTasks=4
keys='Nice|Priority' one Nice=100
keys='Priority' one Priority=77
keys='MinMemoryNode|MinMemoryCPU' one MinMemoryNode=300
keys='MinMemoryNode|MinMemoryCPU' one MinMemoryCPU=50
keys='ReqNodeList' one ReqNodeList=n1
keys='ReqNodeList' one ReqNodeList=
keys='ExcNodeList' one ExcNodeList=n4
keys='ReqNodeList' one ReqNodeList=nosuch
keys='Dependency' one Dependency=afterany:999999
keys='Dependency' one Dependency=
keys='Comment' one Comment=hello
keys='EligibleTime|StartTime' one StartTime=now+1hour
keys='Deadline' one Deadline=nosuch
keys='Requeue' one Requeue=0
keys='Features' one Features=gpu
keys='StdOut' one StdOut=out.txt
keys='WorkDir' one WorkDir=/tmp
keys='TresPerNode' one Gres=gpu:1
keys='Contiguous' one Contiguous=yes
keys='JobId' one Nosuch=1
keys='JobId' one nonsense
keys='JobId' one
show scontrol update JobId=999999 TimeLimit=5
show scontrol update JobId=nosuch TimeLimit=5
show scontrol update TimeLimit=5
show scontrol update
sub -J run -t 10 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
j=$JOB
keys='TimeLimit' one TimeLimit=30
keys='JobName' one JobName="moved_$j"
keys='Partition' one Partition=short
keys='NumNodes' one NumNodes=4
keys='NumTasks' one NumTasks=3
keys='Comment' one Comment=live
show scontrol update JobName="moved_$j" TimeLimit=40
show_keys TimeLimit scontrol -o show job "$j"
mask 's/EligibleTime=Y/EligibleTime=Y/'
