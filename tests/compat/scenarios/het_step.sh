# Steps in a heterogeneous job, and what they are told.
mask 's/ n[1-4]: tasks? [0-9-]+: Exited/ N: TASK: Exited/'
in_batch -n1 : -N2 -n2 <<'X'
. "$COMPAT/lib.sh"
env >env.txt
show_env env.txt '^SLURM_.*(HET|PACK)_'
show_unordered srun -l bash -c 'echo $SLURM_PROCID $SLURM_NTASKS $SLURM_NNODES'
show_unordered srun -l --het-group=0,1 bash -c 'echo $SLURM_PROCID $SLURM_NTASKS $SLURM_NODEID $SLURM_NNODES $SLURM_LOCALID $SLURMD_NODENAME $SLURM_STEP_NODELIST $SLURM_STEP_ID $SLURM_JOB_ID'
show_unordered srun -l --het-group=1 bash -c 'echo $SLURM_PROCID $SLURM_NTASKS'
show_unordered srun -l bash -c 'echo a $SLURM_PROCID' : bash -c 'echo b $SLURM_PROCID'
show_unordered srun -l --het-group=1 bash -c 'echo a $SLURM_PROCID' : --het-group=0 bash -c 'echo b $SLURM_PROCID'
show srun --het-group=7 hostname
show_unordered srun --het-group=0,1 bash -c 'exit $SLURM_PROCID'
X
in_alloc -n1 : -n2 <<'X'
show_unordered srun -l --het-group=0,1 bash -c 'echo $SLURMD_NODENAME'
env >env.txt
show_env env.txt '^SLURM_.*HET_'
X
show_unordered srun -Q -l -n1 bash -c 'echo a $SLURM_PROCID $SLURM_NTASKS' : -n2 bash -c 'echo b $SLURM_PROCID'
show_unordered srun -Q -n1 true : -n2 bash -c 'exit 5'
