# sattach to a running step: its output from then on, labels, filters, the exit code.
step() {
	rm -f go up.*
	sub -n 2 -o job.txt --wrap "srun sh -c 'touch up.\$SLURM_PROCID; until [ -e go ]; do sleep 0.05; done; echo out \$SLURM_PROCID; echo err \$SLURM_PROCID >&2; exit $1'"
	until [ -e up.0 ] && [ -e up.1 ]; do sleep 0.05; done
}
attach() {
	step 3
	(sleep 1.5; touch go) &
	show_unordered sattach "$@" "$JOB.0"
	wait_end "$JOB"
}
attach
attach --output-filter=1
attach -l --error-filter=0
say what the job itself got
LC_ALL=C sort job.txt
