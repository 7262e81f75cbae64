# scontrol about steps: listjobs, liststeps, show job -d of a job with steps.
JOB=$(salloc -Q --no-shell -w n1 -n 2 -J kept 2>/dev/null; job_named kept)
srun --jobid="$JOB" -n 2 sleep 300 2>/dev/null &
wait_step "$JOB.0"
show scontrol show step "$JOB.0" "$JOB.1"
show scontrol show steps
show scontrol show step
show scontrol show step "$JOB.0.1"
show scontrol show step ''
show scontrol suspend "$JOB.0"
show scontrol requeue "$JOB.0"
show_keys 'NumTasks|NumCPUs|AllocTRES|BatchHost|JobState' scontrol -d show job "$JOB"
scontrol -d show job "$JOB" | grep -E '^ *Nodes='
mask 's/StartTime=\S+/StartTime=T/; s/SrunHost:Pid=.*/SrunHost:Pid=X/'
