#!/usr/bin/env bash
# reconnect: commands that wait for a job ask the new controller after a restart; a supervisor that dies leaves no
# process.
. "$(dirname "$0")/lib.sh"
plan 15
conf 2 SlurmdTimeout=60 KillWait=2
cluster reconnect --conf "$CONF"
cd "$TMP" || exit 1
restart_controller() {
	kill -9 "$(pid_of ctl1)"
	"$SPUR" up --dir "$DIR" >/dev/null
}

# ---- salloc waits for its start ----
sub -w n1 --exclusive -o /dev/null --wrap 'while [ ! -e go ]; do sleep 0.1; done'
becomes "$JOB" RUNNING "a job has the node"
salloc -w n1 --exclusive sh -c 'touch up; while [ ! -e done ]; do sleep 0.1; done; exit 5' >salloc.out 2>&1 &
salloc=$!
comes PENDING "salloc waits for the node" squeue -h -n interactive -o %T
waits=$(squeue -h -n interactive -o %i)
restart_controller
is "$(state "$waits")" PENDING "after a restart of the controller the job is the same"
touch go
comes yes "and salloc hears of its start" eval "[ -e up ] && echo yes"

# ---- salloc waits for its end ----
restart_controller
is "$(state "$waits")" RUNNING "the allocation lasts through a second restart"
touch 'done'
wait $salloc
is $? 5 "the command of salloc ends as if nothing had happened"
rm -f up 'done'
salloc -w n1 sh -c 'touch up; exec sleep 20' >revoked.out 2>&1 &
salloc=$!
comes RUNNING "another allocation starts" eval "[ -e up ] && squeue -h -n interactive -o %T"
restart_controller
scancel "$(squeue -h -n interactive -o %i)"
comes yes "salloc asks the new controller, and hears of the cancellation" \
	eval "grep -q 'has been revoked' revoked.out && echo yes"
wait $salloc

# ---- scontrol wait_job ----
sub -w n2 --begin=now+2 -o /dev/null --wrap 'sleep 300'
works "wait_job returns once the job runs" scontrol wait_job "$JOB"
is "$(state "$JOB")" RUNNING "not before"
scancel "$JOB"
becomes "$JOB" CANCELLED "that job ends"
refused "wait_job fails for a job that has ended" scontrol wait_job "$JOB"

# ---- a supervisor dies ----
parent() { ps -o ppid= -p "$1" | tr -d ' '; }
sub -w n2 --no-requeue -o orphan.out --wrap 'setsid sleep 4321 & echo $! >orphan.pid; wait'
await_file orphan.pid
supervisor=$(parent "$(parent "$(cat orphan.pid)")")
is "$(cat "/proc/$supervisor/comm")" spurstepd "a supervisor is found"
kill -9 "$supervisor"
becomes "$JOB" NODE_FAIL "its job ends"
comes gone "and no process of the job is left" eval "kill -0 $(cat orphan.pid) 2>/dev/null || echo gone"
