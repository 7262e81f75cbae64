# srun from a task of srun: a second step of the same job, and its environment.
show srun -n 1 sh -c 'srun --overlap -n 1 env >inner.txt; echo outer $SLURM_STEP_ID'
show_env inner.txt '^SLURM'
