# reconfigure keeps jobs.
sub -J run --wrap 'sleep 300'
run=$JOB
sub -J held -H --wrap true
wait_state "$run" RUNNING
show scontrol reconfigure
show squeue -h -S i -o '%A %j %t'
