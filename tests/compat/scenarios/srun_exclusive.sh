# --exclusive, -s, --mincpus, --use-min-nodes outside: CPUs of the job and of the step.
t='echo "$SLURM_JOB_CPUS_PER_NODE/$SLURM_CPUS_ON_NODE tasks $SLURM_NTASKS nodes $SLURM_JOB_NUM_NODES"'
x() { nodes_idle; show srun "$@" -o out sh -c "$t"; LC_ALL=C sort -u out; }
x --exclusive
x --exclusive -n 2
x --exclusive -N 2 -n 3
x --exclusive=user
x -s -n 2
x --mincpus=4
x -n 2 -c 3 --exclusive
x --use-min-nodes -n 9
x --contiguous -N 2
show srun --exclusive=bogus true
