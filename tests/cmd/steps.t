#!/usr/bin/env bash
# steps: parts of an allocation: side by side, waiting for each other, refused, cancelled; where their tasks go.
. "$(dirname "$0")/lib.sh"
plan 39
conf 2 KillWait=2 SelectType=select/cons_tres SelectTypeParameters=CR_Core_Memory
cluster steps --conf "$CONF"
cd "$TMP" || exit 1

# An allocation for the whole test: steps name it by --jobid.
salloc -Q --no-shell -N 2 -n 8 --mem=1000 -J host
JOB=$(squeue -h -n host -o %A)
is "$(state "$JOB")" RUNNING "an allocation of two nodes"
step() { srun --jobid "$JOB" "$@" </dev/null; }
show() { scontrol -o show step "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }
# hold FILE ARG...: a step that runs until FILE is there; its number is in STEP, its srun in HOLDER.
hold() {
	local file=$1 before
	shift
	before=$(squeue -h -s -j "$JOB" -o %i | sort)
	step "$@" sh -c "until [ -e $TMP/$file ]; do sleep 0.05; done" 2>"$file.err" &
	HOLDER=$!
	await 1 10 eval "comm -13 <(echo '$before') <(squeue -h -s -j $JOB -o %i | sort) | grep -c ."
	STEP=$(comm -13 <(echo "$before") <(squeue -h -s -j "$JOB" -o %i | sort))
}

# ---- side by side ----
hold a -N 1 -n 1 --exact --mem=100
first=$STEP
is "$(show "$first" CPUs) $(show "$first" TRES)" "1 cpu=1,mem=100M,node=1" "--exact is a CPU for a task"
hold b -N 1 -n 3 --exact --mem=100 -w n1
is "$(show "$STEP" CPUs)" 3 "a second step beside it has the other CPUs of the node"
said=$(step -I -N 1 -n 1 -w n1 --exact --mem=100 true 2>&1)
is "$said" "srun: error: Unable to create step for job $JOB: Requested nodes are busy" "-I does not wait for the third"
said=$(step -N 1 -n 1 -w n1 --overlap --mem=100 sh -c 'echo $SLURM_CPUS_ON_NODE')
is "$said" 4 "--overlap shares with both"
is "$(step -N 1 -n 1 --mem=100 sh -c 'echo $SLURMD_NODENAME $SLURM_CPUS_ON_NODE')" "n2 4" \
	"without --exact a step has a whole node"
said=$(step -I -N 2 -n 2 --mem=100 true 2>&1)
like "$said" busy "which must be free of others"

# ---- waiting ----
step -N 1 -n 1 -w n1 --mem=100 echo begun >wait.out 2>wait.err &
waiter=$!
comes 1 "a step that waits is shown as TBD" eval "scontrol show step $JOB | grep -c '^StepId=$JOB.TBD'"
lacks TBD "squeue -s shows the steps that run" squeue -h -s -j "$JOB" -o %i
touch b
sleep 0.5
silent "it waits for all of its node" cat wait.out
touch a
wait $waiter
is "$?:$(cat wait.out)" "0:begun" "and begins when the last step there has ended"
like "$(cat wait.err)" "^srun: Step created for StepId=$JOB\.[0-9]+$" "srun says so"
hold c -N 2 -n 8
held=$STEP holder=$HOLDER
srun --jobid "$JOB" -n 1 true </dev/null 2>gone.err &
waiter=$!
await 1 10 eval "scontrol show step $JOB | grep -c TBD"
kill -TERM $waiter
wait $waiter
is "$?" 1 "a signal ends the waiting"
is "$(cat gone.err)" "srun: Cancelled pending job step with signal 15
srun: error: Unable to create step for job $JOB: Job/step already completing or completed" "and is told"
comes 0 "no step waits any more" eval "scontrol show step $JOB | grep -c TBD"
step -n 1 -N 1 echo after >after.out 2>/dev/null &
waiter=$!
await 1 10 eval "scontrol show step $JOB | grep -c TBD"
works "a step is cancelled by its number" scancel "$held"
wait $waiter
is "$(cat after.out)" after "the step that waited for it begins"
wait "$holder"
like "$(cat c.err)" "STEP $held ON n1 CANCELLED AT .* DUE to SIGNAL Killed" "its output tells why it ended"
is "$(scancel "$JOB.999" 2>&1)" "scancel: error: Kill job error on job step id $JOB: Invalid job id specified" \
	"a step that is not there cannot be cancelled"

# ---- never ----
never() { # WORDS ARG...
	local words=$1
	shift
	is "$(step "$@" true 2>&1)" "srun: error: $words" "srun $*"
}
never "Unable to create step for job $JOB: More processors requested than permitted" -N 2 -n 9
never "Unable to create step for job $JOB: More processors requested than permitted" -N 1 -n 1 -c 5
never "Unable to create step for job $JOB: Memory required by task is not available" -N 1 -n 1 --mem=2000
never "Unable to create step for job $JOB: Invalid generic resource (gres) specification" -N 1 -n 1 --gres=gpu:1
never "Only allocated 2 nodes asked for 3" -N 3 -n 3
never "Hostlist is empty!  Can't run job." -n 1 -x n1,n2

# ---- where tasks go ----
where() { step "$@" sh -c 'echo $SLURM_PROCID:$SLURMD_NODENAME' | sort -n | paste -sd' ' -; }
is "$(where -N 2 -n 4)" "0:n1 1:n1 2:n2 3:n2" "a block"
is "$(where -N 2 -n 4 -m cyclic)" "0:n1 1:n2 2:n1 3:n2" "cyclic"
is "$(where -N 2 -n 6 -m plane=2)" "0:n1 1:n1 2:n2 3:n2 4:n1 5:n1" "planes"
is "$(where -N 2 -n 5 -m block,Pack)" "0:n1 1:n1 2:n1 3:n1 4:n2" "packed"
is "$(where -N 2 -n 10 -O | grep -o n1 | wc -l)" 5 "more tasks than CPUs, dealt evenly"
is "$(where -N 1 -n 1 -r 1)" "0:n2" "beginning at the second node"
# the end of a step is told to its srun first
await 0 60 eval "squeue -h -s -j $JOB -o %i | grep -c '[.][0-9]'"
is "$(where -n 2 -N 1-2 --exact)" "0:n1 1:n2" "of a range as many nodes as can be used"

# ---- limits ----
hold d -N 1 -n 1 -t 3
is "$(show "$STEP" TimeLimit)" 00:03:00 "a step has a time limit of its own"
works "it is changed" scontrol update "StepId=$STEP" TimeLimit=5
is "$(show "$STEP" TimeLimit)" 00:05:00 "to what was said"
touch d

# ---- many, and a controller that dies meanwhile ----
for i in $(seq 60); do step -Q -n 1 -N 1 --exact --mem=100 sh -c "echo $i" >>many.out 2>>many.err & done
kill -9 "$(pid_of ctl1)"
works "the controller is started again" "$SPUR" up --dir "$DIR"
wait
is "$(sort -n many.out | uniq -c | awk '$1 != 1' | wc -l):$(sort -un many.out | wc -l)" "0:60" \
	"sixty steps ran, each once" || head -n 5 many.err
hold e -N 2 -n 8
step -n 1 true 2>end.err &
waiter=$!
await 1 10 eval "scontrol show step $JOB | grep -c TBD"
scancel "$JOB"
wait $waiter
is "$?" 1 "a step that waits ends with its job"
like "$(cat end.err)" 'already completing or completed' "and says so"
