# Tasks follow the switches, not the numbers of the nodes.
in_batch -N6 -n12 <<'X'
echo "$SLURM_JOB_NODELIST"
srun -l sh -c 'echo $SLURMD_NODENAME $SLURM_NODEID' | sort -n
X
in_batch -N6 -n12 <<'X'
srun -n 12 -l sh -c 'echo $SLURMD_NODENAME' | sort -n
echo cyclic
srun -n 12 -m cyclic -l sh -c 'echo $SLURMD_NODENAME' | sort -n
echo block
srun -n 12 -m block -l sh -c 'echo $SLURMD_NODENAME' | sort -n
echo two
srun -N 2 -n 2 -l sh -c 'echo $SLURMD_NODENAME' | sort -n
X
in_batch -w n[1-4] <<'X'
echo "$SLURM_JOB_NODELIST" "$SLURMD_NODENAME"
srun -l sh -c 'echo $SLURMD_NODENAME $SLURM_STEP_NODELIST' | sort -n
X
