# A step in an array's task.
sub -a 3,7 -o /dev/null --wrap 'env >job-$SLURM_ARRAY_TASK_ID.txt; srun -o step-$SLURM_ARRAY_TASK_ID.txt env'
wait_end "$JOB"
show_env job-7.txt '^SLURM'
say step
show_env step-7.txt '^SLURM'
show_env step-3.txt '^SLURM_(ARRAY|JOB_ID|JOBID|STEP)'
