#!/usr/bin/env bash
# jobs: submission, output, cancel, hold, requeue, arrays, dependencies, time limits and signals on one node.
. "$(dirname "$0")/lib.sh"
plan 45
conf 1 KillWait=2
cluster jobs --conf "$CONF"
cd "$TMP" || exit 1

# The slow ones first; they are looked at last.
sub -t 1 -o limit.out --wrap 'trap "" TERM; echo begun; sleep 300'
limited=$JOB
sub -t 1 --signal=B:USR1@50 -o warn.out \
	--wrap 'trap "echo warned; exit 3" USR1; echo begun; while :; do sleep 0.1; done'
warned=$JOB

# ---- submit, output ----
cat >hello.sh <<'S'
#!/bin/sh
#SBATCH -J hello
#SBATCH -o out/%x-%j.txt
echo "$SLURM_JOB_NAME $1 $2 in $PWD on $SLURM_JOB_NODELIST"
echo problem >&2
exit 5
S
mkdir out
said=$(sbatch hello.sh 'a b' c)
like "$said" '^Submitted batch job [0-9]+$' "sbatch says the id"
JOB=${said##* }
becomes "$JOB" FAILED "exit 5 fails the job"
is "$(cat "out/hello-$JOB.txt")" "hello a b c in $TMP on n1
problem" "name, arguments, folder, node; both streams in one file"
is "$(field "$JOB" ExitCode)" 5:0 "its exit code"
sub -o plain.out -e plain.err --wrap 'echo out; echo err >&2; umask; ulimit -c'
becomes "$JOB" COMPLETED "exit 0 completes the job"
is "$(head -n 2 plain.out | paste -sd, -)" "out,$(umask)" "the caller's umask"
is "$(cat plain.err)" err "standard error in its own file"
sub -o env.out --export=NONE,ONLY=this --wrap 'echo "${ONLY:-} ${HIDDEN:-none}"'
becomes "$JOB" COMPLETED "a job with its own environment"
is "$(cat env.out)" "this none" "--export decides what it sees"
refused "a script without #! is refused" bash -c 'echo echo hi | sbatch'
refused "more CPUs than a node has: refused" sbatch -c 9 --wrap true
refused "an unknown partition: refused" sbatch -p nosuch --wrap true
is "$(sbatch --parsable --wrap true)" $((JOB + 1)) "refusals use up no id"

# ---- cancel ----
sub -o cancel.out --wrap 'echo begun; sleep 300'
await_file cancel.out
works "scancel of a running job" scancel "$JOB"
becomes "$JOB" CANCELLED "it is cancelled"
sub --hold --wrap true
is "$(squeue -h -j "$JOB" -o '%T %r')" "PENDING JobHeldUser" "a held job waits"
works "scancel of a waiting job" scancel "$JOB"
becomes "$JOB" CANCELLED "it is cancelled before it ran"
sub --hold -o held.out --wrap 'echo ran'
works "release" scontrol release "$JOB"
becomes "$JOB" COMPLETED "a released job runs"
sub -b now+1hour --wrap true
works "hold" scontrol hold "$JOB"
works "release again" scontrol release "$JOB"
await BeginTime 10 squeue -h -j "$JOB" -o %r
is "$(squeue -h -j "$JOB" -o %r)" BeginTime "a later begin is the reason"
scancel "$JOB"

# ---- requeue ----
sub --requeue -o requeue.out --open-mode=append \
	--wrap 'echo "run $SLURM_RESTART_COUNT"; [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || sleep 300'
await_file requeue.out
works "requeue of a running job" scontrol requeue "$JOB"
becomes "$JOB" COMPLETED "it runs again to its end" 60
is "$(grep -c run requeue.out)" 2 "it ran twice in all"
is "$(field "$JOB" Restarts)" 1 "one restart is counted"

# ---- arrays ----
sub --array=1-7:2%2 -o 'array-%A_%a.out' --wrap 'echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT"; sleep 0.2'
array=$JOB
becomes "$array" COMPLETED "an array completes"
is "$(cat "array-${array}"_*.out | sort | paste -sd, -)" "1 of 4,3 of 4,5 of 4,7 of 4" "each task knows itself"
sub --array=1-3 -o /dev/null --wrap 'sleep 300'
array=$JOB
await RUNNING 10 state "$array"
works "scancel of one task" scancel "${array}_2"
await 1,3 10 eval "squeue -h -r -j $array -t R -o %K | sort | paste -sd, -"
is "$(squeue -h -r -j "$array" -t R -o %K | sort | paste -sd, -)" 1,3 "the other tasks go on"
scancel "$array"
becomes "$array" CANCELLED "scancel of the whole array"

# ---- dependencies ----
sub -o /dev/null --wrap 'until [ -e first ]; do sleep 0.1; done; exit 1'
first=$JOB
sub -d "afterok:$first" -o /dev/null --wrap true
after_ok=$JOB
sub -d "afternotok:$first" -o /dev/null --wrap true
after_not=$JOB
sub -d "afterany:$first" -o /dev/null --wrap true
after_any=$JOB
comes Dependency "a dependant waits" squeue -h -j "$after_any" -o %r
touch first
becomes "$after_any" COMPLETED "afterany ran"
becomes "$after_not" COMPLETED "afternotok ran"
await DependencyNeverSatisfied 10 squeue -h -j "$after_ok" -o %r
is "$(squeue -h -j "$after_ok" -o '%T %r')" "PENDING DependencyNeverSatisfied" "afterok never will"
scancel "$after_ok"

# ---- wait, signals ----
sbatch -W -o /dev/null --wrap 'exit 7' >/dev/null
is $? 7 "sbatch --wait gives the job's exit code"
sub -o sig.out --wrap 'trap "echo got; exit 0" USR2; echo begun; while :; do sleep 0.1; done'
await_file sig.out
works "scancel --signal" scancel -b -s USR2 "$JOB"
becomes "$JOB" COMPLETED "the script handled it"
is "$(cat sig.out)" "begun
got" "and it was that signal"

# ---- the slow ones ----
becomes "$warned" FAILED "--signal warns before the limit" 60
is "$(cat warn.out)" "begun
warned" "with the signal asked for"
becomes "$limited" TIMEOUT "the time limit ends a job that ignores SIGTERM" 90
like "$(cat limit.out)" "DUE TO TIME LIMIT" "its output says so"
comes "" "nothing is left in the queue" squeue -h
