# --cpu-bind with CPUs that are not there or not the job's.
mask_pids
mask_steps
cpus='grep Cpus_allowed_list /proc/self/status | tr "\t" " "'
show_unordered srun -n 1 --cpu-bind=verbose,map_cpu:1 sh -c "$cpus"
show_unordered srun -n 1 --cpu-bind=verbose,map_cpu:7 sh -c "$cpus"
show_unordered srun -n 1 --cpu-bind=verbose,mask_cpu:0xf0 sh -c "$cpus"
show_unordered srun -n 2 --cpu-bind=verbose,map_cpu:0 sh -c "$cpus"
show_unordered srun -n 2 --cpu-bind=verbose,map_ldom:0 sh -c "$cpus"
show_unordered srun -n 2 --cpu-bind=verbose,ldoms sh -c "$cpus"
show srun --cpu-bind=bogus true
mask_nodes
