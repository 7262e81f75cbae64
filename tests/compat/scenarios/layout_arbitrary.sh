# -m arbitrary takes the order of the nodes from SLURM_HOSTFILE.
where='echo "$SLURM_PROCID $SLURMD_NODENAME local=$SLURM_LOCALID gtids=$SLURM_GTIDS $SLURM_TASKS_PER_NODE"'
printf '%s\n' n2 n1 n2 n1 n1 >hosts
export SLURM_HOSTFILE=hosts
show_unordered srun -m arbitrary sh -c "$where"
show_unordered srun -n 3 -m arbitrary sh -c "$where"
printf '%s\n' n3 n3 n1 >hosts
show_unordered srun -m arbitrary sh -c "$where"
SLURM_HOSTFILE=missing
show srun -n 2 -m arbitrary true
unset SLURM_HOSTFILE
show srun -n 2 -m arbitrary true
show_unordered srun -n 4 -w n2,n1 sh -c "$where"
show_unordered srun -n 4 -w hosts sh -c "$where"
show_unordered srun -w ./hosts sh -c "$where"
