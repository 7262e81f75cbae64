# Limits of partitions, as srun tells them.
show srun -p half -N 2 -I true
show srun -p down -I true
show srun -p main,short -I sh -c 'echo $SLURM_JOB_PARTITION'
show srun -p short sh -c 'squeue -h -j $SLURM_JOB_ID -o "%P %l"'
show srun -p half sh -c 'echo $SLURM_JOB_PARTITION'
show srun -p half -w n3 -I true
show srun -p '' true
show srun -A nosuch -p nosuch true
show srun -q nosuch true
mask '/has been revoked/d'
