# Which rank runs on which node: block, cyclic, and what is usual without -m.
where='echo "$SLURM_PROCID $SLURMD_NODENAME node=$SLURM_NODEID local=$SLURM_LOCALID gtids=$SLURM_GTIDS"'
show_unordered srun -N 2 -n 5 sh -c "$where"
show_unordered srun -N 2 -n 5 -m block sh -c "$where"
show_unordered srun -N 2 -n 5 -m cyclic sh -c "$where"
show_unordered srun -N 3 -n 6 sh -c "$where"
show_unordered srun -N 3 -n 7 -m cyclic sh -c "$where"
show_unordered srun -N 3 -n 7 -m '*' sh -c "$where"
