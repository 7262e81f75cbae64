# --mem-bind and --hint: words that are taken and words that are not.
for w in none local rank quiet map_mem:0 mask_mem:0x1 prefer,local; do
	show srun --mem-bind=$w sh -c 'echo "$SLURM_MEM_BIND|$SLURM_MEM_BIND_TYPE|$SLURM_MEM_BIND_LIST|$SLURM_MEM_BIND_VERBOSE|$SLURM_MEM_BIND_PREFER|$SLURM_MEM_BIND_SORT"'
done
show srun --mem-bind=bogus true
for w in nomultithread multithread compute_bound memory_bound; do
	show srun --hint=$w sh -c 'echo "$SLURM_HINT|$SLURM_CPU_BIND|$SLURM_THREADS_PER_CORE"'
done
show srun --hint=bogus true
show srun --hint=nomultithread --threads-per-core=1 true
show srun --hint=compute_bound --ntasks-per-core=1 true
show srun -m bogus true
show srun -m block:bogus true
show srun -m block:block:block:block true
for w in block:fcyclic cyclic:cyclic:block block,NoPack block,Pack '*:cyclic' block:cyclic; do
	show srun -m "$w" sh -c 'echo "$SLURM_DISTRIBUTION"'
done
