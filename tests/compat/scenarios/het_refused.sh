# Heterogeneous jobs that are not taken.
file sleep.sh <<'X'
#!/bin/bash
sleep 300
X
show sbatch -a 1-2 -n1 : -n1 sleep.sh
show sbatch -n1 : -a 1-2 -n1 sleep.sh
show sbatch -n1 : -p nosuch sleep.sh
show sbatch -w n1 : -w n1 sleep.sh
show sbatch -n1 : -d afterok:999999 sleep.sh
show sbatch -n1 : -L lic:1 sleep.sh
show squeue -h
show srun --het-group=0 hostname
