# A job that shares with no other job runs all the time.
scene some share
job a -p two -w n1 -n 4
job b -p two -w n1 -n 4
job c -p two -w n1 -n 4
table
cores a b c
wait_state "$c" RUNNING
jobs_now
