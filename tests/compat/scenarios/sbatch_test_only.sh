# sbatch --test-only
mask 's/Job J[0-9]+ to/Job J to/; s/at YYYY-MM-DDTHH:MM:SS/at TIME/'
show sbatch --test-only --wrap true
show sbatch --test-only -n 4 -N 2 --wrap true
show sbatch --test-only -p short --wrap true
show sbatch --test-only -p nosuch --wrap true
show sbatch --test-only -N 9 --wrap true
show sbatch --test-only nosuch.sh
show squeue -h
