# --mem-bind with a plugin that binds.
mask_pids
mask_steps
mems='grep Mems_allowed_list /proc/self/status | tr "\t" " "'
for w in none local map_mem:0 mask_mem:0x1 rank; do
	show_unordered srun -n 1 --mem-bind=verbose,$w sh -c "$mems"
done
show srun --mem-bind=bogus true
mask_nodes
mask 's/(bind=[A-Z]+ - )(HOST|N|n[1-4]),/\1NODE,/'
