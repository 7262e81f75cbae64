# srun when tasks die of signals, are cancelled, or refuse to fit.
show srun sh -c 'kill -9 $$'
show srun sh -c 'kill -TERM $$'
show srun sh -c 'kill -USR1 $$'
(wait_step "$(job_named victim).0" >/dev/null; sleep 0.8; scancel -n victim) &
show_unordered srun -J victim sleep 30
wait
sub -n 32 --wrap 'sleep 30'
wait_state "$JOB" RUNNING
show srun -I true
show timeout -s INT 4 srun -J waits true
scancel "$JOB"
wait_end "$JOB"
show srun --exclusive true
show srun -t 1 true
show srun -t nosuch true
mask '/Force Terminated JobId/d; s/error: n[1-4]: task/error: N: task/; s/(error: \*\*\* STEP .* (CANCELLED|ON)).*/\1 TIME/; s/\[YYYY-MM-DDTHH:MM:SS\] //; s/ AT YYYY.*//'
