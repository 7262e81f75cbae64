#!/usr/bin/env bash
# emulate: a thousand nodes in one process; the controller speaks to a few of them, and all hear of it.
. "$(dirname "$0")/lib.sh"
plan 19

# count WORD: a counter of the controller
count() { scontrol -d ping | grep -o "$1=[0-9]*" | cut -d= -f2; }
# spent WORD BEFORE: what was added to it since
spent() { echo $(($(count "$1") - $2)); }

cluster emulate --nodes 1000 --emulate
is "$(sinfo -h -o '%D %T')" "1000 idle" "a thousand nodes are there"
is "$(cat "$DIR/etc/agents")" "emulate n[1-1000]" "played by one agent"

# ---- a step on all of them ----
orders=$(count OrdersSent) nodes=$(count NodesOrdered) reports=$(count ReportsHeard) heard=$(count NodesReported)
works "srun on a thousand nodes ends" srun -N 1000 true
is "$(spent NodesOrdered "$nodes")" 1000 "a thousand nodes were ordered"
is "$(spent OrdersSent "$orders")" 16 "by TreeWidth messages"
comes 1000 "all reported" spent NodesReported "$heard"
few=$(spent ReportsHeard "$reports")
if [ "$few" -le 200 ]; then pass "in few messages"; else fail "in few messages" "$few of them"; fi
await "1000 idle" 30 sinfo -h -o '%D %T'
silent "emulated tasks print nothing" srun -N 1000 -n 2000 -l hostname

# ---- exits, times, signals ----
SPUR_EMULATE_EXIT=3 srun -N 20 true 2>/dev/null
is $? 3 "their exit code is what the environment says"
SPUR_EMULATE_S=0.3 works "and so is their time" timeout 60 srun -N 40 sleep 100
sub -N 300 -o /dev/null --wrap 'sleep 0.2'
becomes "$JOB" COMPLETED "a script that only sleeps takes its time"
sub -N 500 -o /dev/null --wrap 'sleep 1000'
await RUNNING 10 state "$JOB"
orders=$(count OrdersSent)
scancel "$JOB"
becomes "$JOB" CANCELLED "a job on five hundred nodes is cancelled"
await "1000 idle" 10 sinfo -h -o '%D %T'
if [ "$(spent OrdersSent "$orders")" -le 40 ]; then pass "by few messages"; else fail "by few messages" \
	"$(spent OrdersSent "$orders")"; fi
srun -N 200 -t 5 sleep 1000 2>/dev/null &
step=$!
await "200 R" 60 squeue -h -o '%D %t'
scancel "$(squeue -h -o %A)"
wait "$step"
is $? 143 "srun hears that its tasks were ended"

# ---- the emulating process dies: its successor gets the orders again ----
sub -N 100 -o /dev/null --wrap 'sleep 4'
await RUNNING 10 state "$JOB"
kill -9 "$(pid_of emulate)"
works "another process takes the nodes over" "$SPUR" up --dir "$DIR"
becomes "$JOB" COMPLETED "and the job ends after all"

# ---- mistakes ----
spurd=${SPUR%/cli/spur}/node/spurd
like "$("$spurd" -D -f "$SLURM_CONF" --emulate 'n[1-3],n2' 2>&1)" "n2 is named twice" "a node is played once"
like "$("$spurd" -D -f "$SLURM_CONF" --emulate nowhere 2>&1)" "no node nowhere" "and only if it is there"
like "$("$spurd" -D -f "$SLURM_CONF" --emulate n1 --emulate-time soon 2>&1)" "soon is not a number" "times are numbers"
