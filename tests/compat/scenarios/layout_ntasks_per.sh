# --ntasks-per-socket, --ntasks-per-core, --ntasks-per-gpu, --gpus-per-task: tasks per node.
t='echo "$SLURM_NTASKS tasks $SLURM_TASKS_PER_NODE on $SLURM_JOB_NODELIST, $SLURM_JOB_CPUS_PER_NODE cpus"'
one() { nodes_idle; show srun "$@" -o out.txt sh -c "$t"; LC_ALL=C sort -u out.txt; }
one -n 4 --ntasks-per-socket=1
one -n 4 -N 1 --ntasks-per-socket=2
one -n 4 --ntasks-per-core=1
one -N 2 --ntasks-per-node=3 -c 2
one -n 6 -N 3 --ntasks-per-node=2
one -n 3 --gpus-per-task=2
one -G 4 --ntasks-per-gpu=2
one -n 4 --ntasks-per-gpu=2
one -N 2 --gpus-per-node=2
show srun -n 8 -N 2 --ntasks-per-node=2 true
show srun -n 20 --ntasks-per-node=9 true
