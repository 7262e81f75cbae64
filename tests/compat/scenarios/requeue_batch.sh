# A job requeued runs again in the same place with a restart count.
file job.sh <<'S'
#!/bin/sh
echo "run ${SLURM_RESTART_COUNT:-first}"
[ -n "$SLURM_RESTART_COUNT" ] || sleep 30
S
sub -o out.txt --open-mode=append job.sh
wait_file out.txt
show scontrol requeue "$JOB"
wait_state "$JOB" PENDING
show squeue -h -j "$JOB" -o '%T %r %R'
show_keys 'JobState|Restarts|BatchHost|NodeList|ExitCode|RunTime' scontrol show job "$JOB"
