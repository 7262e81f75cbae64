# srun from outside into a job: --jobid, SLURM_JOB_ID, with and without a count of nodes.
sub -N 2 -n 4 --gres=gpu:1 -J host -o /dev/null --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show_unordered srun --jobid="$JOB" sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_ID $SLURM_NTASKS $SLURM_JOB_NAME'
show_unordered srun --jobid="$JOB" -n 4 sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_ID $SLURM_NTASKS'
show_unordered srun --jobid="$JOB" -N 1 -n 1 -w n2 sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_ID'
SLURM_JOB_ID=$JOB show_unordered srun -n 1 sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_ID'
SLURM_JOBID=$JOB show_unordered srun -n 1 -N 1 sh -c 'echo $SLURM_JOB_NUM_NODES $SLURM_STEP_ID'
srun --jobid="$JOB" -n 1 -w n1 -N 1 --overlap -o env.txt env
show_env env.txt '^SLURM'
show squeue -h -s -j "$JOB" -o '%i %j %u %P'
as() { setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games LOGNAME=games "$@"; }
show as srun --jobid="$JOB" true
PEND=$(sbatch --parsable -H -o /dev/null --wrap true)
show timeout 60 srun -Q --jobid="$PEND" true
mask 's/srun: got SIGCONT//'
