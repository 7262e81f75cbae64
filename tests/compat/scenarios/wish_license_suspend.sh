keep -L matlab:3
a=$JOB
show scontrol suspend "$a"
wait_state "$a" SUSPENDED
show scontrol show licenses matlab
keep -L matlab:4
scancel "$JOB"
wait_end "$JOB"
show scontrol resume "$a"
wait_state "$a" RUNNING
show scontrol show licenses matlab
