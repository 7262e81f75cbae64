# A higher tier suspends a lower one, which goes on afterwards.
scene suspend
job a -p main -w n1 -n 8
table
job b -p high -w n1 -n 8
table
scancel "$b"
wait_state "$a" RUNNING 10
table
