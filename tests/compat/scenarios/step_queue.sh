# More steps than fit at once: all of them run, each with its number.
in_alloc -n 2 <<'S'
for i in 1 2 3 4 5; do
	srun -Q -n 1 --exact sh -c 'sleep 0.1; echo ran on $SLURM_CPUS_ON_NODE' >out.$i 2>err.$i &
done
wait
cat out.* err.*
srun sh -c 'echo then step $SLURM_STEP_ID'
S
