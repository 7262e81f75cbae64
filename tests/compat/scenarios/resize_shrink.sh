# Running jobs that give nodes back.
size() { squeue -h -j "$1" -o "%t %D %C %N"; }
scene by number
sub -N3 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol update jobid="$JOB" numnodes=2
size "$JOB"
show_keys 'NumNodes|NumCPUs|NumTasks|NodeList|ReqTRES|AllocTRES|BatchHost' scontrol show job "$JOB"
ls slurm_job* 2>&1
scene not to more nor to none
sub -N2 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol update jobid="$JOB" numnodes=3
show scontrol update jobid="$JOB" numnodes=0
size "$JOB"
scene by name
sub -N3 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol update jobid="$JOB" nodelist=n2
show scontrol update jobid="$JOB" nodelist=n1,n4
show scontrol update jobid="$JOB" nodelist=nosuch
show scontrol update jobid="$JOB" reqnodelist=n1
size "$JOB"
scene the node is free again
sub -N4 --exclusive --wrap 'sleep 300'
first=$JOB
wait_state "$first" RUNNING
sub -N1 --exclusive --wrap 'sleep 300'
show scontrol update jobid="$first" numnodes=3
wait_state "$JOB" RUNNING
size "$JOB"
scene inside
in_batch -N3 <<'X'
. "$COMPAT/lib.sh"
show scontrol update jobid=$SLURM_JOB_ID numnodes=2
show_file slurm_job_${SLURM_JOB_ID}_resize.sh
show_file slurm_job_${SLURM_JOB_ID}_resize.csh
. ./slurm_job_${SLURM_JOB_ID}_resize.sh
show_unordered srun -l bash -c 'echo $SLURMD_NODENAME'
X
scene whole nodes and devices
sub -N2 --gres=gpu:2 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol update jobid="$JOB" numnodes=1
sinfo -hN -p main -o "%N %T" | LC_ALL=C sort -u
scene not while it waits for its nodes to be free
sub -H -N3 --wrap 'sleep 300'
show scontrol update jobid="$JOB" numnodes=2
size "$JOB"
show scontrol update jobid="$JOB" numnodes=1-3
scene expanding is not allowed
sub -N1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show sbatch -d "expand:$JOB" --wrap true
