#!/usr/bin/env bash
# daemons: what the daemons do on signals.
. "$(dirname "$0")/lib.sh"
plan 17
conf 1
cluster one --conf "$CONF"
works "a job runs" sbatch -w n1 -o "$TMP/out" --wrap "until [ -e $TMP/go ]; do sleep 0.1; done; echo through"
JOB=$(squeue -h -o %A)
becomes "$JOB" RUNNING "it is running"
node=$(pid_of node-n1)
log=$DIR/log/node-n1.log
# said WORDS: in how many lines of the log
said() { grep -c "$1" "$log" | tr -d '\n'; }

kill -USR2 "$node"
comes 1 "USR2 opens the log again" eval "said 'log file opened again'"
kill -HUP "$node"
comes 2 "HUP starts the agent again" eval "said 'started node=n1'"
is "$(pid_of node-n1)" "$node" "with the same process id"
comes 2 "which registers" eval "said 'registered with the controller'"
comes idle "and the node is there" eval "sinfo -h -n n1 -o %t | sed s/mix/idle/"
cp "$SLURM_CONF" "$TMP/good"
echo 'NodeName=n1 CPUs=many' >>"$SLURM_CONF"
kill -HUP "$node"
comes 1 "a configuration with a mistake is refused" eval "said 'reconfigure refused'"
cp "$TMP/good" "$SLURM_CONF"
works "and the agent runs on" kill -0 "$node"
touch "$TMP/go"
becomes "$JOB" COMPLETED "the job noticed nothing" 60
is "$(cat "$TMP/out")" through "and came through"

# ---- scontrol's options stand where Slurm's may ----
is "$(scontrol show job -o "$JOB" | wc -l)" 1 "scontrol show job -o JOB"
is "$(scontrol -o show job "$JOB")" "$(scontrol show job "$JOB" -o)" "before the verb and at the end are the same"
like "$(scontrol show job -dd "$JOB")" "Nodes=n1 CPU_IDs=" "scontrol show job -dd JOB"
is "$(scontrol show node -o n1 | wc -l)" 1 "scontrol show node -o n1"
is "$(scontrol show --oneliner node n1 | wc -l)" 1 "and between verb and noun"
refused "an option that is not there" scontrol show job -X "$JOB"
