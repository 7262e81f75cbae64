# What may be done to a heterogeneous job, and to one component of it.
parts() { squeue -h -j "$1" -o "%i %t %r %l %j" | LC_ALL=C sort; }
ended() { scontrol show job "$1" | grep -oE "(^JobId|JobState|ExitCode)=[^ ]*" | paste -sd' ' -; }
file sleep.sh <<'X'
#!/bin/bash
sleep 300
X
scene cancelled while it waits
sub -H -n1 : -n1 sleep.sh
show scancel "$JOB+1"
show scancel $((JOB + 1))
parts "$JOB"
show scancel "$JOB"
parts "$JOB"
scene held and released by part
sub -H -n1 : -n1 sleep.sh
show scontrol release "$JOB+1"
parts "$JOB"
show scontrol hold "$JOB+1"
parts "$JOB"
scene held as a whole
sub --begin=now+1hour -n1 : -n1 sleep.sh
show scontrol hold "$JOB"
squeue -h -j "$JOB" -o "%i %r" | LC_ALL=C sort
show scontrol uhold "$JOB"
squeue -h -j "$JOB" -o "%i %r" | LC_ALL=C sort
scene changed
sub -H -n1 : -n1 sleep.sh
show scontrol update jobid="$JOB" timelimit=7
show scontrol update jobid="$JOB+1" timelimit=8
show scontrol update jobid=$((JOB + 1)) name=bar
show scontrol update jobid="$JOB+0" name=zero
show scontrol update jobid="$JOB+9" name=x
show scontrol update jobid="$JOB+1" numnodes=2
show scontrol requeue "$JOB"
parts "$JOB"
scene a running part is cancelled
sub -n1 : -n1 sleep.sh
wait_state "$JOB" RUNNING
show scontrol suspend "$JOB+1"
show scancel "$JOB+1"
wait_state $((JOB + 1)) CANCELLED
ended "$JOB"
scene suspended as a whole
sub -n1 : -n1 sleep.sh
wait_state "$JOB" RUNNING
show scontrol suspend "$JOB"
parts "$JOB"
show scontrol resume "$JOB"
parts "$JOB"
scene the first is cancelled
sub -n1 : -n1 sleep.sh
wait_state "$JOB" RUNNING
show scancel "$JOB"
wait_end "$JOB"
ended "$JOB"
scene the script ends
sub -n1 -o /dev/null : -n1 --wrap 'exit 3'
wait_end "$JOB"
ended "$JOB"
