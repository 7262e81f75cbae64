#!/usr/bin/env bash
# oversub: CPUs of several jobs, nodes of one user, CPUs that a partition may use, and what a suspended job lends.
. "$(dirname "$0")/lib.sh"
plan 33
cd "$TMP" || exit 1
conf 2 KillWait=2 PreemptParameters=suspend_grace_time=0
cat >>"$CONF" <<'C'
PartitionName=two Nodes=ALL OverSubscribe=FORCE:2
PartitionName=ask Nodes=ALL OverSubscribe=YES:2
PartitionName=alone Nodes=ALL Exclusive=NODE
PartitionName=mine Nodes=ALL ExclusiveUser=YES
PartitionName=few Nodes=ALL MaxCPUsPerNode=1
C
cluster oversub --conf "$CONF"
keep() { sub -o /dev/null "$@" --wrap 'exec sleep 600'; }
gone() { scancel "$@" && await "" 20 squeue -h; }
reason() { squeue -h -j "$1" -o '%T %r'; }

# ---- FORCE ----
keep -p two -w n1 -n 4 -t 10 && a=$JOB
keep -p two -w n1 -n 4 -t 20 && b=$JOB
keep -p two -w n1 -n 1 -t 5 && c=$JOB
becomes "$b" RUNNING "two jobs have the same CPUs"
is "$(for j in $a $b; do scontrol -d show job "$j" | grep -o CPU_IDs=0-3; done | wc -l)" 2 "each all of them"
await "PENDING Resources" 10 reason "$c"
is "$(reason "$c")" "PENDING Resources" "a third waits"
like "$(squeue -h --start -j "$c" -o %S)" '^2' "and knows until when"
is "$(squeue -h -j "$a" -o %h),$(field "$a" OverSubscribe)" YES,YES "squeue and scontrol tell it"
is "$(sinfo -h -n n1 -p main -o '%C %t')" "4/0/0/4 alloc" "a CPU counts once"
gone "$a" "$b" "$c"

# ---- YES ----
keep -p ask -w n1 -n 4 -s && a=$JOB
keep -p ask -w n1 -n 4 && b=$JOB
keep -p ask -w n1 -n 4 -s && c=$JOB
becomes "$c" RUNNING "a job that asks shares with one that asks"
is "$(state "$b")" PENDING "and not with one that does not"
is "$(field "$b" OverSubscribe)" OK "which could have asked"
gone "$a" "$b" "$c"
refused "alone and shared is too much" sbatch -s --exclusive --wrap true

# ---- whole nodes, nodes of one user, CPUs of a partition ----
keep -p alone -w n1 -n 1 && a=$JOB
keep -w n1 -n 1 && b=$JOB
becomes "$a" RUNNING "a partition gives whole nodes"
is "$(squeue -h -j "$a" -o '%C')$(field "$a" Exclusive)" 4NODE "with all their CPUs"
is "$(state "$b")" PENDING "and shares them with no job"
gone "$a" "$b"
keep -p mine -w n1 -n 1 && a=$JOB
keep -p mine -w n1 -n 1 && b=$JOB
keep -w n1 -n 1 --uid=65534 && c=$JOB
becomes "$b" RUNNING "a node may be one user's"
sleep 0.5
is "$(state "$c")" PENDING "and no other user's"
gone "$a" "$b" "$c"
keep -p few -w n1 -n 1 && a=$JOB
keep -p few -w n1 -n 1 && b=$JOB
keep -w n1 -n 3 && c=$JOB
becomes "$c" RUNNING "a partition leaves CPUs of a node to others"
is "$(state "$a"),$(state "$b")" RUNNING,PENDING "and uses no more than it may"
gone "$a" "$b" "$c"

# ---- as an administrator changes it ----
works "a partition can be told to share" scontrol update partitionname=main OverSubscribe=force:3
is "$(sinfo -h -p main -o %h)" FORCE:3 "and says so"
keep -w n1 -n 4 && a=$JOB
keep -w n1 -n 4 && b=$JOB
becomes "$b" RUNNING "and does"
refused "but not in words that mean nothing" scontrol update partitionname=main OverSubscribe=some
works "or not to" scontrol update partitionname=main OverSubscribe=NO
keep -w n1 -n 4 && c=$JOB
sleep 0.5
is "$(state "$c")" PENDING "then it shares no more"
gone "$a" "$b" "$c"
works "whole nodes" scontrol update partitionname=main Exclusive=NODE
is "$(scontrol show partition main | grep -oE '(Exclusive|OverSubscribe)=[A-Z]*' | paste -sd, -)" \
	Exclusive=NODE,OverSubscribe=NO "are told as Slurm does"
works "or not" scontrol update partitionname=main Exclusive=NO

# ---- suspended ----
sub -o ticks --wrap 'while :; do echo tick; sleep 0.1; done' -w n1 -n 4 --mem=3000 && a=$JOB
await_file ticks
scontrol suspend "$a"
keep -w n1 -n 4 --mem=1000 && b=$JOB
becomes "$b" RUNNING "a suspended job lends its CPUs"
keep -w n1 -n 1 --mem=500 && c=$JOB
await "PENDING Resources" 10 reason "$c"
is "$(state "$a"),$(reason "$c")" "SUSPENDED,PENDING Resources" "but not its memory"
still() { before=$(wc -l <ticks); sleep 0.6; [ "$(wc -l <ticks)" = "$before" ] && echo still; }
comes still "it stands still" still
before=$(wc -l <ticks)
works "it goes on" scontrol resume "$a"
await yes 10 eval "[ \$(wc -l <ticks) -gt $before ] && echo yes"
is "$(state "$a"),$(state "$b")" RUNNING,RUNNING "beside the job that came meanwhile"
scancel "$b"
sleep 0.5
is "$(state "$c")" PENDING "its CPUs are its own again"
scancel "$a"
becomes "$c" RUNNING "until it ends"
