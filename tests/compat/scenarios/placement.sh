# Which nodes jobs get, one after another, on an empty cluster.
put() {
	sub "$@" --wrap 'sleep 300'
	wait_state "$JOB" RUNNING
	printf '%s: %s\n' "$(quoted "$@")" "$(squeue -h -j "$JOB" -o '%N cpus=%C nodes=%D mem=%m')"
}
put -n 1
put -n 3
put -n 8
put -N 2
put -n 6 -c 1
put -w n4 -n 2
put -x n1,n2 -n 2
put --mem=3000 -n 1
put -p half -n 1
show_sorted sinfo -N -p main -O nodelist:5,statecompact:6,cpusstate:12,allocmem:8
empty_queue
say the whole machine
put -N 4 --exclusive
sub -n 1 --wrap true
wait_reason "$JOB" Resources
show squeue -h -j "$JOB" -o '%T %r'
empty_queue
say many tasks
put -n 10
put -n 9 -N 3
put -N 2 -n 4 --ntasks-per-node=2
