# GPUs asked for in every way, and what tasks see.
g() { nodes_idle; printf '$ srun %s\n' "$(quoted "$@")"; srun "$@" sh -c \
	'echo "$SLURM_PROCID $SLURMD_NODENAME cuda=$CUDA_VISIBLE_DEVICES on=$SLURM_GPUS_ON_NODE step=$SLURM_STEP_GPUS"' 2>&1 \
	| LC_ALL=C sort; }
g -n 2 --gres=gpu:2
g -N 2 --gpus-per-node=1
g -G 3
g -n 2 --gpus-per-task=1
g -N 2 -n 2 -G 4
g -n 4 --gpus-per-node=2 --gpu-bind=single:2
g -n 2 --gres=gpu:2 --gpu-bind=map_gpu:1,0
g -n 2 --gres=gpu:2 --gpu-bind=mask_gpu:3,1
g -n 2 --gres=gpu:2 --gpu-bind=none
g -n 2 --gres=gpu:2 --gpu-bind=bogus
nodes_idle
show srun -o e --gpus=2 env
show_env e '^(SLURM_.*(GPU|TRES|GRES)|CUDA|ROCR|ZE_|GPU_)'
nodes_idle
show srun -o e -n 2 --gpus-per-task=1 env
show_env e '^(SLURM_.*(TRES|GRES))'
