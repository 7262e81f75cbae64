#!/usr/bin/env bash
# topology: jobs are placed by the network: racks of eighteen nodes as blocks, then switches; both told and explained.
. "$(dirname "$0")/lib.sh"
plan 37
cd "$TMP" || exit 1

# nodes_of JOB, racks JOB: its nodes; how many of them in each rack of eighteen
nodes_of() { squeue -h -j "$1" -o %N; }
racks() {
	scontrol show hostnames "$(nodes_of "$1")" | tr -d n |
		awk '{ c[int(($1 - 1) / 18) + 1]++ }
			END { for (i = 1; i <= 8; i++) if (c[i]) { printf "%s%s:%s", s, i, c[i]; s = " " } }'
}
go() { sub -o /dev/null --wrap 'sleep 600' "$@"; }
# reason JOB WANT NAME: why it waits
reason() { if until_is "$2" 10 squeue -h -j "$1" -o %r; then pass "$3"; else fail "$3"; fi; }
runs() { becomes "$JOB" RUNNING "$1"; }

# ---- blocks ----
mkdir racks
conf 144 KillWait=1 TopologyPlugin=topology/block 'SchedulerParameters=max_switch_wait=3'
mv "$CONF" racks/slurm.conf
for r in 1 2 3 4 5 6 7 8; do echo "BlockName=rack$r Nodes=n[$((r * 18 - 17))-$((r * 18))]"; done >racks/topology.conf
echo BlockSizes=16,32,64,128 >>racks/topology.conf
cluster racks --conf racks/slurm.conf --emulate
is "$(scontrol show topology | grep -c ^BlockName)" 8 "eight racks are there"
is "$(scontrol show topology block=rack3)" "BlockName=rack3 BlockIndex=2 Nodes=n[37-54] BlockSize=16" \
	"each with its nodes"
is "$(scontrol show topology | grep -c ^AggregatedBlock)" 7 "and seven blocks made of them"

go -N16 --exclusive; sixteen=$JOB
runs "sixteen nodes start"
is "$(racks "$sixteen")" "8:16" "in one rack"
go -N32 --exclusive; pair=$JOB
runs "thirty-two nodes start"
is "$(racks "$pair")" "5:14 6:18" "in two racks that belong together"
go -N64 --segment=16 --exclusive; parts=$JOB
runs "four segments of sixteen start"
is "$(racks "$parts")" "2:16 3:16 4:16 7:16" "each in a rack of its own"
go -N30 --exclusive; thirty=$JOB
reason "$thirty" "No suitable topology unit found" "there is room, and no block for it"
like "$("$SPUR" why "$thirty")" "in one block of 32: rack1-rack2 has 20" "why names the blocks that have room"
go -N16; late=$JOB
runs "sixteen that fit into the last free rack pass"
is "$(racks "$late")" "1:16" "there"
scancel "$thirty" "$late"
go -N40 --exclusive; forty=$JOB
reason "$forty" Resources "a job that finds too few nodes anywhere waits for resources"
scancel "$forty" "$sixteen"

refused "segments must come out even" sbatch -N5 --segment=2 --wrap true
like "$(sbatch -N5 --segment=2 --wrap true 2>&1)" "does not fit the job size \(5\)" "and it is said"
go -N2 --exclusive=topo; alone=$JOB
runs "a rack for one job alone"
go -N2; other=$JOB
runs "another job starts"
if [ "$(racks "$other" | cut -d: -f1)" != \
	"$(racks "$alone" | cut -d: -f1)" ]; then pass "elsewhere"; else fail "elsewhere" "$(nodes_of "$other")"; fi

# ---- the files ----
cp racks/topology.conf good.conf
cat >>"$DIR/etc/topology.conf" <<<"BlockName=rack1 Nodes=n1"
said=$(scontrol reconfigure 2>&1)
like "$said" "topology.conf:10: block rack1 is there twice" "a mistake is refused with its file and line"
is "$(scontrol show topology | grep -c ^BlockName)" 8 "and the network stays what it was"
cp good.conf "$DIR/etc/topology.conf"
sed -i 's/BlockSizes=.*/BlockSizes=18,36/' "$DIR/etc/topology.conf"
works "a good one is taken" scontrol reconfigure
is "$(scontrol show topology block=rack3)" "BlockName=rack3 BlockIndex=2 Nodes=n[37-54] BlockSize=18" "at once"
scancel -u "$(id -un)"
"$SPUR" down --dir "$DIR" >/dev/null 2>&1

# ---- switches ----
mkdir tree
conf 8 KillWait=1 TopologyPlugin=topology/tree 'SchedulerParameters=max_switch_wait=300'
mv "$CONF" tree/slurm.conf
printf '%s\n' 'SwitchName=left Nodes=n[1-4]' 'SwitchName=right Nodes=n[5-8]' \
	'SwitchName=top Switches=left,right' >tree/topology.conf
cluster tree --conf tree/slurm.conf --emulate
go -w n1 --exclusive -N1
runs "one node of the left is taken"
go -w n5 --exclusive -N1
runs "one of the right"
go -N4 --switches=1@0:12
patient=$JOB
is "$(state "$patient")" PENDING "four under one switch are not there"
like "$("$SPUR" why "$patient")" "under 1 switch: left has 3, right 3; waits up to [0-9]+ more seconds" \
	"why tells for how long it insists"
becomes "$patient" RUNNING "then any will do"
is "$(nodes_of "$patient")" "n[2-4,6]" "as few switches as may be"
is "$(squeue -h -j "$patient" -O ReqSwitch:4,Wait4Switch:6 | tr -s ' ')" "1 0:12 " "the wish is shown"
refused "no number of switches" sbatch --switches=x --wrap true
sub -H -N3 --switches=1 --wrap true
works "the wish may change" scontrol update jobid="$JOB" Switches=2@0:01
is "$(squeue -h -j "$JOB" -O ReqSwitch:4,Wait4Switch:6 | tr -s ' ')" "2 0:01 " "and is shown so"
works "its time alone" scontrol update jobid="$JOB" wait-for-switch=2
is "$(squeue -h -j "$JOB" -O ReqSwitch:4,Wait4Switch:6 | tr -s ' ')" "2 0:02 " "too"
refused "and not to nonsense" scontrol update jobid="$JOB" Switches=many
works "no wish any more" scontrol update jobid="$JOB" Switches=0
