# Requeued, cancelled, left alone: as the partition says.
scene again
job a -p again -w n1 -n 8 --requeue
table
job b -p own -w n1 -n 8
table
scene end
job a -p end -w n1 -n 8
table
job b -p own -w n1 -n 8
wait_state "$a" PREEMPTED 20
table
scene keep
job a -p keep -w n1 -n 8
table
job b -p own -w n1 -n 8
table
