sub -o /dev/null --prefer gpu -C 'amd|intel' --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show_keys 'Features|Prefer' scontrol show job "$JOB"
show squeue -j "$JOB" -o '%f %N'
show squeue -j "$JOB" -O Feature,Prefer,NodeList
sub -o /dev/null --prefer fast -H --wrap 'sleep 300'
show squeue -j "$JOB" -O Feature,Prefer,NodeList
show scontrol update jobid="$JOB" prefer=big
show scontrol update jobid="$JOB" features=intel
show squeue -j "$JOB" -O Feature,Prefer,NodeList
show scontrol update jobid="$JOB" features=nosuch
show scontrol update jobid="$JOB" prefer=nosuch
show scontrol update jobid="$JOB" features='intel&'
show scontrol release "$JOB"
wait_state "$JOB" RUNNING
show squeue -j "$JOB" -O Feature,Prefer,NodeList
