# The exit code is the highest of the tasks'; what is said about each, and folded together.
show_unordered srun -n 4 sh -c 'exit $SLURM_PROCID'
show_unordered srun -n 4 sh -c 'exit 7'
show_unordered srun -n 4 -N 2 sh -c 'exit 7'
show_unordered srun -n 3 sh -c '[ $SLURM_PROCID = 1 ] && exit 9; exit 0'
show_unordered srun -n 2 sh -c '[ $SLURM_PROCID = 1 ] && exit 200; kill -9 $$'
show_unordered srun -n 2 sh -c '[ $SLURM_PROCID = 1 ] && exit 3; kill -9 $$'
show srun sh -c 'exit 255'
show srun sh -c 'exit 300'
show srun false
show_unordered srun -n 5 sh -c '[ $SLURM_PROCID = 3 ] || exit 4'
mask_nodes
