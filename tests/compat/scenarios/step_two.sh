# Two steps beside each other, each with its own CPUs; numbers of steps; --exact and --exclusive.
in_alloc -n 4 <<'S'
srun -n 2 --exact sh -c 'touch a.$SLURM_PROCID; until [ -e b.1 ]; do sleep 0.05; done; echo first $SLURM_STEP_ID $SLURM_CPUS_ON_NODE' >first.txt &
wait_file a.1 0 >/dev/null || until [ -e a.1 ]; do sleep 0.05; done
show_unordered srun -n 2 --exact sh -c 'touch b.$SLURM_PROCID; echo second $SLURM_STEP_ID $SLURM_CPUS_ON_NODE'
wait
LC_ALL=C sort first.txt
show_unordered srun -n 2 sh -c 'echo $SLURM_STEP_ID $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE'
show_unordered srun -n 2 --exact sh -c 'echo $SLURM_STEP_ID $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE'
show_unordered srun -n 2 --exclusive sh -c 'echo $SLURM_STEP_ID $SLURM_CPUS_ON_NODE'
show_unordered srun -n 2 -c 2 sh -c 'echo $SLURM_STEP_ID $SLURM_CPUS_ON_NODE $SLURM_CPUS_PER_TASK'
S
