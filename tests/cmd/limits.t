#!/usr/bin/env bash
# Accounts, QOS and their limits: loaded from Slurm's flat file, enforced, charged, and shown by sshare and sprio.
. "$(dirname "$0")/lib.sh"
plan 35
conf 2 AccountingStorageEnforce=limits,qos PriorityType=priority/multifactor PriorityWeightFairshare=1000 \
	PriorityWeightQOS=100 PriorityCalcPeriod=00:01
{
	echo "PartitionName=capped Nodes=ALL QOS=part MaxTime=INFINITE"
	echo "PartitionName=picky Nodes=ALL AllowQos=high"
} >>"$CONF"
cluster limits --conf "$CONF"
cd "$TMP" || exit 1
export SLURM_CPU_BIND=none
me=$(id -un)
cat >roster <<E2
QOS - normal:Description='everybody'
QOS - high:Priority=100:MaxJobsPerUser=1
QOS - few:MaxTRESPerUser=cpu=2:MaxSubmitJobsPerUser=3
QOS - strict:Flags=DenyOnLimit:MaxWall=10:MaxTRESPerJob=cpu=2
QOS - part:GrpTRES=cpu=1
Cluster - limits:Fairshare=1:QOS='normal,high,few,strict'
Parent - root
Account - physics:Fairshare=3:MaxWall=00:30:00
Account - idle:Fairshare=1
Parent - physics
User - $me:DefaultAccount=physics:Fairshare=1
Parent - idle
User - $me:Fairshare=1:MaxJobs=1
E2
refused "a file with a mistake changes nothing" sacctmgr -i load file=<(sed 's/Priority=100/Priority=much/' roster)
like "$(sacctmgr -i load file=<(sed 's/Priority=100/Priority=much/' roster) 2>&1)" 'line 2: Priority=much' \
	"and the mistake is named"
is "$(sacctmgr -i load roster)" "5 QOS and 5 associations loaded, 0 taken away" "a roster is loaded"
sacctmgr dump file="$TMP/dumped" && sacctmgr -i load "$TMP/dumped" clean >/dev/null
sacctmgr dump file="$TMP/again"
is "$(cmp dumped again && echo same)" same "what is dumped can be loaded, and says the same"

waits() { squeue -h -j "$1" -o '%T %r'; }
# says TEXT WHAT JOB: it comes to wait for that
says() { if until_is "$1" 10 waits "$3"; then pass "$2"; else fail "$2" "$(waits "$3")" "want: $1"; fi; }
sub -o /dev/null --wrap 'sleep 60'
A=$JOB
becomes "$A" RUNNING "a job without a word runs under the default account and QOS"
is "$(squeue -h -j "$A" -o '%a %q %l')" "physics normal 30:00" "which show, and the account's longest time is its limit"
sub -q high -o /dev/null --wrap 'sleep 60'
B=$JOB
sub -q high -o /dev/null --wrap 'sleep 60'
C=$JOB
becomes "$B" RUNNING "the first of a QOS that allows one"
says "PENDING QOSMaxJobsPerUserLimit" "the second waits for it, and says why" "$C"
scancel "$B"
becomes "$C" RUNNING "and begins when the first has ended"
sub -q few -n2 -N1 -o /dev/null --wrap 'sleep 60'
becomes "$JOB" RUNNING "two CPUs of two"
sub -q few -o /dev/null --wrap 'sleep 60'
D=$JOB
says "PENDING QOSMaxCpuPerUserLimit" "one more is too many" "$D"
like "$("$SPUR" why "$D")" 'QOS few allows a user cpu=2, and 2 are held now' "why names the limit, and what is held"
refused "an array of more tasks than may be submitted" sbatch -q few -a 1-2 --wrap true
like "$(sbatch -q few -a 1-2 --wrap true 2>&1)" 'violates accounting/QOS policy' "in Slurm's words"
refused "DenyOnLimit: too long" sbatch -q strict -t 20 --wrap true
refused "DenyOnLimit: too many CPUs" sbatch -q strict -n 3 --wrap true
like "$(sbatch -q nosuch --wrap true 2>&1)" 'Invalid qos specification' "a QOS that is not there"
like "$(sbatch -q part --wrap true 2>&1)" 'Invalid qos specification' "a QOS that is not the user's"
like "$(sbatch -p picky --wrap true 2>&1)" 'Invalid qos specification' "a partition for another QOS"
sub -H -o /dev/null --wrap true
like "$(scontrol update JobId="$JOB" QOS=nosuch 2>&1)" 'Invalid qos specification' \
	"no other way in: a QOS that is not there"
like "$(scontrol update JobId="$JOB" QOS=part 2>&1)" 'Invalid qos specification' "nor one that is not the user's"
like "$(scontrol update JobId="$JOB" Partition=picky 2>&1)" 'Invalid qos specification' \
	"nor a partition for another QOS"
works "a QOS that is" scontrol update JobId="$JOB" QOS=high
scancel -u "$me"
sub -A idle -o /dev/null --wrap 'sleep 60'
becomes "$JOB" RUNNING "another account"
sub -A idle -o /dev/null --wrap 'sleep 60'
says "PENDING AssocMaxJobsLimit" "an association's own limit" "$JOB"
scancel -u "$me"
sub -p capped -o /dev/null --wrap 'sleep 60'
becomes "$JOB" RUNNING "under the partition's QOS"
sub -p capped -o /dev/null --wrap 'sleep 60'
says "PENDING QOSGrpCpuLimit" "whose limit holds for all together" "$JOB"

# what was used is charged, and counts
used() { sshare -nP -a -o Account,User,RawUsage | awk -F'|' '$1 ~ /physics/ && $2 != "" { print ($3 > 0) }'; }
for _ in $(seq 300); do [ "$(used)" = 1 ] && break; sleep 0.1; done
is "$(used)" 1 "what jobs used is charged"
is "$(sshare -nP -a -o Account,User,RawShares | paste -sd' ' -)" \
	"root||  idle||1   idle|$me|1  physics||3   physics|$me|1" "the tree of shares"
factor() { sshare -nP -a -U -o Account,FairShare | tr -d ' ' | awk -F'|' -v a="$1" '$1 == a { print $2 }'; }
is "$(awk -v p="$(factor physics)" -v i="$(factor idle)" 'BEGIN { print (p > 0 && i > 0 && p != i) }')" 1 \
	"the account that used less of its share has the higher factor"
kill -9 "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" >/dev/null 2>&1
sacctmgr dump file="$TMP/later"
is "$(cmp dumped later && echo same)" same "the roster is part of the state"
refused "words that are not there yet" sacctmgr show qos
{ cat "$CONF"; echo "SchedulerParameters=bf_window=10,defer"; echo "AccountingStorageEnforce=limits,wckeys"; } >odd.conf
odd=$("$(dirname "$SPUR")/../ctl/spurctld" -t -f "$TMP/odd.conf" 2>&1)
like "$odd" 'SchedulerParameters=defer is not acted on' "a check of the configuration tells what nothing acts on"
like "$odd" 'AccountingStorageEnforce=wckeys is not acted on' "word by word"
lacks bf_window "and not what is" echo "${odd:?}"
