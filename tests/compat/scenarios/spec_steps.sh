# Steps of jobs that leave cores to the system.
scene as many as are left
show salloc -Q -w n1 -S 1 srun -n7 true
scene one more
show timeout 60 salloc -Q -w n1 -S 1 srun -n8 true
scene what the job is told
show salloc -Q -w n1 -S 1 sh -c \
	'env | grep -E "^SLURM_(TASKS_PER_NODE|JOB_CPUS_PER_NODE|NTASKS|CPUS_ON_NODE|CORE_SPEC|THREAD_SPEC)" | sort'
show srun -w n1 -S 1 sh -c 'env | grep -E "^SLURM_(TASKS_PER_NODE|JOB_CPUS_PER_NODE|NTASKS|CPUS_ON_NODE)" | sort'
scene more than the node would give
show timeout 60 salloc -Q -w n2 -S 0 srun -n8 true
show timeout 60 salloc -Q -w n2 -S 0 srun -n6 true
