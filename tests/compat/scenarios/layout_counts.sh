# Node and task counts: what -N, -n, --ntasks-per-node and -c make of each other.
t='echo "$SLURM_NNODES nodes $SLURM_NTASKS tasks $SLURM_TASKS_PER_NODE step $SLURM_STEP_TASKS_PER_NODE cpus $SLURM_JOB_CPUS_PER_NODE on $SLURM_CPUS_ON_NODE"'
show srun -N 2-3 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -N 2 --ntasks-per-node=2 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -n 4 --ntasks-per-node=2 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -n 3 -c 4 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -n 10 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -N 4 -n 4 -c 2 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -N 3 -n 2 -o out.txt sh -c "$t"
LC_ALL=C sort out.txt
show srun -N 1 -n 9 true
show srun -I -N 5 true
show srun -I -c 9 true
