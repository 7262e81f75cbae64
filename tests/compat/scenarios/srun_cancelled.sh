# scancel of srun's own job: what srun says, its exit code.
go() {
	rm -f up.* out err
	printf '$ srun %s &\n' "$(quoted "$@")"
	srun -J mine "$@" >out 2>err &
	pid=$!
	until [ -e up.0 ]; do sleep 0.05; done
	scancel "$(job_named mine)"
	wait $pid
	echo "= $?"
	LC_ALL=C sort out
	LC_ALL=C sort err | sed 's/^/! /'
	wait_end "$(squeue -h -t all -n mine -o %A | sort -n | tail -1)"
}
go sh -c 'touch up.$SLURM_PROCID; exec sleep 60'
go sh -c 'trap "echo term; exit 3" TERM; touch up.$SLURM_PROCID; sleep 60 & wait'
mask_steps
mask_nodes
