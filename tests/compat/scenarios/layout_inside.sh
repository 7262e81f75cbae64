# Steps laid out inside an allocation of 3 nodes: -N, -r, -w, -x, and the counts that the task sees.
where='echo "$SLURM_PROCID $SLURMD_NODENAME node=$SLURM_NODEID of $SLURM_NNODES/$SLURM_STEP_NUM_NODES ($SLURM_STEP_NODELIST in $SLURM_JOB_NODELIST) $SLURM_STEP_TASKS_PER_NODE"'
export where
in_alloc -N 3 -n 6 <<'S'
show_unordered srun sh -c "$where"
show_unordered srun -n 3 sh -c "$where"
show_unordered srun -N 1 -n 1 sh -c "$where"
show_unordered srun -N 2 sh -c "$where"
show_unordered srun -N 2 -n 2 -r 1 sh -c "$where"
show_unordered srun -N 1 -n 2 -r 2 sh -c "$where"
show_unordered srun -w n3 -n 1 sh -c "$where"
show_unordered srun -w n2,n3 -n 2 sh -c "$where"
show_unordered srun -x n1 -N 2 -n 2 sh -c "$where"
show_unordered srun -N 3 -n 3 -m cyclic sh -c "$where"
S
