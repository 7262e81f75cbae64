#!/usr/bin/env bash
# resize: a running job gives nodes back or gets the nodes of another job; the other keys of scontrol update; deadlines,
# --time-min, scontrol top.
. "$(dirname "$0")/lib.sh"
plan 36
cd "$TMP" || exit 1
conf 4 KillWait=2 SchedulerParameters=permit_job_expansion,enable_user_top
cluster resize --conf "$CONF"
nodes() { squeue -h -j "$1" -o "%D %N"; }
say() { scontrol update "jobid=$1" "${@:2}" 2>&1; }

# ---- smaller ----
cat >shrink.sh <<'X'
#!/bin/bash
srun -N3 -n3 bash -c 'touch up.$SLURM_PROCID; exec sleep 100' 2>step.err &
until [ -e up.0 ] && [ -e up.1 ] && [ -e up.2 ]; do sleep 0.1; done
sleep 0.5
scontrol update jobid=$SLURM_JOB_ID numnodes=2 >said
. ./slurm_job_${SLURM_JOB_ID}_resize.sh
echo $SLURM_JOB_NODELIST $SLURM_NNODES ${SLURM_NTASKS-none} >env
srun -l --overlap bash -c 'echo $SLURMD_NODENAME' | sort >tasks
touch shrunk
sleep 300
X
sub -N3 --exclusive shrink.sh
becomes "$JOB" RUNNING "a job of three nodes"
await yes 20 eval '[ -e shrunk ] && echo yes'
is "$(nodes "$JOB")" "2 n[1-2]" "has two of them now"
is "$(sed -n 2p said)" "  For bash or sh shells:  . ./slurm_job_${JOB}_resize.sh" \
	"scontrol leaves scripts for its shell"
is "$(cat env)" "n[1-2] 2 none" "which tell it"
is "$(paste -sd, tasks)" "0: n1,1: n2" "srun in it uses two"
await_file step.err
is "$(cat step.err)" "srun: error: n3: task 2: Killed" "what ran on the third is killed, and nothing else"
is "$(scontrol show job "$JOB" | grep -cE 'ResizeTime=20|NumNodes=2 NumCPUs=8|TRES=.*node=2')" 4 \
	"scontrol shows the new size"
shrunk=$JOB
sub -w n3 --exclusive -o /dev/null --wrap 'sleep 300'
becomes "$JOB" RUNNING "the node runs another job"
scancel "$JOB"
is "$(say "$shrunk" numnodes=3)" "Requested operation not supported on this system for job $shrunk" \
	"it does not grow by itself"
is "$(say "$shrunk" numnodes=0)" "Node count specification invalid for job $shrunk" "nor go to nothing"
is "$(say "$shrunk" nodelist=n2)" "Invalid node name specified for job $shrunk" "the script's node stays"
is "$(say "$shrunk" nodelist=n1,n4)" "Invalid node name specified for job $shrunk" "others cannot be named"
is "$(say "$shrunk" nodelist=n1)$(nodes "$shrunk")" "1 n1" "by name"
is "$(say "$shrunk" numtasks=1)" "Job is no longer pending execution for job $shrunk" "its tasks are what they were"
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null 2>&1
comes "1 n1" "a controller that comes back knows the size" nodes "$shrunk"
scancel "$shrunk"
await 0 20 eval 'squeue -h | wc -l'

# ---- larger ----
sub -N1 --exclusive -o /dev/null --wrap 'sleep 300'
await RUNNING 20 state "$JOB"
said=$(salloc -Q -N1 --exclusive -d expand:"$JOB" \
	bash -c "scontrol update jobid=\$SLURM_JOB_ID numnodes=0 && scontrol update jobid=$JOB numnodes=ALL")
is "${said%%$'\n'*}" "To reset Slurm environment variables, execute" "an allocation is handed over"
is "$(nodes "$JOB")" "2 n[1-2]" "to the job that grows"
is "$(srun --jobid "$JOB" -N2 -n2 -l --overlap bash -c 'echo $SLURMD_NODENAME' | sort | paste -sd, -)" "0: n1,1: n2" \
	"which can use it"
