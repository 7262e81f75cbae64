#!/usr/bin/env bash
# het: heterogeneous jobs: several components, begun together; steps over them; what may be done to one of them.
. "$(dirname "$0")/lib.sh"
plan 39
cd "$TMP" || exit 1
conf 4 KillWait=2
cluster het --conf "$CONF"
ids() { squeue -h -j "$1" -o "$2" | sort | paste -sd' ' -; } # of all components of a job
every() { until_is "$2" "${3:-20}" ids "$1" "$4"; }

# ---- submitted ----
cat >two.sh <<'X'
#!/bin/bash
#SBATCH -n1 -J two
#SBATCH hetjob
#SBATCH -N2 -n2
env | grep HET_GROUP >env
srun -l --het-group=0,1 bash -c 'echo $SLURM_PROCID $SLURM_NTASKS $SLURM_NODEID $SLURM_NNODES $SLURMD_NODENAME \
	$SLURM_JOB_ID.$SLURM_STEP_ID' | sort >both
srun -l bash -c 'echo a$SLURM_PROCID' : bash -c 'echo b$SLURM_PROCID' | sort >apart
srun -l hostname | wc -l >first
srun --het-group=0,1 bash -c 'exit $SLURM_PROCID' 2>exit.err
echo $? >exit
srun --het-group=2 true 2>bad
until [ -e go ]; do sleep 0.1; done
exit 3
X
sub -H two.sh
is "$(ids "$JOB" '%i %j %D %C %r')" "$JOB+0 two 1 1 JobHeldUser $JOB+1 two 2 2 JobHeldUser" "two components, one name"
is "$(squeue -h -j "$JOB" -S i -O HetJobId:9,HetJobIdSet:9,HetJobOffset:2 | tr -s ' ' | sed 's/ $//' | paste -sd, -)" \
	"$JOB $JOB-$((JOB + 1)) 0,$JOB $JOB-$((JOB + 1)) 1" "squeue -O knows the set"
is "$(scontrol show job "$JOB" | grep -c "^JobId=.* HetJobId=$JOB HetJobOffset=")" 2 "scontrol shows both"
is "$(scontrol show job "$JOB+1" | grep -c ^JobId)" 1 "and one by 12+1"
is "$(scontrol write batch_script $((JOB + 1)) - | head -n 1)" '#!/bin/bash' "one script for both"

# ---- while it waits ----
alone="Operation not permitted on individual component of heterogeneous job"
is "$(scancel "$JOB+1" 2>&1)" "scancel: error: Kill job error on job id $JOB+1: $alone" "a part is not cancelled"
scontrol update jobid="$JOB" timelimit=7
scontrol update jobid="$JOB+1" timelimit=9
is "$(ids "$JOB" %l)" "7:00 9:00" "the whole is changed, and then a part of it"
scontrol release "$JOB+1"
is "$(state "$JOB")" PENDING "one that is released alone does not begin"
scontrol release "$JOB"
every "$JOB" "R R" 20 %t || fail "all components of $JOB get there"
is "$(ids "$JOB" '%i %N')" "$JOB+0 n1 $JOB+1 n[2-3]" "they begin together, each on nodes of its own"

# ---- inside ----
await_file bad
is "$(grep -E '^SLURM_(JOB_ID|JOB_NODELIST|NTASKS)_HET_GROUP' env | sort | paste -sd' ' -)" \
	"SLURM_JOB_ID_HET_GROUP_0=$JOB SLURM_JOB_ID_HET_GROUP_1=$((JOB + 1)) SLURM_JOB_NODELIST_HET_GROUP_0=n1 \
SLURM_JOB_NODELIST_HET_GROUP_1=n[2-3] SLURM_NTASKS_HET_GROUP_0=1 SLURM_NTASKS_HET_GROUP_1=2" \
	"the script is told of each"
is "$(paste -sd, both)" "0: 0 3 0 3 n1 $JOB.0,1: 1 3 1 3 n2 $JOB.0,2: 2 3 2 3 n3 $JOB.0" \
	"one step over both: ranks and nodes are counted over all"
is "$(paste -sd, apart)" "0: a0,1: b1,2: b2" "srun A : B, each in its component"
is "$(cat first)" 1 "srun alone uses the first"
is "$(cat exit) $(grep -c 'Exited with exit code' exit.err)" "2 2" "the highest exit code of all"
is "$(cat bad)" "srun: error: Requested het-group offset exceeds highest hetjob index (2 > 1)" \
	"a component that is not there"
