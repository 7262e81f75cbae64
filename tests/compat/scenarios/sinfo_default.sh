# sinfo and its ready-made forms on idle, mixed and allocated nodes.
show sinfo
show sinfo -l
show_sorted sinfo -N
show_sorted sinfo -N -l
show sinfo -s
show sinfo -R
show sinfo -h
show sinfo -p short
show sinfo -p half,down
show sinfo -n n1
show_sorted sinfo -n n1,n3 -N
show sinfo -t idle
show sinfo -t alloc
show sinfo -e
show sinfo -a
sub -w n1 -n 8 --wrap 'sleep 300'
a=$JOB
sub -w n2 -n 2 --wrap 'sleep 300'
wait_state "$a" RUNNING
wait_state "$JOB" RUNNING
say one node full, one in part
show sinfo
show_sorted sinfo -N
show sinfo -s
show sinfo -t alloc
show sinfo -t mix
show sinfo -t idle,mix -h
