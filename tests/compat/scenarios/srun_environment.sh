# The SLURM_* environment of a task: names and values, on its own and inside a job.
mask 's/^(SLURM_JOB_START_TIME|SLURM_JOB_END_TIME|SLURM_TASK_PID|SLURM_SRUN_COMM_PORT|SLURM_STEP_LAUNCHER_PORT)=.*/\1=N/; s/^(SLURM_CONF|SLURM_CLUSTER_NAME|SLURMD_DEBUG|SLURM_LAUNCH_NODE_IPADDR|SLURM_SRUN_COMM_HOST|SRUN_DEBUG)=.*/\1=X/; s/^(SLURM_SRUN_COMM_KEY)=.*/\1=X/'
pick='^(SLURM|SRUN|TMPDIR|CUDA_VIS|ROCR_VIS|GPU_DEV|ZE_AFF|PWD|HOSTNAME|USER|HOME|SHELL|LOGNAME|ENVIRONMENT)'
show srun -o env.txt env
grep -E "$pick" env.txt | LC_ALL=C sort
show srun -N 2 -n 4 -c 1 -t 5 -J named --gres=gpu:1 -o 'env-%t.txt' env
grep -E "$pick" env-3.txt | LC_ALL=C sort
run_job -N 2 -n 2 --parsable -o /dev/null --wrap "srun -o 'in-%t.txt' env"
grep -E "$pick" in-1.txt | LC_ALL=C sort
