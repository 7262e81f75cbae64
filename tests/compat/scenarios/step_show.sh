# scontrol show step in full; the batch step; one line.
sub -n 2 -J host -o /dev/null --wrap 'srun -J thestep sleep 300'
wait_state "$JOB" RUNNING
wait_step "$JOB.0"
show scontrol show step "$JOB.0"
show scontrol show step "$JOB.batch"
show scontrol -o show step "$JOB.0"
show scontrol show step "$JOB"
show scontrol update StepId="$JOB.0" TimeLimit=3
show_keys TimeLimit scontrol show step "$JOB.0"
show scontrol update StepId="$JOB.9" TimeLimit=3
mask 's/StartTime=\S+/StartTime=T/; s/SrunHost:Pid=.*/SrunHost:Pid=X/'
