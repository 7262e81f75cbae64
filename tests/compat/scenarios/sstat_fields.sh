# sstat's fields: their names, the heading, the units.
show sstat -e
sub -n 1 -o /dev/null --wrap 'srun sleep 300'
wait_state "$JOB" RUNNING
wait_step "$JOB.0"
sleep 0.3
sstat -j "$JOB" | head -2
sstat -P -j "$JOB" | head -1
sstat -n -P -j "$JOB" -o maxrss,maxvmsize,averss | sed -E 's/[0-9.]+[KMG]?/N/g'
sstat -n -P --noconvert -j "$JOB" -o maxrss,maxvmsize | sed -E 's/[0-9.]+/N/g'
sstat -n -P -j "$JOB" -o mincpu,avecpu,maxrssnode,maxrsstask,maxpagesnode,ntasks
