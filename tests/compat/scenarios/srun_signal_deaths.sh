# Tasks that die of a signal: the words and the exit code.
for s in HUP INT QUIT ILL ABRT FPE KILL SEGV PIPE ALRM TERM USR1 BUS XCPU; do
	show srun sh -c "ulimit -c 0; kill -$s \$\$"
done
show_unordered srun -n 3 sh -c 'ulimit -c 0; [ $SLURM_PROCID = 1 ] && kill -SEGV $$; exit 0'
mask_nodes
