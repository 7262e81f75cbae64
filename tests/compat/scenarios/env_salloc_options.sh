# salloc's environment with many options.
show salloc -Q -N 1 -n 2 -c 2 --mem=500 --gres=gpu:1 --ntasks-per-node=2 -m cyclic:block --exclusive sh -c \
	'env >env.txt; srun -o step-%t.txt env'
show_env env.txt '^(SLURM|SALLOC|CUDA)'
say task 1
show_env step-1.txt '^(SLURM|CUDA)'
show salloc -Q --mem-per-cpu=50 --gpus=2 --hint=nomultithread sh -c 'env >env.txt'
show_env env.txt '^(SLURM|SALLOC|CUDA)'