is "$(scontrol suspend "$JOB+1" 2>&1)" "$alone for job $JOB+1" "one is not suspended alone"
touch go
becomes "$JOB" FAILED "the script's end ends all components"
is "$(scontrol show job "$JOB" | grep -c 'ExitCode=3:0')" 2 "with its exit code"

# ---- running: ended, put back ----
printf '#!/bin/bash\nsleep 300\n' >sleep.sh
sub --requeue -n1 : -n1 sleep.sh
every "$JOB" "R R" 20 %t || fail "all components of $JOB get there"
scancel "$JOB+1"
works "a component other than the first is cancelled alone" every "$JOB" "$JOB+0 R" 20 '%i %t'
scontrol requeue "$JOB"
works "put back, all of it begins again" every "$JOB" "R R" 30 %t
scancel "$JOB"
becomes "$JOB" CANCELLED "the first takes the others along"
sub --no-requeue -w n1 : -w n2 sleep.sh
every "$JOB" "R R" 20 %t || fail "all components of $JOB get there"
scontrol update nodename=n2 state=down reason=test
becomes "$JOB" NODE_FAIL "a lost node ends the whole"
scontrol update nodename=n2 state=resume

# ---- all or none ----
sub -N3 --exclusive -t 5 sleep.sh
busy=$JOB
await RUNNING 10 state "$busy"
sub -N1 --exclusive -t 5 : -N1 --exclusive -t 5 sleep.sh
set=$JOB
is "$(ids "$set" '%t %N')" "PD  PD " "one node is free and two are needed: no component begins"
sub -N1 -t 1 -o /dev/null --wrap true
becomes "$JOB" COMPLETED "a job that ends before they can begin goes first"
scancel "$busy"
works "then both do" every "$set" "R R" 20 %t
scancel "$set"
sub -n1 : -n1 : -n1 : -n1 : -n1 sleep.sh
sleep 0.3
is "$(squeue -h -j "$JOB" -o %t | sort -u)" PD "five components need five nodes"
scancel "$JOB"

# ---- a controller that dies ----
sub -H -n1 : -n1 : -n1 sleep.sh
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null 2>&1
works "all of it is there when it comes back" every "$JOB" "$JOB+0 PD $JOB+1 PD $JOB+2 PD" 20 '%i %t'
scontrol release "$JOB"
works "and begins" every "$JOB" "R R R" 30 %t
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null 2>&1
works "all of it runs on" every "$JOB" "R R R" 20 %t
scancel "$JOB"
becomes "$JOB" CANCELLED "and ends"

# ---- refused ----
is "$(sbatch -a 1-2 -n1 : -n1 sleep.sh 2>&1)" \
	"sbatch: error: Batch job submission failed: Invalid job array specification" "no arrays"
is "$(sbatch -w n1 : -w n1 sleep.sh 2>&1)" "sbatch: error: Batch job submission failed: Invalid node name specified" \
	"no node of two components"
is "$(sbatch -n1 : -p none sleep.sh 2>&1 | tail -n 1)" \
	"sbatch: error: Batch job submission failed: Invalid partition name specified" "one wrong part is enough"
comes 0 "and nothing of it is there" eval 'squeue -h | wc -l'
is "$(srun --het-group=0 true 2>&1)" "srun: error: --het-group expected to be used within an HetJob allocation" \
	"--het-group elsewhere"

# ---- salloc, srun ----
is "$(salloc -Q -n1 : -n2 bash -c 'echo $SLURM_HET_SIZE $SLURM_NTASKS_HET_GROUP_1
	srun -l --het-group=0-1 bash -c "echo \$SLURMD_NODENAME" | sort' | paste -sd, -)" \
	"2 2,0: n1,1: n2,2: n2" "salloc with two components"
is "$(srun -Q -l -n1 bash -c 'echo $SLURM_NTASKS' : -n2 echo b 2>/dev/null | sort | paste -sd, -)" "0: 3,1: b,2: b" \
	"srun of its own"
srun -Q -n1 true : -n1 bash -c 'exit 5' 2>/dev/null
is $? 5 "and its exit code"
comes 0 "nothing is left" eval 'squeue -h | wc -l'
