# A job of several nodes, and those on some of them.
scene nodes
job a -p main -w n1 -n 8
job b -p main -w n2 -n 8
job c -p main -w n3 -n 4
table
job d -p high -N3 -n 24
table
scancel "$d"
wait_state "$a" RUNNING 10
table
