#!/usr/bin/env bash
# Priorities by factors: the order of starts, sprio beside squeue, and what scontrol changes.
. "$(dirname "$0")/lib.sh"
plan 41
conf 1 PriorityType=priority/multifactor PriorityWeightPartition=1000 PriorityWeightJobSize=400 \
	PriorityWeightAge=100000 \
	PriorityMaxAge=1-0 PriorityCalcPeriod=1 PriorityWeightTRES=CPU=80
{
	echo "PartitionName=low Nodes=ALL PriorityJobFactor=1 MaxTime=INFINITE"
	echo "PartitionName=high Nodes=ALL PriorityJobFactor=4 MaxTime=INFINITE"
} >>"$CONF"
cluster priority --conf "$CONF"
cd "$TMP" || exit 1
export SLURM_CPU_BIND=none
mkfifo block

sub -c4 -p low -o /dev/null --wrap "cat $TMP/block"
FIRST=$JOB
becomes "$FIRST" RUNNING "a job has the node"
order() { sub "$@" -o /dev/null --wrap "echo \$SLURM_JOB_NAME >>$TMP/order"; }
order -J small -p low -c1 --exclusive
order -J low -p low -c4
LOW=$JOB
order -J high -p high -c4
HIGH=$JOB
order -J nice -p high -c4 --nice=900
NICE=$JOB
order -J said -p low -c4 --priority=100000
SAID=$JOB
order -J both -p low,high -c4 --nice=5
BOTH=$JOB

# partition 1000 of 4/4, size (1/1 + 4/4)/2 of 400, TRES 4/4 of 80; the age adds a point a second, and a little
near() { [ "$1" -ge "$2" ] && [ "$1" -le $(($2 + 60)) ] && echo yes || echo "$1"; }
of() { sprio -h -j "$1" -o "$2" | head -n 1; }
is "$(near "$(of "$HIGH" %Y)" 1480)" yes "partition, size and TRES add up"
is "$(near "$(of "$LOW" %Y)" 730)" yes "a partition with a quarter of the highest factor gives a quarter"
is "$(near "$(of "$NICE" %Y)" 580)" yes "a nice value is taken from it"
is "$(of "$HIGH" '%P %J %T %N')" "1000 400 cpu=80 0" "sprio shows each part"
is "$(of "$HIGH" '%p %j %t')" "1.0000000 1.0000000 cpu=1.00" "and before its weight"
is "$(of "$SAID" '%Y %P %p')" "100000 0 0" "a priority that was said has no parts"
is "$(sprio -h -j "$BOTH" -o '%r %P' | paste -sd, -)" "low 250,high 1000" "a line for each partition"
# a point is added every second: asked one after the other, they may differ once
by_squeue() {
	[ "$(sprio -h -S -Y -o %Y -j "$HIGH,$SAID")" = "$(squeue -h -S -Q -o %Q -j "$HIGH,$SAID")" ] && echo equal
}
by_scontrol() { [ "$(field "$HIGH" Priority)" = "$(of "$HIGH" %Y)" ] && echo equal; }
comes equal "squeue shows the same numbers" by_squeue
comes equal "so does scontrol" by_scontrol
is "$(sprio -w | tr -s ' ' | sed 's/ $//' | tail -n 1)" " Weights 1 100000 400 1000 cpu=80" "-w: the weights"
is "$(sprio -h -p high -o %i | sort -u | wc -l)" 3 "-p: jobs of a partition"
silent "-u: jobs of a user" sprio -h -u daemon
is "$(sprio -h -j 99999; echo $?)" 0 "a job that is not there has no line"
is "$(sprio -j x 2>&1)" "sprio: error: Invalid job id: x" "a job id that is none is named"
like "$(sprio -o %Z 2>&1 | head -n 1)" "Invalid job format specification: Z" "a letter that is none is named"
scontrol update JobId="$NICE" Nice=-100
is "$(near "$(of "$NICE" %Y)" 1580)" yes "another nice value counts at once"
scontrol update JobId="$NICE" SiteFactor=2000
is "$(near "$(of "$NICE" %Y)" 3580)" yes "so does the site's factor"
is "$(of "$NICE" '%S %N')" "2000 -100" "and sprio shows both"
scontrol hold "$LOW"
is "$(sprio -h -j "$LOW")$(squeue -h -j "$LOW" -o %Q)" 0 "a held job has none"
scontrol release "$LOW"
is "$(near "$(of "$LOW" %Y)" 730)" yes "and gets it back when it is released"
scontrol update JobId="$SAID" Priority=7
is "$(of "$SAID" %Y)" 7 "a priority said by an administrator stays"

