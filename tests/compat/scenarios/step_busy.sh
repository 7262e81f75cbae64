# A step that does not fit now: the words of waiting, of --immediate, and that it goes on when the other ends.
in_alloc -n 2 <<'S'
srun -n 2 sleep 300 2>/dev/null &
wait_step "$SLURM_JOB_ID.0"
show srun -n 1 -I true
show srun -n 2 --immediate true
show srun -n 1 --overlap echo overlapping
(sleep 0.7; scancel "$SLURM_JOB_ID.0") 2>/dev/null &
show srun -n 1 echo later
wait
S
