# The variables about memory, by the options that set them.
m() { printf '$ %s env\n' "$(quoted "$@")"; "$@" env 2>&1 | grep -E '^SLURM_.*MEM|error' | LC_ALL=C sort; }
m srun
m srun --mem=300
m srun --mem=1G
m srun --mem=0
m srun --mem-per-cpu=70
m srun --gres=gpu:1 --mem-per-gpu=90
m salloc -Q
m salloc -Q --mem=300
m salloc -Q --mem-per-cpu=70 -n 2
m salloc -Q --mem=0
show srun --mem=300 --mem-per-cpu=70 true
show srun --mem=99999 true
