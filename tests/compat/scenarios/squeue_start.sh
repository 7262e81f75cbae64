# squeue --start and -i, and the long form's expected columns.
sub -J run -n 32 -t 10 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub -J next -n 32 -t 10 --wrap true
next=$JOB
sub -J held -H --wrap true
wait_reason "$next" Resources
for i in $(seq 1200); do squeue -h -j "$next" -o %S | grep -q N/A || break; sleep 0.1; done
show squeue --start
show squeue --start -h -j "$next"
show squeue --start -o '%i %S'
