# --cpu-bind=verbose with a plugin that binds: which task is bound where, and what is printed.
mask_pids
cpus='grep Cpus_allowed_list /proc/self/status | tr "\t" " "'
for w in none cores threads sockets map_cpu:1 map_cpu:0,1 mask_cpu:0x2 mask_cpu:1,2 rank; do
	show_unordered srun -n 2 --cpu-bind=verbose,$w sh -c "$cpus"
done
show_unordered srun -n 2 sh -c "$cpus"
show_unordered srun -n 1 sh -c "$cpus"
show_unordered srun -n 1 -c 2 sh -c "$cpus"
mask_nodes