is "$(sbatch -d expand:999 --wrap true 2>&1)" "sbatch: error: Batch job submission failed: Job dependency problem" \
	"a job that is not there does not grow"
scancel "$JOB"

# ---- other keys ----
sub -H -N1 -o /dev/null --wrap true
for pair in comment=c contiguous=yes cpuspertask=2 delayboot=5 excnodelist=n1 extra=e mailtype=ALL mincpusnode=2 \
	numcpus=2 numnodes=1-3 oversubscribe=yes oversubscribe=no reqcores=1 reqsockets=1 reqthreads=1 starttime=now \
	switches=1@5 taskspernode=1 timelimit=5 timelimit+=3 timelimit-=2 timemin=2 \
	workdir=/tmp nice; do
	said=$(say "$JOB" "$pair") || fail "scontrol update $pair" "$said"
done
is "$(field "$JOB" TimeLimit) $(field "$JOB" TimeMin) $(field "$JOB" DelayBoot) $(field "$JOB" Nice)" \
	"00:06:00 00:02:00 00:05:00 100" "keys of a waiting job"
while IFS='|' read -r pair want; do is "$(say "$JOB" "$pair")" "$want for job $JOB" "$pair is refused"; done <<X
timemin=99|Invalid time-min specification (exceeds job's time or other limits)
endtime=now+2hours|Job is not running
burstbuffer=x|Requested operation not supported on this system
reboot=yes|Requested operation not supported on this system
corespec=1|Access/permission denied
partition=none|Invalid partition name specified
X
is "$(say "$JOB" comment+=x)" "scontrol: error: Option comment+=x does not accept [+|-]= syntax" \
	"only a time limit is added to"
said=$(say "$JOB" arraytaskthrottle=2)
is "${said%%$'\n'*}" "scontrol: error: Update of ArrayTaskThrottle is only allowed on ArrayJobId" \
	"a throttle is an array's"
scancel "$JOB"

# ---- times ----
sub -N3 --exclusive -t 10 -o /dev/null --wrap 'sleep 300'
sub -N4 --exclusive -t 10 -o /dev/null --wrap true
sub -N1 --exclusive -t 20 -o /dev/null --wrap 'sleep 300'
plain=$JOB
sub -N1 --exclusive -t 20 --time-min=3 -o /dev/null --wrap 'sleep 300'
becomes "$JOB" RUNNING "--time-min begins beside the place that is kept"
is "$(state "$plain")" PENDING "one without does not"
like "$(field "$JOB" TimeLimit)" '^00:(09|10):00$' "its limit is what there was"
sub --deadline=now+65 -t 1 -w n1 --exclusive -o /dev/null --wrap true
becomes "$JOB" DEADLINE "a job that can no longer end in time is taken out" 60
scancel -u "$(id -un)"

# ---- top ----
sub -H -o /dev/null -J a --wrap true
sub -H -o /dev/null -J b --wrap true
b=$JOB
sub -H -o /dev/null -J c --wrap true
c=$JOB
is "$(scontrol top "$c" 2>&1)" "Job is in held state, pending scheduler release for job $c" \
	"a held job stays where it is"
scontrol update jobname=b comment=by-name
is "$(squeue -h -j "$b" -o %k)" by-name "jobs by name"
scancel "$b" "$c"
sub -N4 --exclusive -o /dev/null --wrap 'sleep 300'
busy=$JOB
await RUNNING 20 state "$busy"
sub -N4 --exclusive -o /dev/null --wrap 'sleep 300'
before=$JOB
sub -N4 --exclusive -o /dev/null --wrap 'sleep 300'
scontrol top "$JOB"
scancel "$busy"
becomes "$JOB" RUNNING "a job that was put on top begins first"
is "$(state "$before")" PENDING "the other waits"
