#!/usr/bin/env bash
# resv_hooks: scripts at a reservation's begin and end; jobs that run into one and leave when it needs their nodes.
. "$(dirname "$0")/lib.sh"
plan 10
cd "$TMP" || exit 1
for what in begins ends; do
	printf '#!/bin/sh\necho %s "$1" "$SLURM_CLUSTER_NAME" >>%s/told\n' "$what" "$TMP" >"$what"
	chmod +x "$what"
done
conf 2 KillWait=1 PreemptType=preempt/partition_prio PreemptMode=REQUEUE "ResvProlog=$TMP/begins" "ResvEpilog=$TMP/ends"
cluster resv_hooks --conf "$CONF"
new() { scontrol create reservation Users=root "$@" 2>&1; }
told() { cat told 2>/dev/null; }
went() { squeue -h -j "$1" -o '%T %N' | sed 's/ *$//'; }

# ---- scripts ----
new ReservationName=brief StartTime=now EndTime=now+3 Nodes=n2 >/dev/null
await_file told
is "$(told | head -n 1)" 'begins brief test' 'ResvProlog runs when it begins'
await 2 30 eval 'told | wc -l'
is "$(told | tail -n 1)" 'ends brief test' 'ResvEpilog when it ends'
new ReservationName=gone StartTime=now Duration=60 Nodes=n2 >/dev/null
await 3 30 eval 'told | wc -l' # it has begun
scontrol delete reservation=gone

# ---- running into it ----
new ReservationName=soon StartTime=now+15 Duration=60 Nodes=n1 MaxStartDelay=2 >/dev/null
sub -J late -w n1 -n4 -t 20 --signal=R:USR1@600 -o /dev/null --wrap 'sleep 600'
late=$JOB
sub -J plain -w n1 -n4 -t 20 -o /dev/null --wrap 'sleep 600'
plain=$JOB
sub -J by -w n1 -n4 -t 20 --requeue --signal=RB:USR1@60 -o /dev/null --wrap 'sleep 600'
by=$JOB
becomes "$by" RUNNING 'a job that leaves soon enough when asked may run into a reservation'
is "$(state "$late"),$(state "$plain")" PENDING,PENDING 'others may not: they need longer, or say nothing'
await ACTIVE 40 eval 'scontrol -o show reservation soon | sed "s/.*State=\([A-Z]*\).*/\1/"'
is "$(went "$by")" 'RUNNING n1' 'it stays as long as nobody needs its node'
sub -J in --reservation=soon -n4 -t 5 -o /dev/null --wrap 'sleep 600'
becomes "$JOB" RUNNING 'a job that asks for the reservation gets it'
await PENDING 30 state "$by"
is "$(went "$by")" PENDING 'and the other goes back to the queue'
comes 'begins soon test,0' 'one that is deleted has no ResvEpilog' eval \
	'echo "$(tail -n 1 told),$(grep -c "ends gone" told)"'
scancel "$JOB" "$by" "$late" "$plain"

# ---- without preemption ----
sed -i '/^Preempt/d' "$DIR/etc/slurm.conf"
works 'the configuration is read again' scontrol reconfigure
like "$(sbatch --signal=R:USR1 --wrap true 2>&1)" 'reemption' \
	'without preemption no job would leave: it is refused'
