# --signal with srun and a step's time limit: which processes get it.  Words that will not do.
show srun --signal=USR1@30 -t 1 sh -c 'echo fine'
show srun --signal=NOSUCH true
show srun --signal=10@x true
show srun --signal=99 true
show srun --signal=B:USR1 true
show srun --signal=R:USR1@10 -t 1 true
in_alloc -n 1 <<'S'
srun sh -c 'trap "echo got usr2" USR2; touch up; sleep 6 & wait; wait' >out 2>&1 &
until [ -e up ]; do sleep 0.05; done
show scancel -s USR2 "$SLURM_JOB_ID"
wait
cat out
srun sh -c 'trap "echo got usr2; exit 0" USR2; touch up2; sleep 60 & wait' >out 2>&1 &
until [ -e up2 ]; do sleep 0.05; done
show scancel -s 12 "$SLURM_JOB_ID.1"
wait
cat out
S
