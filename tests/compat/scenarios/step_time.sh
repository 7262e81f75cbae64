# -t of a step, and what is refused about it.
in_alloc -n 1 -t 5 <<'S'
show srun -t 1 sh -c 'scontrol show step $SLURM_JOB_ID.$SLURM_STEP_ID | grep -o TimeLimit=.*'
show srun sh -c 'scontrol show step $SLURM_JOB_ID.$SLURM_STEP_ID | grep -o TimeLimit=.*'
show srun -t 10 sh -c 'scontrol show step $SLURM_JOB_ID.$SLURM_STEP_ID | grep -o TimeLimit=.*'
show srun -t 0:30 sh -c 'squeue -h -s $SLURM_JOB_ID.$SLURM_STEP_ID -o "%i %l"'
show srun -t nosuch true
S
