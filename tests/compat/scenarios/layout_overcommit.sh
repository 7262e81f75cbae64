# -O: more tasks than CPUs; how they are spread.
t='echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_TASKS_PER_NODE cpus $SLURM_CPUS_ON_NODE"'
export t
show_unordered srun -N 2 -n 5 -O sh -c "$t"
show_unordered srun -N 1 -n 10 -O sh -c 'echo $SLURM_NTASKS $SLURM_JOB_CPUS_PER_NODE'
in_alloc -N 2 -n 2 <<'S'
show_unordered srun -n 5 -O sh -c "$t"
show_unordered srun -n 5 -O -m cyclic sh -c "$t"
show srun -n 5 true
show_unordered srun -n 3 -N 1 -O sh -c "$t"
S
