# --whole, --exact, --exclusive, -c, -O: how many CPUs a step gets.
t='echo "$SLURM_STEP_ID: $SLURM_CPUS_ON_NODE cpus, $SLURM_NTASKS tasks"'
export t
in_alloc -n 1 -c 6 <<'S'
show srun -n 1 sh -c "$t"
show srun -n 1 -c 1 sh -c "$t"
show srun -n 1 -c 2 sh -c "$t"
show srun -n 1 -c 2 --whole sh -c "$t"
show srun -n 1 -c 2 --exact sh -c "$t"
show srun -n 1 --whole sh -c "$t"
show srun -n 1 --exact sh -c "$t"
show srun -n 3 -c 2 -o out sh -c "$t"
cat out
show srun -n 1 --exact --whole sh -c "$t"
show srun -n 8 -O -o out sh -c "$t"
cat out
S
