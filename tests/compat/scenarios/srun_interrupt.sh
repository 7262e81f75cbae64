# ^C once says how the tasks stand, twice within a second cancels; --quit-on-interrupt needs one.
begin() {
	rm -f up.* out err
	printf '$ srun %s &\n' "$(quoted "$@")"
	env --default-signal=INT srun "$@" sh -c 'touch up.$SLURM_PROCID; exec sleep 200' >out 2>err &
	pid=$!
	until [ -e up.1 ]; do sleep 0.05; done
	sleep 0.2
}
ended() {
	wait "$pid"
	rc=$?
	cat out
	LC_ALL=C sort err | sed 's/^/! /'
	echo "= $rc"
}
begin -n 2
kill -INT $pid
until grep -q running err; do sleep 0.02; done
kill -INT $pid
ended
begin -n 2 --quit-on-interrupt
kill -INT $pid
ended
begin -n 2 -X
kill -INT $pid
ended
mask_steps
mask_killed
