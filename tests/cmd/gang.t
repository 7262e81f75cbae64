#!/usr/bin/env bash
# gang: jobs on the same CPUs take turns; a higher tier stops a lower one, which goes on afterwards.
. "$(dirname "$0")/lib.sh"
plan 15
cd "$TMP" || exit 1
conf 2 KillWait=2 PreemptType=preempt/partition_prio PreemptMode=SUSPEND,GANG SchedulerTimeSlice=5 \
	PreemptParameters=suspend_grace_time=1
cat >>"$CONF" <<'C'
PartitionName=two Nodes=ALL OverSubscribe=FORCE:2
PartitionName=low Nodes=ALL OverSubscribe=FORCE:1
PartitionName=high Nodes=ALL OverSubscribe=FORCE:1 PriorityTier=10
C
cluster gang --conf "$CONF"
ticks() {
	sub -o "$1" -J "$1" "${@:2}" \
		--wrap "trap 'echo warned >>$1.warned' TSTP; while :; do echo tick; sleep 0.1 & wait; done"
}
count() { wc -l <"$1" 2>/dev/null || echo 0; }
# moves FILE FILE: which of them grow now?
moves() {
	local n m
	n=$(count "$1") m=$(count "$2")
	sleep 0.8
	echo "$([ "$(count "$1")" -gt "$n" ] && echo yes || echo no),$([ "$(count "$2")" -gt "$m" ] && echo yes || echo no)"
}
states() { squeue -h -j "$1" -S i -o %T | paste -sd, -; }
# stands JOB: its run time, once it was the same for more than a second while it was suspended
stands() {
	local was
	was=$(squeue -h -j "$1" -o '%T %M')
	sleep 1.2
	[[ $was = SUSPENDED* && $was = "$(squeue -h -j "$1" -o '%T %M')" ]] && echo yes
}

# ---- turns ----
ticks a -p two -w n1 -n 4 && a=$JOB
await_file a
ticks b -p two -w n1 -n 4 && b=$JOB
ticks c -p two -w n2 -n 4 && c=$JOB
becomes "$b" SUSPENDED "the second on the same CPUs waits for its turn"
[ ! -e b ]
is $? 0 "nothing of it has begun"
await_file c
comes yes,yes "the first runs, and so does one elsewhere" moves a c
comes SUSPENDED,RUNNING,RUNNING "then it is its turn, and the first waits; a job that shares nothing goes on" \
	states "$a,$b,$c"
await_file b
comes no,yes "it really stands still" moves a b
like "$(cat a.warned)" ^warned "after a warning"
comes yes "the time of a job that waits does not run" stands "$a"
comes RUNNING,SUSPENDED "turn by turn, one after the other" states "$a,$b"
comes yes,no "and really so" moves a b

# ---- an end, and an administrator ----
scancel "$a"
becomes "$b" RUNNING "when one ends, the other goes on at once" 10
scancel "$b" "$c"
await "" 20 squeue -h

# ---- a higher tier ----
rm -f a b c
ticks a -p low -w n1 -n 2 && a=$JOB
ticks b -p low -w n1 -n 2 && b=$JOB
await_file a
await_file b
ticks c -p high -w n1 -n 2 && c=$JOB
becomes "$c" RUNNING "a higher tier starts on the CPUs of a lower one"
comes RUNNING,SUSPENDED "and stops no more than it has to" eval "squeue -h -j $a,$b -o %T | sort | paste -sd, -"
sleep 6
is "$(squeue -h -j "$a,$b" -o %T | sort | paste -sd, -)" RUNNING,SUSPENDED "for as long as it takes"
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null
is "$(squeue -h -j "$a,$b" -o %T | sort | paste -sd, -)" RUNNING,SUSPENDED \
	"a controller that was started again knows it"
scancel "$c"
await "RUNNING,RUNNING" 10 eval "squeue -h -j $a,$b -o %T | sort | paste -sd, -"
comes yes,yes "then all go on" moves a b
