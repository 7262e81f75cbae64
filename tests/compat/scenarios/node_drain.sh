# A drained node keeps its job and takes no other.
sub -J stay -w n1 --wrap 'sleep 300'
stay=$JOB
wait_state "$stay" RUNNING
show scontrol update NodeName=n1 State=DRAIN Reason=work
show squeue -h -j "$stay" -o '%T %N'
sub -J wants -w n1 --wrap true
wants=$JOB
for i in $(seq 1200); do [ "$(squeue -h -j "$wants" -o %r)" = None ] || break; sleep 0.05; done
show squeue -h -j "$wants" -o '%T %r'
sub -J other -n 1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show squeue -h -j "$JOB" -o '%N'
show sinfo -h -p main -o '%t %N'
scancel "$stay"
wait_end "$stay"
for i in $(seq 1200); do [ "$(sinfo -h -n n1 -p main -o %t)" = drain ] && break; sleep 0.05; done
show sinfo -h -p main -o '%t %N'
show scontrol update NodeName=n1 State=RESUME
wait_end "$wants"
show squeue -h -t all -j "$wants" -o '%T %N'
mask 's/(ReqNodeNotAvail), .*/\1/'
