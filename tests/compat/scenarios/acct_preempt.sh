# A QOS takes from those it may take from.
gone() { wait_state "$1" "$2" 20; }
mask 's/(BeginTime|Resources|Priority)$/WAITS/' # how long it is held back after a requeue is an accident
scene as the cluster says
runs a -q low -N4 --exclusive
job b -q high -N4
table
scene requeued
runs a -q again -N4 --exclusive
job b -q high -N1 -w n1
table
scancel "$b"
wait_end "$b"
scene not its own
runs a -q end -N4 --exclusive
job b -q high -N1
table
scene ended
runs a -q end -N4 --exclusive
job b -q top -N1 -w n1
gone "$a" PREEMPTED
table
scene who is told
file told.sh <<'E2'
#!/bin/bash
trap 'echo the script is told; [ $((SECONDS - began)) -lt 5 ] || echo the time was given' TERM
began=0
srun -n1 -N1 sh -c 'trap "echo the task is told; exit 0" TERM; echo up >up; while :; do sleep 0.2; done'
began=$SECONDS
echo the script goes on
sleep 60 &
wait
E2
a=$(sbatch --parsable -J a -q graced -N4 --exclusive -o told.txt told.sh)
wait_step "$a.0"
wait_file up
job b -q top -N1 -w n1
gone "$a" PREEMPTED
grep ^the told.txt
scene not before it had its time
runs a -q safe -N4 --exclusive
job b -q top -N1
table
scene one of several
runs a -q low -w n1 --exclusive
runs b -q normal -w n2 --exclusive
runs c -q high -w n3 --exclusive
runs d -q normal -w n4 --exclusive
job e -q top -N1
table
scene the waiting one goes first
runs a -q normal -N4 --exclusive -t 30
job b -q high -N4 -t 30
job c -q low -N4 -t 10
table
show_keys 'PreemptEligibleTime|PreemptTime' scontrol show job "$a" | sed 's/=2.*T.*/=TIME/'
