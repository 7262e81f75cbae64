# Jobs on the same CPUs take turns.
scene two
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
wait_state "$b" SUSPENDED
table
show_keys 'JobState|Reason|Priority|SuspendTime' scontrol show job "$b" | sed 's/=2.*T.*/=TIME/'
wait_state "$b" RUNNING
jobs_now
wait_state "$a" RUNNING
jobs_now
scancel "$a"
wait_state "$b" RUNNING
jobs_now
