# sstat on a running step.
sub -n 2 -J host -o /dev/null --wrap 'srun sleep 300'
wait_state "$JOB" RUNNING
wait_step "$JOB.0"
sleep 0.5
show sstat -j "$JOB" -o jobid,ntasks
show sstat -j "$JOB.0" -o jobid,ntasks
show sstat -a -j "$JOB" -o jobid,ntasks
show sstat -n -j "$JOB" -o jobid,ntasks
show sstat -p -j "$JOB" -o jobid,ntasks
show sstat -P -j "$JOB" -o jobid,ntasks,maxrssnode
show sstat -P -j "$JOB.batch" -o jobid,ntasks
show sstat -j "$JOB" -o 'jobid%20,ntasks%-10,nodes'
show sstat -j "$JOB" -o nosuch
show sstat -j "$JOB.9"
show sstat -j 99999
show sstat -j x
show sstat
show sstat --nosuch
sstat -P -n -i -j "$JOB.0" | sed -E "s/[0-9]+,[0-9]+\$/PID,PID/"
