# What a step takes over from the job's options, and what not.
t='echo "$SLURM_NTASKS tasks, $SLURM_CPUS_PER_TASK each, $SLURM_CPUS_ON_NODE cpus, $SLURM_TRES_PER_TASK, mem $SLURM_MEM_PER_NODE/$SLURM_MEM_PER_CPU"'
export t
in_batch -n 2 -c 2 --mem=400 <<'S'
srun sh -c "$t" | LC_ALL=C sort
srun -n 1 sh -c "$t"
srun -c 1 sh -c "$t" | LC_ALL=C sort
srun -n 1 -c 4 sh -c "$t"
SRUN_CPUS_PER_TASK=1 srun sh -c "$t" | LC_ALL=C sort
srun -n 4 -c 1 sh -c "$t" | LC_ALL=C sort
srun -n 3 sh -c "$t" | LC_ALL=C sort
srun -n 2 -c 3 sh -c "$t"
S
in_batch -N 2 --ntasks-per-node=2 --gres=gpu:1 <<'S'
srun sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES' | LC_ALL=C sort
srun -n 1 -N 1 sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'
srun --ntasks-per-node=1 sh -c 'echo $SLURMD_NODENAME $SLURM_NTASKS' | LC_ALL=C sort
srun -n 2 sh -c 'echo $SLURMD_NODENAME $SLURM_NTASKS' | LC_ALL=C sort
S
