#!/usr/bin/env bash
# resv: reservations from their making to their end, as their users see them.
. "$(dirname "$0")/lib.sh"
plan 57
cd "$TMP" || exit 1
conf 4 KillWait=1 Licenses=lab:4
cluster resv --conf "$CONF"
new() { scontrol create reservation Users=root "$@" 2>&1; }
resv() { scontrol -o show reservation "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }
# drop NAME: it is deleted when the last job in it has been cleaned up.
drop() { await "" 30 squeue -h -R "$1" -t R,CG && scontrol delete reservation="$1"; }
nodes_of() { sinfo -h -N -n "$1" -o %T | sort -u; }

# ---- made and shown ----
is "$(new StartTime=now Duration=60 Nodes=n1)" "Reservation created: root_1" "a reservation without a name gets one"
is "$(nodes_of n1)" reserved "its node shows it"
is "$(sinfo -h -n n1 -o %i)" root_1 "by name"
like "$(sinfo -T)" "root_1 +ACTIVE .* 01:00:00 +n1" "sinfo -T lists it"
refused "its nodes are not given twice" new StartTime=now Duration=10 Nodes=n1
refused "a user that is not an administrator makes none" setpriv --reuid=65534 --regid=65534 --clear-groups \
	scontrol create reservation StartTime=now Duration=10 Users=root Nodes=n2

# ---- outside and inside ----
sub -w n1 -n1 -t 10 -o /dev/null --wrap 'sleep 600'
out=$JOB
sub --reservation=root_1 -n1 -t 10 -o in.out --wrap 'echo "in $SLURM_JOB_RESERVATION"; sleep 600'
in=$JOB
becomes "$in" RUNNING "a job that asks for it runs"
is "$(field "$in" Reservation),$(field "$in" NodeList)" root_1,n1 "in it"
await_file in.out
is "$(cat in.out)" "in root_1" "and is told so"
comes "ReqNodeNotAvail, May be reserved for other job" "another one waits" squeue -h -j "$out" -o %r
like "$("$SPUR" why "$out")" "n1 is reserved by root_1 until" "and is told for what"
is "$(squeue -h -R root_1 -o %i)" "$in" "squeue -R shows the jobs in it"
like "$(scontrol delete reservation=root_1 2>&1)" "in use" "one that is used is not deleted"
is "$(nodes_of n1)" mixed "a node that works shows its work"
scancel "$in"
await "" 10 squeue -h -R root_1 -t R,CG
works "and one that is not used is" scontrol delete reservation=root_1
becomes "$out" RUNNING "then the other one runs"
scancel "$out"

# ---- before it begins ----
is "$(new ReservationName=later StartTime=now+1hour Duration=60 Nodes=ALL)" "Reservation created: later" \
	"all nodes in an hour"
sub -n1 -t 30 -o /dev/null --wrap true
becomes "$JOB" COMPLETED "what ends before it may run"
sub -n1 -t 2:00:00 -o /dev/null --wrap true
await "ReqNodeNotAvail, Reserved for maintenance" 10 squeue -h -j "$JOB" -o %r
is "$(state "$JOB")" PENDING "what does not waits"
like "$("$SPUR" why "$JOB")" "would start now with --time=00:59:00|would start now with --time=01:00:00" \
	"with a word of what would help"
works "it is given up" scontrol delete reservation=later
becomes "$JOB" COMPLETED "and the job runs"

# ---- its time comes and goes ----
new ReservationName=soon StartTime=now+8 EndTime=now+16 Nodes=n1 >/dev/null
new ReservationName=free StartTime=now+8 EndTime=now+16 Nodes=n2 Flags=NO_HOLD_JOBS_AFTER >/dev/null
sub --reservation=soon -n4 -t 10 -o /dev/null --wrap 'sleep 600'
first=$JOB
sub --reservation=soon -n4 -t 10 -o /dev/null --wrap true
second=$JOB
sub --reservation=free -n4 -t 10 -o /dev/null --wrap 'sleep 600'
third=$JOB
sub --reservation=free -n4 -t 10 -o /dev/null --wrap true
fourth=$JOB
await Reservation 5 squeue -h -j "$first" -o %r
is "$(squeue -h -j "$first" -o '%T %r %S')" "PENDING Reservation N/A" "before it begins its jobs wait"
becomes "$first" RUNNING "when it begins they run"
becomes "$first" TIMEOUT "when it ends those that are left are ended"
becomes "$second" RESV_DEL_HOLD "those that wait are held"
comes "Reservation soon was deleted (null)" "and say why" squeue -h -j "$second" -o '%r %v'
becomes "$fourth" COMPLETED "or run elsewhere, if that is what it says"
becomes "$third" TIMEOUT "where the same was ended"
comes "No reservations in the system" "what is over is gone" scontrol show reservation
works "an administrator lets the job go" scontrol release "$second"
becomes "$second" COMPLETED "and it runs"

# ---- through a restart of the controller ----
new ReservationName=keep StartTime=now+10 EndTime=now+20 Nodes=n3 Flags=FLEX,MAGNETIC >/dev/null
kill -KILL "$(pid_of ctl1)"
"$SPUR" up --dir "$DIR" --conf "$CONF" >/dev/null 2>&1
is "$(resv keep Flags)" FLEX,SPEC_NODES,MAGNETIC "a new leader knows it"
comes ACTIVE "and begins it" resv keep State
comes "" "and ends it" resv keep State

# ---- magnets, parts of nodes, licences ----
new ReservationName=pull StartTime=now Duration=60 Nodes=n3 Flags=MAGNETIC >/dev/null
is "$(srun -n1 -t 5 sh -c 'echo $SLURMD_NODENAME $SLURM_JOB_RESERVATION')" "n3 pull" \
	"a magnetic reservation takes a job that did not ask"
drop pull
new ReservationName=part StartTime=now Duration=60 Nodes=n1 CoreCnt=3 >/dev/null
is "$(resv part CoreIDs)" 0-2 "three cores of a node"
is "$(srun -w n1 -n1 -t 5 scontrol show hostnames n9)" n9 "leave one to others"
refused "and no more than that" srun -I2 -w n1 -N1 -n2 -t 5 true
is "$(srun --reservation=part -n3 -t 5 echo x | wc -l)" 3 "the three are for those inside"
drop part
is "$(new ReservationName=lic StartTime=now Duration=60 Licenses=lab:3 Flags=ANY_NODES)" "Reservation created: lic" \
	"three of four licences"
refused "are not for others" srun -I2 -L lab:2 -n1 -t 5 true
works "the last one is" srun -I60 -L lab:1 -n1 -t 5 true
works "and those are for jobs of the reservation" srun -I60 --reservation=lic -L lab:4 -n1 -t 5 true
sub --reservation=lic -L lab:3 -n1 -t 5 -o /dev/null --wrap 'sleep 600'
await RUNNING 10 state "$JOB"
works "what a job inside holds is not kept twice" srun -I60 -L lab:1 -n1 -t 5 true
scancel "$JOB"
drop lic

# ---- nodes that are replaced; a reservation that no job uses ----
new ReservationName=two StartTime=now Duration=60 NodeCnt=2 >/dev/null
is "$(resv two Nodes)" "n[1-2]" "two nodes, whichever"
scontrol update NodeName=n1 State=DRAIN Reason=test
holds() { scontrol show hostnames "$(resv "$1" Nodes)" | grep -cx "$2"; }
await 0 30 holds two n1
is "$(holds two n1),$(resv two NodeCnt)" 0,2 "one that is drained is replaced"
scontrol update NodeName=n1 State=RESUME
works "it is changed" scontrol update ReservationName=two NodeCnt=3 Flags=DAILY
is "$(resv two NodeCnt),$(resv two Flags)" 3,DAILY "as was said"
start=$(resv two StartTime)
works "its turn is left out" scontrol update ReservationName=two Skip
is "$(date -d "$(resv two StartTime)" +%s)" "$(($(date -d "$start" +%s) + 86400))" "and it comes again tomorrow"
works "it is given up" scontrol delete reservation=two
new ReservationName=idle StartTime=now Duration=60 NodeCnt=1 Flags=PURGE_COMP=0:01 >/dev/null
comes "No reservations in the system" "one without use is given up" scontrol show reservation

# ---- users that may delete a reservation; partitions that require one ----
scontrol create reservation ReservationName=mine Users=nobody StartTime=now Duration=60 Nodes=n1 \
	Flags=USER_DELETE >/dev/null
works "its user deletes it where it says so" setpriv --reuid=65534 --regid=65534 --clear-groups \
	scontrol delete reservation=mine
scontrol update PartitionName=main ReqResv=YES
refused "a partition may ask for a reservation" sbatch -n1 -o /dev/null --wrap true
new ReservationName=req StartTime=now Duration=60 Nodes=n1 >/dev/null
works "with one it is open" sbatch --reservation=req -n1 -o /dev/null --wrap true
refused "burst buffers are not reserved" new StartTime=now Duration=60 BurstBuffer=10G Flags=ANY_NODES
