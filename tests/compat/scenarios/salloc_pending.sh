# salloc that waits: interrupted, cancelled by another user.
sub -N 4 --exclusive -o /dev/null --wrap 'sleep 300'
wait_state "$JOB" RUNNING
go() {
	env --default-signal=INT salloc -J mine echo ran >out 2>err &
	pid=$!
	W=$(job_named mine)
	until grep -q queued err; do sleep 0.05; done
	sleep 0.2
	"$@"
	wait $pid
	echo "= $?"
	cat out
	sed 's/^/! /' err
}
say interrupted
stop() { kill -INT $pid; }
go stop
say terminated
stop() { kill -TERM $pid; }
go stop
say cancelled
cancel() { scancel "$W"; }
go cancel
show squeue -h -n mine
mask '/has been revoked/d'
