# SIGTERM, SIGHUP, SIGQUIT and SIGUSR1 to srun itself.
for s in TERM QUIT HUP USR1; do
	rm -f up.* out err
	say "$s"
	srun -n 1 sh -c 'trap "echo got usr1; exit 4" USR1; touch up.$SLURM_PROCID; sleep 200 & wait' >out 2>err &
	pid=$!
	until [ -e up.0 ]; do sleep 0.05; done
	sleep 0.2
	kill -$s $pid
	wait "$pid"
	echo "= $?"
	LC_ALL=C sort out
	LC_ALL=C sort err | sed 's/^/! /'
done
mask_steps
mask_killed
mask 's/^= (0|137)$/= 0 or 137/'
