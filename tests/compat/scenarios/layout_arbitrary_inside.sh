# -m arbitrary for a step of an allocation; the order of -w; a hostfile.
where='echo "$SLURM_PROCID $SLURMD_NODENAME local=$SLURM_LOCALID gtids=$SLURM_GTIDS of $SLURM_STEP_TASKS_PER_NODE"'
export where
printf 'n3\nn1\nn3\n' >hosts
in_alloc -N 3 --ntasks-per-node=2 <<'S'
export SLURM_HOSTFILE=hosts
show_unordered srun -n 3 -m arbitrary sh -c "$where"
unset SLURM_HOSTFILE
show_unordered srun -n 3 -m arbitrary -w n2,n1,n2 sh -c "$where"
show_unordered srun -N 2 -n 2 -w n3,n1 sh -c "$where"
show_unordered srun -n 4 -N 2 -w n3,n2 -m cyclic sh -c "$where"
show_unordered srun -n 6 -m plane=2 sh -c "$where"
show_unordered srun -n 6 -m plane=1 sh -c "$where"
show_unordered srun -n 5 -m block sh -c "$where"
show_unordered srun -n 5 -m cyclic sh -c "$where"
S
