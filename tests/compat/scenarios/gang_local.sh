# A job that fits beside the running ones goes on at once.
scene three, four, one
job a -p two -N3 -n 24
job b -p two -N4 -n 32
job c -p two -N1 -n 8
table
wait_state "$b" RUNNING
jobs_now
