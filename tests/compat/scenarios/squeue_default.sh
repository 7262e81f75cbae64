# What squeue prints without options: empty, pending, running, done.
show squeue
sub -J first -n 32 --wrap 'sleep 300'
a=$JOB
wait_state "$a" RUNNING
sub -J waits --priority=300 -n 4 --wrap 'sleep 300'
b=$JOB
sub -J held -H --wrap 'sleep 300'
sub -J a_very_long_job_name --begin=now+1hour -p short --wrap 'sleep 300'
sub -J dep --priority=200 --dependency=afterok:"$a" --wrap true
sub -J arr --array=1-9:2%2 -H --wrap true
wait_reason "$b" Resources
show squeue
show squeue -h
show squeue --noheader
show squeue -l
show squeue -s
show squeue -j "$a"
show squeue -j "$a,$b"
show squeue --job="$a"
