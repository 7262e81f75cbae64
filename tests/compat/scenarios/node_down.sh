# A node set down takes its job with it: NODE_FAIL, or again in the queue.
sub -J again -w n3 --requeue --wrap 'sleep 300'
again=$JOB
sub -J never -w n3 --no-requeue --wrap 'sleep 300'
never=$JOB
wait_state "$again" RUNNING
wait_state "$never" RUNNING
show scontrol update NodeName=n3 State=DOWN Reason=lost
wait_end "$never"
wait_state "$again" PENDING
show squeue -h -t all -j "$never" -o '%T %r'
show_keys 'JobState|Reason|ExitCode|NodeList' scontrol show job "$never"
show_keys 'JobState|Restarts|NodeList' scontrol show job "$again"
scontrol update NodeName=n3 State=RESUME 2>/dev/null # it may have come back by itself: its agent answers
scancel "$again"
nodes_idle
show sinfo -h -p main -o '%t %N'
