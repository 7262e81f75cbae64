# suspend and resume, and what the listings say meanwhile.
keys='JobState|Reason|SuspendTime|SecsPreSuspend'
sub -J a -n 8 -w n1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol suspend "$JOB"
show squeue -h -j "$JOB" -o '%t %T %r %R'
show_keys "$keys" scontrol show job "$JOB"
mask 's/SecsPreSuspend=[0-9]/SecsPreSuspend=0/'
show scontrol suspend "$JOB"
show sinfo -h -p main -o '%N %t'
show scontrol resume "$JOB"
show squeue -h -j "$JOB" -o '%t %T %r %R'
show_keys 'JobState|Reason' scontrol show job "$JOB"
show scontrol resume "$JOB"
sub -J pend -H --wrap true
show scontrol suspend "$JOB"
show scontrol resume "$JOB"
show scontrol suspend
show scontrol suspend nosuch
