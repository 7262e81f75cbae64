#!/usr/bin/env bash
# yield: a job that says it can (--requeue with --signal) makes room for one that needs little, and goes on afterwards.
. "$(dirname "$0")/lib.sh"
plan 14
cd "$TMP" || exit 1
conf 2 KillWait=2 SpurPolicy=short SpurYieldAfter=00:00:02
cluster yield --conf "$CONF"
wait_job() { await "$2" 20 state "$1"; }

cat >saves.sh <<'S'
#!/bin/bash
echo "begun $SLURM_RESTART_COUNT" >>saves.log
trap 'echo saved >>saves.log' USR1
while :; do sleep 0.2; done
S
sub -w n1 -n 4 -t 2-0 --requeue --signal=B:USR1@8 -o /dev/null saves.sh
saves=$JOB
sub -w n2 -n 4 -t 2-0 --signal=B:USR1@3 -o /dev/null --wrap 'sleep 600'
plain=$JOB
for j in $saves $plain; do wait_job "$j" RUNNING; done
sleep 3

sub -w n1 -n 4 -t 1 -o /dev/null --wrap 'sleep 5'
small=$JOB
await saved 10 tail -n 1 saves.log
is "$(tail -n 1 saves.log)" saved "a long job that checkpoints hears its signal when a small one waits"
is "$(state "$small")" PENDING "and has the time it asked for"
becomes "$small" RUNNING "then the small one starts"
is "$(state "$saves")" PENDING "in its place"
becomes "$small" COMPLETED "the small one ends"
becomes "$saves" RUNNING "and the long one goes on"
await "begun 1" 10 tail -n 1 saves.log
is "$(tail -n 1 saves.log)" "begun 1" "as its first restart"

sub -w n2 -n 4 -t 1 -o /dev/null --wrap true
sleep 3
is "$(state "$JOB"),$(state "$plain")" PENDING,RUNNING "a job without --requeue is left alone"
scancel "$JOB" "$plain" "$saves"

# a job that ends by itself after the request to yield: with exit code 0 it is complete, with any other it is requeued
wait_job "$plain" CANCELLED
for code in 0 9; do
	sub -w n2 -n 4 -t 2-0 --requeue --signal=B:USR1@30 -o /dev/null \
		--wrap "[ \${SLURM_RESTART_COUNT:-0} = 0 ] || exit 0; trap 'exit $code' USR1; while :; do sleep 0.2; done"
	first=$JOB
	wait_job "$first" RUNNING
	sleep 2.5
	sub -w n2 -n 4 -t 1 -o /dev/null --wrap true
	becomes "$JOB" COMPLETED "room is there as soon as it ends with $code"
	becomes "$first" COMPLETED "one that ends with $code completes in the end"
	is "$(scontrol show job "$first" | grep -o 'Restarts=[0-9]*')" "Restarts=$((code > 0))" \
		"and starts $((code > 0)) more time(s)"
done
