# Requeued, cancelled, left alone: as the partition says.
mask 's/(BeginTime|Resources)$/WAITS/' # how long it is held back after a requeue is an accident
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
