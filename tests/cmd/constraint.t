#!/usr/bin/env bash
# constraint: features, preferences, licences and cores for the system, as a user sees them; and after a restart.
. "$(dirname "$0")/lib.sh"
plan 28
cd "$TMP" || exit 1
conf 4 KillWait=2 Licenses=matlab:4,ansys:2 AllowSpecResourcesUsage=YES
sed -i -e '/^PartitionName/d' -e '/^NodeName/d' "$CONF"
i=0
for features in rack1,intel rack1,amd rack2,intel rack2,amd,gpu; do
	i=$((i + 1))
	echo "NodeName=n$i NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((PORT + i - 1))" \
		"CPUs=4 CoresPerSocket=4 RealMemory=4000 Features=$features"
done >>"$CONF"
cat >>"$CONF" <<'C'
NodeSet=second Feature=rack2
PartitionName=main Nodes=ALL Default=YES
PartitionName=two Nodes=second
C
cluster constraint --conf "$CONF"
reason() { squeue -h -j "$1" -o %r; }
where() { squeue -h -j "$JOB" -o '%T %N' | sed 's/ *$//'; }
# goes WANT NAME OPTION...: the job runs there, or waits; it is cancelled again.
goes() {
	local want=$1 name=$2
	shift 2
	sub -o /dev/null "$@" --wrap 'sleep 600'
	await "$want" 10 where
	is "$(where)" "$want" "$name"
	scancel "$JOB"
	await CANCELLED 10 state "$JOB"
}

goes 'RUNNING n[1,3]' 'nodes with a feature' -N2 -C intel
goes 'RUNNING n[1-2]' 'all nodes of one rack' -N2 -C '[rack1|rack2]'
goes 'RUNNING n[1,3]' 'one node of each rack' -N2 -C '[rack1*1&rack2*1]'
goes 'RUNNING n[3-4]' 'a partition made of a set' -p two -N2
refused 'what no node has is refused' sbatch -C mi300 --wrap true
like "$(sbatch -C '(intel' --wrap true 2>&1)" 'Invalid feature specification' 'what cannot be read, too'
goes 'RUNNING n4' 'what is preferred' --prefer gpu
sub -o /dev/null -w n4 --exclusive --wrap 'sleep 600'
await RUNNING 10 state "$JOB"
keeper=$JOB
goes 'RUNNING n1' 'or else what there is' --prefer gpu

works 'features can be switched off' scontrol update nodename=n1 ActiveFeatures=rack1
is "$(sinfo -hN -n n1 -p main -o '%b %f')" 'rack1 rack1,intel' 'sinfo tells what is active and what is there'
goes 'RUNNING n3' 'what is not active does not count' -C intel
refused 'what is not there cannot be active' scontrol update nodename=n1 ActiveFeatures=other
works 'and on again' scontrol update nodename=n1 ActiveFeatures=rack1,intel
scancel "$keeper"

# ---- licences ----
used() { scontrol -o show licenses "$1" | sed 's/.*Used=\([0-9]*\).*/\1/'; }
sub -o /dev/null -L matlab:3 -t 10 --wrap 'sleep 600'
first=$JOB
await RUNNING 10 state "$first"
is "$(used matlab)" 3 'licences are in use'
sub -o /dev/null -L matlab:2 -t 10 --wrap 'sleep 600'
second=$JOB
await Licenses 10 reason "$second"
is "$(reason "$second")" Licenses 'a job that finds too few waits for them'
like "$(spur why "$second")" "needs 2 of licence matlab; 1 of 4 matlab is free, job $first returns 3 at " \
	'and is told which job has them until when'
goes 'RUNNING n1' 'of several one is enough' -L 'matlab:2|ansys:2'
refused 'more than there are' sbatch -L matlab:5 --wrap true
refused 'of another server' sbatch -L matlab@db:1 --wrap true

# ---- what was given outlives the controller ----
kill -9 "$(pid_of ctl1)"
works 'the controller comes back' "$SPUR" up --dir "$DIR"
is "$(used matlab)" 3 'and knows which job has which licences'
await Licenses 10 reason "$second"
is "$(state "$first"),$(reason "$second")" RUNNING,Licenses 'one still has them, the other still waits'
scancel "$first"
becomes "$second" RUNNING 'licences come back with the end of a job'
is "$(field "$second" LicensesAlloc)" matlab:2 'and go to the next'
scontrol update jobid="$second" Licenses=ansys
is "$(used matlab),$(used ansys)" 0,1 'an administrator changes what a running job has'
scancel "$second"

# ---- where the script runs, cores for the system ----
sub -N2 -C 'rack2&(gpu|intel)' --batch gpu -o batch.out \
	--wrap 'echo $SLURMD_NODENAME of $SLURM_JOB_NODELIST; srun -l -N2 sh -c "echo \$SLURMD_NODENAME" | sort'
becomes "$JOB" COMPLETED 'a script that wants a node with a feature'
is "$(cat batch.out)" "n4 of n[3-4]
0: n3
1: n4" 'has it, and its steps have all nodes'
sub -w n1 -S 1 -n 1 -o /dev/null --wrap 'sleep 600'
await RUNNING 10 state "$JOB"
is "$(squeue -h -j "$JOB" -o '%X %C'),$(scontrol -d show job "$JOB" | grep -o 'CPU_IDs=[^ ]*')" '1 4,CPU_IDs=0-2' \
	'a core is left to the system'
scancel "$JOB"
