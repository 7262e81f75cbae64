# --cpu-bind, --mem-bind, --hint, -m: words that are taken and words that are not (no binding plugin here).
for w in none cores threads sockets rank map_cpu:0 mask_cpu:0x1 quiet verbose quiet,cores; do
	show srun --cpu-bind=$w sh -c \
		'echo "$SLURM_CPU_BIND|$SLURM_CPU_BIND_TYPE|$SLURM_CPU_BIND_LIST|$SLURM_CPU_BIND_VERBOSE"'
done
show srun --cpu-bind=bogus true
show srun --cpu-bind=map_cpu true
show srun --cpu-bind=map_cpu:x true
show srun --cpu-bind=mask_cpu:zz true
show srun --cpu-bind=cores,threads true
mask_pids
