# scancel with several steps, signals and options.
in_alloc -n 4 <<'S'
step() { srun -n 1 --exact sh -c "trap 'echo usr1 >>got.$1' USR1; trap 'echo term >>got.$1; exit 9' TERM; touch up.$1; while :; do sleep 0.05; done" 2>err.$1 & until [ -e up.$1 ]; do sleep 0.05; done; }
step 0
step 1
step 2
show scancel -s USR1 "$SLURM_JOB_ID.0" "$SLURM_JOB_ID.2"
wait_file got.0
wait_file got.2
head got.*
show scancel -s TERM "$SLURM_JOB_ID.1"
wait_file got.1
show scancel --signal=9 "$SLURM_JOB_ID.0"
sleep 0.5
show squeue -h -s -j "$SLURM_JOB_ID" -o %i
show scancel -s NOSUCH "$SLURM_JOB_ID.2"
show scancel -s USR1 "$SLURM_JOB_ID.9"
show scancel -v -s USR1 "$SLURM_JOB_ID.2"
show scancel "$SLURM_JOB_ID.2"
wait
for _ in $(seq 1200); do [ -n "$(squeue -h -s -j "$SLURM_JOB_ID" -o %i)" ] || break; sleep 0.05; done
show squeue -h -s -j "$SLURM_JOB_ID" -o %i
S
