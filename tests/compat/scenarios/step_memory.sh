# --mem of a step: what is left for the next.
in_alloc -n 2 --mem=400 <<'S'
srun -n 1 --exact --mem=300 sh -c 'touch on; until [ -e off ]; do sleep 0.05; done' &
until [ -e on ]; do sleep 0.05; done
show srun -n 1 --exact --mem=200 -I true
show srun -n 1 --exact --mem=100 echo fits
show srun -n 1 --exact --mem=200 --overlap sh -c 'echo overlaps $SLURM_MEM_PER_NODE'
show srun -n 1 --exact -I true
touch off
wait
show srun -n 1 --mem=200 sh -c 'echo $SLURM_MEM_PER_NODE $SLURM_MEM_PER_CPU'
show srun -n 1 --mem-per-cpu=50 sh -c 'echo $SLURM_MEM_PER_NODE $SLURM_MEM_PER_CPU'
show srun -n 1 --mem=0 sh -c 'echo $SLURM_MEM_PER_NODE $SLURM_MEM_PER_CPU'
show srun -n 1 --mem=500 true
S
