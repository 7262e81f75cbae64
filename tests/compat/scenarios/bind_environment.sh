# The variables about binding that a task sees, with a plugin that binds.
e() { printf '$ srun %s env\n' "$(quoted "$@")"; srun "$@" -o e-%t env 2>&1; show_env e-0 \
	'^SLURM_(CPU_BIND|MEM_BIND|HINT|THREADS|CPUS_ON|JOB_CPUS|DISTR)'; }
e -n 2
e -n 1
e -n 1 -c 2
e -n 2 --cpu-bind=none
e -n 2 --cpu-bind=cores
e -n 2 --cpu-bind=verbose,map_cpu:0,1
e -n 2 --mem-bind=local
e -n 1 --hint=nomultithread
e -N 2 -n 2
mask_pids
