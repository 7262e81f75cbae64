# Three tiers.
scene three
job a -p main -w n1 -n 8
table
job b -p mid -w n1 -n 8
table
job c -p high -w n1 -n 8
table
scancel "$c"
wait_state "$b" RUNNING 10
table
scancel "$b"
wait_state "$a" RUNNING 10
table
