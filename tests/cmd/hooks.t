#!/usr/bin/env bash
# hooks: the scripts around jobs and tasks: Prolog, Epilog, TaskProlog, TaskEpilog, PrologSlurmctld, EpilogSlurmctld.
. "$(dirname "$0")/lib.sh"
plan 23
cd "$TMP" || exit 1
mkdir hooks marks
chmod 777 marks
# script NAME LINES...: an executable in hooks/
script() {
	local name=$1
	shift
	printf '#!/bin/bash\nPATH=/usr/bin:/bin\n%s\n' "$@" >"hooks/$name"
	chmod 755 "hooks/$name"
}
script prolog "env | sort >$TMP/marks/prolog.\$SLURMD_NODENAME.\$SLURM_JOB_ID" \
	"echo \$SLURM_JOB_ID >>$TMP/marks/prologs" \
	"while [ -e $TMP/marks/hold-prolog ]; do sleep 0.1; done" \
	"[ ! -e $TMP/marks/slow ] || sleep 2" "[ ! -e $TMP/marks/fail-prolog ]"
script epilog "env | sort >$TMP/marks/epilog.\$SLURMD_NODENAME.\$SLURM_JOB_ID" \
	"[ ! -e $TMP/marks/slow ] || sleep 2" "[ ! -e $TMP/marks/fail-epilog ]"
script task-prolog 'echo export FROM_PROLOG=a value' 'echo print hello from the prolog' 'echo unset TO_GO' \
	"[ ! -e $TMP/marks/fail-task ]"
script task-epilog '[ "$SLURM_STEP_ID" != 0 ] || sleep 1' "echo \$SLURM_PROCID >>$TMP/marks/task-epilog.\$SLURM_JOB_ID"
script ctl-prolog "echo \$SLURM_JOB_ID >>$TMP/marks/ctl-prolog" "while [ -e $TMP/marks/hold ]; do sleep 0.1; done" \
	"[ ! -e $TMP/marks/fail-ctl ]"
script ctl-epilog "echo \$SLURM_JOB_ID \$SLURM_JOB_EXIT_CODE2 >>$TMP/marks/ctl-epilog"
conf 2 KillWait=2 "Prolog=$TMP/hooks/prolog" "Epilog=$TMP/hooks/epilog" "TaskProlog=$TMP/hooks/task-prolog" \
	"TaskEpilog=$TMP/hooks/task-epilog" "PrologSlurmctld=$TMP/hooks/ctl-prolog" "EpilogSlurmctld=$TMP/hooks/ctl-epilog"
cluster hooks --conf "$CONF"

# ---- in their places ----
export TO_GO=1
sub -w n1 -n2 -o one.out --wrap 'echo "got $FROM_PROLOG, ${TO_GO:-gone}"; srun -n2 true; exit 3'
becomes "$JOB" FAILED "a job with scripts around it ends as it should"
is "$(cat one.out)" "hello from the prolog
got a value, gone
hello from the prolog
hello from the prolog" "TaskProlog prints, exports and unsets"
await_file marks/epilog.n1."$JOB"
like "$(cat marks/prolog.n1."$JOB")" "SLURM_JOB_ID=$JOB" "the prolog knows its job"
like "$(cat marks/prolog.n1."$JOB")" "SLURM_SCRIPT_CONTEXT=prolog_slurmd" "and what it is"
like "$(cat marks/epilog.n1."$JOB")" "SLURM_JOB_EXIT_CODE2=3:0" "the epilog knows how its job ended"
is "$(grep -c "^$JOB$" marks/prologs)" 1 "one prolog for a job and its step on one node"
is "$(sort marks/task-epilog."$JOB" | tr '\n' ' ')" "0 0 1 " "each task has its epilog"
await "$JOB 3:0" 5 tail -n1 marks/ctl-epilog
is "$(grep -c "^$JOB$" marks/ctl-prolog)" 1 "the controller's prolog ran once"
absent marks/epilog.n2."$JOB" "nothing ran on the other node"

# ---- configuring ----
touch marks/hold
sub -w n1 -o /dev/null --wrap true
await CONFIGURING 5 squeue -h -j "$JOB" -o %T
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null
is "$(squeue -h -j "$JOB" -o %T)" CONFIGURING \
	"a job is being configured while PrologSlurmctld runs, and a new leader knows it"
rm marks/hold
becomes "$JOB" COMPLETED "and then it runs"

# ---- a prolog runs as root, its job as a user ----
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
touch marks/hold-prolog
JOB=$(cd / && "${as[@]}" sbatch --parsable -w n1 -o /dev/null --wrap true)
await_file marks/prolog.n1."$JOB"
like "$("${as[@]}" scontrol listpids "$JOB" n1 2>&1)" "There are no steps for job $JOB" \
	"during the prolog a user may ask for the steps of a job"
rm marks/hold-prolog
becomes "$JOB" COMPLETED "which runs afterwards"

# ---- the agent dies in the middle ----
touch marks/slow
sub -w n1 -o /dev/null --wrap true
await_file marks/prolog.n1."$JOB"
kill -9 "$(pid_of node-n1)"
"$SPUR" up --dir "$DIR" >/dev/null
becomes "$JOB" COMPLETED "a prolog outlives its agent"
is "$(grep -c "^$JOB$" marks/prologs)" 1 "and is not run again"
await_file marks/epilog.n1."$JOB"
kill -9 "$(pid_of node-n1)"
"$SPUR" up --dir "$DIR" >/dev/null
comes idle "so does an epilog" sinfo -h -n n1 -o %T
rm marks/slow

# ---- failures ----
touch marks/fail-task
sub -w n1 -o task.out --wrap 'echo never'
becomes "$JOB" FAILED "a task whose prolog fails does not run"
lacks never "its program was not started" cat task.out
rm marks/fail-task
touch marks/fail-epilog
sub -w n1 -o /dev/null --wrap true
await drained 10 sinfo -h -n n1 -o %T
comes "Epilog error" "a node whose epilog fails is drained" sinfo -h -n n1 -o %E
rm marks/fail-epilog
scontrol update NodeName=n1 State=RESUME
touch marks/fail-prolog
sub -w n1 --requeue -o /dev/null --wrap true
await drained 10 sinfo -h -n n1 -o %T
comes "Prolog error" "so is one whose prolog fails" sinfo -h -n n1 -o %E
comes "PENDING launch failed requeued held" "its job is put back and held" squeue -h -j "$JOB" -o '%T %r'
rm marks/fail-prolog
scontrol update NodeName=n1 State=RESUME
scancel "$JOB"
touch marks/fail-ctl
sub -w n2 -o /dev/null --wrap true
comes 2 "a job whose PrologSlurmctld fails is put back and tried again" eval \
	"grep -c '^$JOB\$' marks/ctl-prolog | awk '{print (\$1 > 1 ? 2 : \$1)}'"
rm marks/fail-ctl
becomes "$JOB" COMPLETED "until it works"
