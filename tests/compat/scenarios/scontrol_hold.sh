# hold, uhold, release; priorities; several jobs; wrong ids.
keys='JobState|Reason|Priority'
sub -J a -n 32 --begin=now+1hour --wrap true
a=$JOB
sub -J held_by_its_name --begin=now+1hour --wrap true
b=$JOB
show scontrol hold "$a"
show_keys "$keys" scontrol show job "$a"
show scontrol release "$a"
wait_reason "$a" BeginTime
show_keys "$keys" scontrol show job "$a"
show scontrol uhold "$a"
show_keys "$keys" scontrol show job "$a"
show scontrol release "$a" "$b"
show scontrol hold "$a,$b"
show squeue -h -S i -o '%A %r'
show scontrol release "$a,$b"
wait_reason "$a" BeginTime
scontrol update JobId="$b" JobName="by_name_$b"
show scontrol hold JobName="by_name_$b"
show squeue -h -S i -o '%A %r'
show scontrol hold
show scontrol hold 999999
show scontrol hold nosuch
show scontrol release 999999
show scontrol release nosuch
sub -J r --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol hold "$JOB"
show_keys "$keys" scontrol show job "$JOB"
show scontrol release "$JOB"
sub -J h -H --wrap 'sleep 300'
show scontrol update JobId="$JOB" Priority=100
show_keys "$keys" scontrol show job "$JOB"
sub --array=1-3 --begin=now+1hour --wrap true
wait_reason "$JOB" BeginTime
show scontrol hold "${JOB}_2"
show squeue -h -S i -o '%i %r'
show scontrol release "$JOB"
wait_reason "$JOB" BeginTime
show squeue -h -S i -o '%i %r'
