# A job requeued runs again in the same place with a restart count.
file job.sh <<'S'
#!/bin/sh
echo "run ${SLURM_RESTART_COUNT:-first}"
[ -n "$SLURM_RESTART_COUNT" ] || sleep 300
S
sub -o out.txt --open-mode=append job.sh
wait_file out.txt
show scontrol requeue "$JOB"
sleep 0.5
show_keys 'Restarts' scontrol show job "$JOB"
scontrol update JobId="$JOB" StartTime=now 2>/dev/null
wait_end "$JOB"
show_file out.txt
show_keys 'JobState|Restarts|ExitCode' scontrol show job "$JOB"
