#!/usr/bin/env bash
# three: three controllers and eight agents on one machine; the leader dies.
. "$(dirname "$0")/lib.sh"
plan 21
cluster three --controllers 3 --nodes 8
cd "$TMP" || exit 1
is "$(sinfo -h -o '%D %T')" "8 idle" "three controllers and eight agents come up"
comes 3 "all three answer ping" eval "scontrol ping | grep -c 'is UP'"
sub --array=1-16 -o 'a-%a.out' --wrap 'echo "$SLURM_JOB_NODELIST"; sleep 0.2'
becomes "$JOB" COMPLETED "an array runs"
is "$(cat a-*.out | wc -l)" 16 "each task once"
sub -N 8 -o /dev/null --wrap 'sleep 300'
long=$JOB
becomes "$long" RUNNING "a job over all nodes"
leader() { # the id of the controller that says it leads
	for id in 1 2 3; do
		[ -e "$DIR/run/ctl$id.pid" ] &&
			tac "$DIR/log/ctl$id.log" | grep -m1 -oE 'role=[a-z]*|started id=' | grep -q leader &&
			kill -0 "$(pid_of "ctl$id")" 2>/dev/null && echo "$id" && return
	done
}
for round in 1 2 3; do
	for ((try = 0; try < 600; try++)); do id=$(leader) && [ -n "$id" ] && break; sleep 0.1; done
	kill -9 "$(pid_of "ctl$id")"
	late=$(sbatch --parsable --hold --wrap true)
	like "$late" '^[0-9]+$' "round $round: controller $id killed, a submission goes through"
	is "$(squeue -h -j "$long" -o %T)" RUNNING "round $round: the running job notices nothing"
	works "round $round: the dead one comes back" "$SPUR" up --dir "$DIR"
	is "$(squeue -h -j "$late" -o %T)" PENDING "round $round: the late job is there"
done
scancel "$long"
becomes "$long" CANCELLED "the job over all nodes ends"
kill -9 "$(pid_of ctl1)" "$(pid_of ctl2)" "$(pid_of ctl3)"
works "all three killed: they come back" "$SPUR" up --dir "$DIR"
is "$(squeue -h -t PD | wc -l)" 3 "with all the jobs"
comes "8 idle" "and all the nodes" sinfo -h -o '%D %T'
