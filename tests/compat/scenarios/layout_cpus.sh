# -c inside an allocation with uneven nodes; CPUs of each node and step.
t='echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_CPUS_ON_NODE of $SLURM_JOB_CPUS_PER_NODE ($SLURM_STEP_TASKS_PER_NODE)"'
export t
in_alloc -n 10 <<'S'
show_unordered srun sh -c "$t"
show_unordered srun -n 4 sh -c "$t"
show_unordered srun -n 4 --exact sh -c "$t"
show_unordered srun -n 4 -c 2 sh -c "$t"
show_unordered srun -n 2 -c 4 sh -c "$t"
show_unordered srun -N 2 -n 2 sh -c "$t"
show_unordered srun -N 2 -n 2 -c 2 sh -c "$t"
show_unordered srun -N 1 -n 2 -c 3 sh -c "$t"
S
