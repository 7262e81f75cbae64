# Jobs that name several partitions.
scene the first that has room
runs x -p two -N2 --exclusive
job a -p two,rest -n1
table
show squeue -h -j "$a" -o '%P'
scene none has room
runs x -N4 --exclusive
job a -p two,rest -n1
table
show squeue -h -j "$a" -o '%P'
show_keys Partition scontrol show job "$a"
scancel "$x"
wait_state "$a" RUNNING
scene one of them is too small
runs x -N1 -w n1 --exclusive
job a -p two,main -N3
table
show squeue -h -j "$a" -o '%P'
scene one of them is down
job a -p down,main -n1
table
show squeue -h -j "$a" -o '%P'
scene one of them is not allowed
job a -p accts,main -n1
job b -p accts,group -n1
table
scene time limits
job a -p two,main -t 90
job b -p two,rest -t 90
table
scene default time limits
job a -p two,main
table
show squeue -h -j "$a" -o '%P %l'
scene the higher tier first
runs x -N4 --exclusive
job a -p main -N4
job b -p main,high -N4
settle
scancel "$x"
wait_state "$b" RUNNING
show squeue -h -j "$a,$b" -S j -o '%j %P %T'
scene twice, and unknown
job a -p main,main -n1
job b -p main,nosuch -n1
job c -p ,main -n1
table
