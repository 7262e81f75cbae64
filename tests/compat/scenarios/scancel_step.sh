# scancel of one step: the others and the job go on; signals to a step.
in_alloc -n 3 <<'S'
srun -n 1 --exact sh -c 'touch s0; exec sleep 200' 2>err0 &
p0=$!
until [ -e s0 ]; do sleep 0.05; done
srun -n 1 --exact sh -c 'trap "echo usr1; exit 6" USR1; touch s1; sleep 200 & wait' >out1 2>err1 &
p1=$!
until [ -e s1 ]; do sleep 0.05; done
show squeue -h -s -o '%i %j %A'
show scancel "$SLURM_JOB_ID.0"
wait $p0
echo "srun said $?"
LC_ALL=C sort err0
show scancel -s USR1 "$SLURM_JOB_ID.1"
wait $p1
echo "srun said $?"
cat out1 err1
show scancel "$SLURM_JOB_ID.7"
show scancel "$SLURM_JOB_ID.x"
show squeue -h -s -o '%i %j'
S
mask_steps