: >block &
await 6 60 eval "wc -l <$TMP/order 2>/dev/null"
is "$(paste -sd, order)" "nice,high,both,low,small,said" "they start in the order of their priorities"
is "$(near "$(field "$HIGH" Priority)" 1480)" yes "a job keeps the priority it began with"
spur down --dir "$DIR" >/dev/null 2>&1

# priority/basic: the job that is submitted first starts first.
conf 1 PriorityType=priority/basic
cluster basic --conf "$CONF"
sub -H --wrap true
sub -d afterok:"$JOB" --wrap true
A=$(field "$JOB" Priority)
sub -d afterok:"$JOB" --wrap true
is "$(field "$JOB" Priority)" $((A - 1)) "priority/basic: each has one less than the one before"
like "$(sprio 2>&1)" "priority/multifactor" "sprio says what it needs"

# sdiag: counters of this cluster, from the beginning.
count() { sdiag | tr -d '\t' | sed -n "s/^$1: *\([0-9]*\).*/\1/p" | head -n 1; }
is "$(count 'Jobs submitted')/$(count 'Jobs started')/$(count 'Jobs pending')" 3/0/3 "sdiag counts jobs"
sub -o /dev/null --wrap true
becomes "$JOB" COMPLETED "another one runs"
sub -H --wrap true
scancel "$JOB"
is "$(count 'Jobs submitted')/$(count 'Jobs started')/$(count 'Jobs completed')/$(count 'Jobs canceled')" 5/1/1/1 \
	"it counts on"
if [ "$(count 'Total cycles')" -ge 1 ]; then pass "plans are counted"; else fail "plans are counted" "$(sdiag)"; fi
sub -c3 -t 5 -o /dev/null --wrap "sleep 60"
becomes "$JOB" RUNNING "a job has most of the node"
is "$(count 'Last table size')" 0 "no job waits: there is no planned start"
sub -c4 -t 5 --wrap true
sub -c1 -t 1 -o /dev/null --wrap true
becomes "$JOB" COMPLETED "a short job passes the job that waits for all of the node"
is "$(sdiag | grep -c 'Total backfilled jobs (since last .* start): 1$')" 2 "it was backfilled"
is "$(count 'Last table size')" 1 "beside the planned start of the other"
like "$(sdiag -i)" 'SUBMIT +\( +10\) count:8 ' "messages by type"
like "$(sdiag)" "$(id -un) +\( +$(id -u)\) count:" "and by user"
is "$(sdiag -i | sed -n 's/^\t[A-Z_]* *( *\([0-9]*\)).*/\1/p' | sort -nc && echo sorted)" sorted "-i: by number"
works "-r counts from 0 again" sdiag -r
is "$(count 'Jobs submitted')/$(count 'Jobs running')" 0/1 "but jobs that run still do"
if [ "$(id -u)" = 0 ]; then
	like "$(su nobody -s /bin/bash -c "SLURM_CONF=$SLURM_CONF $(command -v sdiag) -r" 2>&1)" \
		"slurm_reset_statistics: Access/permission denied" "for administrators alone"
else
	skip 1 "needs root"
fi
