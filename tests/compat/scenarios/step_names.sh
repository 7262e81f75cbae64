# Names and numbers of steps: -J, the program's name, ids in squeue.
in_alloc -n 2 -J job <<'S'
s() { squeue -h -s -j "$SLURM_JOB_ID" -o '%i|%j|%u|%A' | LC_ALL=C sort; }
srun -n 1 --overlap sleep 200 2>/dev/null &
wait_step "$SLURM_JOB_ID.0"
srun -n 1 --overlap -J named sleep 200 2>/dev/null &
wait_step "$SLURM_JOB_ID.1"
srun -n 2 --overlap sh -c 'exec sleep 200' 2>/dev/null &
wait_step "$SLURM_JOB_ID.2"
s
show srun --overlap -n 1 -J mine sh -c 'echo $SLURM_JOB_NAME'
show scancel "$SLURM_JOB_ID.0" "$SLURM_JOB_ID.2"
sleep 0.7
s
show squeue -h -s -u root -o '%j'
show squeue -h -s -p short -o '%j'
show squeue -s -n named -h -o '%i'
S
