# An administrator's word counts more than a turn.
scene stopped
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
wait_state "$b" SUSPENDED
scontrol suspend "$a"
wait_state "$b" RUNNING
jobs_now
sleep 17
jobs_now
show scontrol resume "$a"
sleep 1
jobs_now | sed -E 's/RUNNING  |SUSPENDED/TURN/' | sort -u
