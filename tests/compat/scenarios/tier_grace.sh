# A job that has to end is warned, and has the time that its partition gives.
told() { # told PARTITION ARG...: the script that is preempted; its output is in told.txt
	file told.sh <<'E2'
#!/bin/bash
trap 'echo the script is told; [ $((SECONDS - began)) -lt 4 ] || echo the time was given' TERM
began=0
srun -n1 -N1 sh -c 'trap "echo the task is told; exit 0" TERM; echo up >up; while :; do sleep 0.2; done'
began=$SECONDS
echo the script goes on
sleep 60 &
wait
E2
	rm -f told.txt up
	a=$(sbatch --parsable -J a -N4 --exclusive -o told.txt --open-mode=append -p "$@" told.sh)
	wait_step "$a.0"
	wait_file up
}
words() { grep ^the told.txt; }
scene who is told, and ends
told warn
job b -p high -N1 -w n1
wait_state "$a" PREEMPTED
words
scene who is told, and is put back
told warnback
job b -p high -N1 -w n1
wait_state "$b" RUNNING
words
scene what is shown
show_keys 'GraceTime|PreemptMode|PriorityTier' scontrol show partition warn
show_keys 'GraceTime|PreemptMode|PriorityTier' scontrol show partition main
show scontrol update PartitionName=warn GraceTime=7
show_keys 'GraceTime' scontrol show partition warn
show scontrol update PartitionName=warn GraceTime=5
