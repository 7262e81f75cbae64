# Many steps one after the other; exit codes in the script; background steps and wait.
in_batch -n 2 <<'S'
for i in 1 2 3 4 5 6; do srun -n 1 sh -c 'echo step $SLURM_STEP_ID'; done
srun -n 1 false && echo never
echo "after false: $?"
srun -n 1 --exact sh -c 'exit 2' &
one=$!
srun -n 1 --exact sh -c 'exit 3' &
two=$!
wait $one
echo "one: $?"
wait $two
echo "two: $?"
set -e
srun -n 1 sh -c 'exit 7'
echo never
S
show_keys 'JobState|ExitCode' scontrol show job "$JOB"
mask '/Exited with exit code [23]$/d'
mask_nodes
