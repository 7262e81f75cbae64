# requeue, requeuehold: of running, pending, finished, unwilling jobs.
keys='JobState|Reason|Restarts|Requeue|Priority' # of a job that waits; one that was requeued may start at once or later
file job.sh <<'S'
#!/bin/sh
echo "restart ${SLURM_RESTART_COUNT:-none}"
sleep 300
S
sub -J a -o out.txt --open-mode=append job.sh
a=$JOB
wait_state "$a" RUNNING
wait_file out.txt
show scontrol requeue "$a"
sleep 0.3
show_keys 'Restarts|Requeue|Priority' scontrol show job "$a"
scancel "$a"
wait_end "$a"
sub -J hold job.sh
wait_state "$JOB" RUNNING
show scontrol requeuehold "$JOB"
wait_state "$JOB" PENDING
show_keys "$keys" scontrol show job "$JOB"
scancel "$JOB"
sub -J no --no-requeue job.sh
wait_state "$JOB" RUNNING
show scontrol requeue "$JOB"
show_keys "$keys" scontrol show job "$JOB"
scancel "$JOB"
sub -J pend -H --wrap true
show scontrol requeue "$JOB"
scancel "$JOB"
sub -J done --wrap true
wait_end "$JOB"
show scontrol requeue "$JOB"
show scontrol requeue 999999
show scontrol requeue
show scontrol requeue nosuch
