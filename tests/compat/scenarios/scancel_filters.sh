# scancel by name, state, partition, user, node; together with ids.
sub -J one -H --wrap true
one=$JOB
sub -J two -H --wrap true
sub -J two -p short -H --wrap true
sub -J run -w n2 --wrap 'sleep 300'
run=$JOB
sub -J later --begin=now+1hour --wrap true
wait_state "$run" RUNNING
f='%j %t %P'
show squeue -h -S i -o "$f"
show scancel -n nosuch
show scancel --name=two -p short
show squeue -h -S i -o "$f"
show scancel -n two
show squeue -h -S i -o "$f"
show scancel -t nosuch
show scancel -t PENDING -n later
show squeue -h -S i -o "$f"
show scancel -t RUNNING -w n1
show scancel -t PD "$run"
show squeue -h -S i -o "$f"
show scancel -w n2
wait_end "$run"
show squeue -h -S i -o "$f"
show scancel -u nosuchuser
show scancel -u daemon
show scancel -p nosuch
show scancel -A nosuch
show scancel -w nosuch
show scancel -R nosuch
show scancel -q nosuch
show scancel --me -n one
show squeue -h -S i -o "$f"
sub -J x -H --wrap true
sub -J y -H --wrap true
show scancel -u root
show squeue -h
sub -J i -H --wrap true
show_in 'n' scancel -i "$JOB"
show squeue -h -o %j
show_in 'y' scancel -i "$JOB"
show squeue -h -o %j
