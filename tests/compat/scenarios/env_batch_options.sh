# The batch script's environment with many options, and a step's below it.
in_batch -N 2 -n 4 -c 2 --mem=600 --ntasks-per-node=2 --gres=gpu:2 -m plane=2 -J many <<'S'
env >env.txt
srun -o 'step-%t.txt' env
S
show_env env.txt '^(SLURM|SBATCH|CUDA|ENVIRONMENT|HOSTNAME)'
say task 3
show_env step-3.txt '^(SLURM|SBATCH|CUDA|ENVIRONMENT|HOSTNAME)'
