# scontrol show job in the states a job goes through.
sub -J pend -H -n 3 -c 2 -t 5 --mem=200 --comment 'a comment' --wrap 'sleep 300'
show scontrol show job "$JOB"
show scontrol -o show job "$JOB"
sub -J run -N 2 --gres=gpu:1 -t 1:30:00 -o out.%j -e err.%j --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol show job "$JOB"
sub -J end -t 10 --wrap 'exit 3'
wait_end "$JOB"
show scontrol show job "$JOB"
sub -J good -t 10 --wrap true
wait_end "$JOB"
show scontrol show job "$JOB"
mask 's/CPUTime=[^ ]*/CPUTime=T/'
