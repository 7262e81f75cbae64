# GPUs of a step out of the job's: which ones each step sees.
gpu='echo "$SLURM_PROCID cuda=$CUDA_VISIBLE_DEVICES step=$SLURM_STEP_GPUS job=$SLURM_JOB_GPUS on=$SLURM_GPUS_ON_NODE"'
export gpu
in_alloc -n 4 --gres=gpu:3 <<'S'
show_unordered srun -n 1 sh -c "$gpu"
show_unordered srun -n 2 --gres=gpu:1 sh -c "$gpu"
show_unordered srun -n 1 --gres=gpu:2 sh -c "$gpu"
show_unordered srun -n 1 --gres=none sh -c "$gpu"
show_unordered srun -n 2 --gpus-per-task=1 sh -c "$gpu"
show_unordered srun -n 1 -G 2 sh -c "$gpu"
srun -n 1 --exact --gres=gpu:2 sh -c "$gpu"'; touch on; until [ -e off ]; do sleep 0.05; done' >first.txt &
until [ -e on ]; do sleep 0.05; done
show srun -n 1 --exact --gres=gpu:1 sh -c "$gpu"
show srun -n 1 --exact --gres=gpu:2 -I true
touch off
wait
cat first.txt
S
