# How heterogeneous jobs are shown.
file sleep.sh <<'X'
#!/bin/bash
sleep 300
X
sub -H -n1 : -N2 sleep.sh
show_sorted squeue
show_sorted squeue -O jobid,hetjobid,hetjobidset,hetjoboffset,jobarrayid
show squeue -h -j $((JOB + 1)) -o "%i %F %A %K"
show_sorted squeue -j "$JOB+1"
show scontrol show job "$JOB+1"
show_keys 'JobId|HetJobId|HetJobOffset|HetJobIdSet|NumNodes' scontrol show job "$JOB"
show scontrol show job "$JOB+7"
sub -n1 : -n1 sleep.sh
sub -d "afterok:$JOB" --wrap true
squeue -h -j "$JOB" -o "%i %r %E"
