# A task's environment with many options of srun, outside of a job.
show srun -n 2 -c 2 --mem=300 --ntasks-per-node=2 -m block:cyclic --cpu-bind=none --hint=nomultithread -o 'e-%t' env
show_env e-1 '^SLURM'
show srun -n 2 --mem-per-cpu=70 --threads-per-core=1 --exclusive -K -W 5 -o 'e-%t' env
show_env e-1 '^SLURM'
show srun -n 4 --gpus-per-task=1 --mem-per-gpu=60 -o 'e-%t' env
show_env e-3 '^(SLURM|CUDA)'
