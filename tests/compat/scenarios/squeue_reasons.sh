# Why a job waits, as squeue says it.
sub -J fill -n 32 --wrap 'sleep 300'
fill=$JOB
wait_state "$fill" RUNNING
sub -J res -n 32 --wrap true
wait_reason "$JOB" Resources
sub -J prio -n 32 --wrap true
wait_reason "$JOB" Priority
sub -J user -H --wrap true
sub -J begin --begin=now+2hours --wrap true
sub -J dep -d afterany:"$fill" --wrap true
sub -J never -d afternotok:"$fill" --wrap true
sub -J single -d singleton --wrap true
sub -J down -p down --wrap true
wait_reason "$JOB" PartitionDown
sub -J big -p half -N 2 --wrap true
wait_reason "$JOB" PartitionNodeLimit
sub -J late -p short -t 40 --wrap true
wait_reason "$JOB" PartitionTimeLimit
sub -J arr --array=1-3%1 -d afterok:"$fill" --wrap true
wait_reason "$JOB" Dependency
sub -J admin -n 32 --wrap true
scontrol hold "$JOB"
sub -J multi -p down,half -N 1 -H --wrap true
sub -J lic -L nosuch:1 --wrap true
show squeue -S i -o '%.18i %.6j %.2t %r|%R'
