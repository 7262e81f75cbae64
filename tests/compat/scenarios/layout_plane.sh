# -m plane=N deals out N tasks at a time.
where='echo "$SLURM_PROCID $SLURMD_NODENAME local=$SLURM_LOCALID gtids=$SLURM_GTIDS $SLURM_DISTRIBUTION $SLURM_DIST_PLANESIZE $SLURM_DIST_LLLP"'
show_unordered srun -N 2 -n 8 -m plane=2 sh -c "$where"
show_unordered srun -N 3 -n 7 -m plane=2 sh -c "$where"
show_unordered srun -N 2 -n 4 -m plane=4 sh -c "$where"
show srun -N 2 -n 4 -m plane true
show srun -N 2 -n 4 -m plane=0 true
show srun -N 2 -n 4 -m plane=x true
