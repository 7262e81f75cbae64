#!/usr/bin/env bash
# preempt: a partition of a higher tier takes what it needs from a lower one, and no more.
. "$(dirname "$0")/lib.sh"
plan 11
cd "$TMP" || exit 1
conf 2 KillWait=2 PreemptType=preempt/partition_prio PreemptMode=REQUEUE
cat >>"$CONF" <<'C'
PartitionName=low Nodes=ALL PriorityTier=1
PartitionName=cancel Nodes=ALL PriorityTier=1 PreemptMode=CANCEL
PartitionName=safe Nodes=ALL PriorityTier=1 PreemptMode=OFF
PartitionName=high Nodes=ALL PriorityTier=10
C
cluster preempt --conf "$CONF"
wait_job() { await "$2" 20 state "$1"; }

sub -p low -w n1 -n 2 --requeue -o low.out --wrap 'echo "begun $SLURM_RESTART_COUNT"; sleep 600'
low=$JOB
sub -p safe -w n1 -n 2 -o /dev/null --wrap 'sleep 600'
safe=$JOB
sub -p cancel -w n2 -n 4 -o cancel.out --wrap 'sleep 600'
cancel=$JOB
for j in $low $safe $cancel; do wait_job "$j" RUNNING; done

sub -p high -w n1 -n 2 -o /dev/null --wrap 'sleep 600'
first=$JOB
becomes "$first" RUNNING "a job of a higher tier starts"
is "$(state "$low")" PENDING "the one in its way is put back"
is "$(state "$safe")" RUNNING "one that may not be preempted goes on"
is "$(state "$cancel")" RUNNING "one elsewhere, too"

sub -p high -w n1 -n 4 -o /dev/null --wrap true
sleep 1
is "$(state "$JOB")" PENDING "no job is preempted for a job that would not start then"
is "$(state "$safe"),$(state "$cancel")" RUNNING,RUNNING "and none was preempted"
scancel "$JOB"

sub -p high -w n2 -n 4 -o /dev/null --wrap true
becomes "$JOB" COMPLETED "what may be cancelled makes room, too"
is "$(state "$cancel")" PREEMPTED "and is told as preempted"
like "$(cat cancel.out)" "CANCELLED AT .* DUE TO PREEMPTION" "its output says why"
scancel "$first"
becomes "$low" RUNNING "a requeued job starts again when there is room"
comes "begun 1" "from its beginning" cat low.out
