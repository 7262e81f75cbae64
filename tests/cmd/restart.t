#!/usr/bin/env bash
# restart: agents and controllers die and come back; jobs notice nothing, and lost nodes are noticed.
. "$(dirname "$0")/lib.sh"
plan 29
conf 3 SlurmdTimeout=5 KillWait=2
cluster restart --conf "$CONF"
cd "$TMP" || exit 1

# ---- the agent restarts ----
sub -w n1 -o adopt.out --wrap 'echo begun; while [ ! -e go ]; do sleep 0.1; done; echo ended; exit 4'
await_file adopt.out
for how in TERM KILL; do
	old=$(pid_of node-n1)
	kill -$how "$old"
	await gone 10 eval "kill -0 $old 2>/dev/null && grep -qv '^State:.Z' /proc/$old/status &&
		! grep -q '^State:.Z' /proc/$old/status || echo gone"
	works "the agent comes back after SIG$how" "$SPUR" up --dir "$DIR"
	is "$(state "$JOB")" RUNNING "its job goes on"
done
touch go
becomes "$JOB" FAILED "the new agent reports the end"
is "$(field "$JOB" ExitCode)" 4:0 "with the right exit code"
is "$(cat adopt.out)" "begun
ended" "the script ran once"
rm go

# ---- a job ends while no agent is there ----
sub -w n1 -o away.out --wrap 'echo begun; while [ ! -e go ]; do sleep 0.1; done'
await_file away.out
kill -9 "$(pid_of node-n1)"
touch go
sleep 0.5
works "the agent comes back" "$SPUR" up --dir "$DIR"
becomes "$JOB" COMPLETED "an end that no daemon saw is reported"

# ---- the controller restarts ----
sub -w n2 -o ctl.out --wrap 'echo begun; sleep 2; echo ended'
await_file ctl.out
kill -9 "$(pid_of ctl1)"
sub_late=$(sbatch --parsable --hold --wrap true 2>/dev/null & sleep 0.3; "$SPUR" up --dir "$DIR" >/dev/null; wait)
like "$sub_late" '^[0-9]+$' "a submission rides through the restart"
becomes "$JOB" COMPLETED "a running job does, too"
is "$(state "$sub_late")" PENDING "the late one is there"

# ---- a node is lost ----
sub -w n3 --no-requeue -o /dev/null --wrap 'sleep 300'
stays=$JOB
sub -w n3 --requeue -o /dev/null --wrap 'sleep 300'
again=$JOB
await RUNNING 10 state "$stays"
await RUNNING 10 state "$again"
kill -9 "$(pid_of node-n3)"
becomes "$stays" NODE_FAIL "SlurmdTimeout after its node was lost a job has failed" 40
becomes "$again" PENDING "with --requeue it waits for another start"
like "$(sinfo -hN -n n3 -o %T)" '^down' "the node is down"
works "the node comes back" "$SPUR" up --dir "$DIR"
becomes "$again" RUNNING "and the job runs there again"
sleeps() { # the number of this cluster's tasks that sleep
	pgrep -f '^sleep 300' | while read -r p; do
		tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -x "SLURM_CONF=$DIR/etc/slurm.conf"
	done | wc -l
}
await 1 20 sleeps
is "$(sleeps)" 1 "what the lost attempts had left was cleaned up"
scancel "$again"
becomes "$again" CANCELLED "the second attempt can be cancelled"

# ---- reconfigure ----
sed -i 's/^PartitionName=main.*/&\nPartitionName=extra Nodes=n[1-2] MaxTime=10/; s/^KillWait=.*/KillWait=7/' \
	"$DIR/etc/slurm.conf"
works "reconfigure" scontrol reconfigure
is "$(sinfo -h -p extra -o '%R %D %l')" "extra 2 10:00" "a new partition"
is "$(scontrol show config | awk '$1 == "KillWait" { print $3 }')" 7 "a new value"
sub -p extra -o /dev/null --wrap true
becomes "$JOB" COMPLETED "jobs run in it"
cp "$DIR/etc/slurm.conf" good.conf
echo 'NoSuchKey=1' >>"$DIR/etc/slurm.conf"
refused "a broken file is refused" scontrol reconfigure
kill -HUP "$(pid_of ctl1)"
sleep 0.3
cp good.conf "$DIR/etc/slurm.conf"
is "$(sinfo -h -p extra -o %R)" extra "and the cluster goes on as it was"

# ---- down --keep-jobs ----
sub -w n1 -o keep.out --wrap 'echo begun; while [ ! -e kept ]; do sleep 0.1; done; exit 9'
await_file keep.out
"$SPUR" down --keep-jobs --dir "$DIR" >/dev/null
works "up after down --keep-jobs" "$SPUR" up --dir "$DIR"
is "$(state "$JOB")" RUNNING "the job is still running"
touch kept
becomes "$JOB" FAILED "and its end is known"
is "$(field "$JOB" ExitCode)" 9:0 "with its exit code"
