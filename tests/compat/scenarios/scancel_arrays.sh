# scancel of array tasks.
sub --array=1-6 -H --wrap true
a=$JOB
show scancel "${a}_2"
show squeue -h -o %i
show scancel "${a}_[3-4]"
show squeue -h -o %i
show scancel "${a}_5" "${a}_6"
show squeue -h -o %i
show scancel "${a}_9"
show scancel "${a}_2"
show scancel "${a}_x"
show scancel "${a}_[1-"
show scancel "$a"
show squeue -h -o %i
sub --array=1-3 --wrap 'sleep 300'
a=$JOB
wait_state "$a" RUNNING
show scancel "${a}_2"
for i in $(seq 1200); do squeue -h -r -j "${a}_2" -t all -o %T | grep -q CANCELLED && break; sleep 0.05; done
show squeue -h -r -t all -j "$a" -S i -o '%F_%K %T'
show scancel "$a"
wait_end "$a"
show squeue -h -r -t all -j "$a" -S i -o '%F_%K %T'
