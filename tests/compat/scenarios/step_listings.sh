# Steps in squeue -s, scontrol show step, scontrol show job; names, ids, formats.
JOB=$(salloc -Q --no-shell -N 2 -n 3 -t 5 -J kept 2>/dev/null; job_named kept)
srun --jobid="$JOB" -J first -n 3 --exact -t 3 sleep 300 2>/dev/null &
wait_step "$JOB.0"
srun --jobid="$JOB" -J second -n 1 -N 1 -w n1 --overlap sleep 300 2>/dev/null &
wait_step "$JOB.1"
show_sorted squeue -s -j "$JOB" -o '%i %P %u %N'
show_sorted squeue -s -j "$JOB" -o '%A %N %l %i'
show_sorted squeue -s -h -j "$JOB" -O stepid,numtasks,nodes,timelimit
show_sorted squeue -s -j "$JOB" -O stepid:12,stepname:10,stepstate:10,jobid:10
show squeue -h -s "$JOB.0" -o '%i'
show squeue -h -s "$JOB.7" -o '%i'
show squeue -h -s "$JOB.0,$JOB.1" -o '%u'
show squeue -s x
show scontrol show step "$JOB.7"
show scontrol show step x
show scontrol show step 99999
first=$(scontrol -o show step "$JOB.0")
second=$(scontrol -o show step "$JOB.1")
printf '%s\n%s\n' "$first" "$second" | grep -oE '(StepId|TimeLimit|State|NodeList|Nodes|CPUs|Tasks|Name|TRES|Dist)=\S*'
mask 's/StartTime=\S+/StartTime=T/; s/SrunHost:Pid=.*/SrunHost:Pid=X/'
