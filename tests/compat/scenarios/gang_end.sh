# A job that is not its turn can be cancelled, and another takes its place.
scene cancel
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
job c -p two -w n1 -n 8
wait_state "$b" SUSPENDED
scancel "$b"
wait_state "$c" SUSPENDED
table
