#!/usr/bin/env bash
# up: clusters come up, stand side by side, say what is wrong, and go down without a trace.
. "$(dirname "$0")/lib.sh"
plan 37

cluster one
is "$(sinfo -hN -o '%N %T')" "$HOST idle" "one machine: a node with the host's name"
is "$(sinfo -h -o %c)" "$(nproc)" "its CPUs are discovered"
is "$(stat -c %a "$DIR/etc/keys/machine.key")" 600 "no other user may read the key"
like "$("$SPUR" up --dir "$DIR" 2>&1)" "already running" "up again says so"
works "and is no failure" "$SPUR" up --dir "$DIR"
refused "but not with other nodes" "$SPUR" up --dir "$DIR" --nodes 3
one=$DIR
printf 'ClusterName=x\nSlurmctldHost=far.away\nNodeName=n1\nPartitionName=p Nodes=n1\n' >"$TMP/far.conf"
is "$("${SPUR%/*}/../ctl/spurctld" -t -f "$TMP/far.conf" 2>/dev/null)" "the configuration is good" \
	"a configuration is looked at on any machine"

cluster two --nodes 3
is "$(sinfo -hN -o '%N %T' | paste -sd, -)" "n1 idle,n2 idle,n3 idle" "a second cluster beside it, with three nodes"
sub -N 3 -o "$TMP/two.out" --wrap 'echo "$SLURM_JOB_NODELIST"'
becomes "$JOB" COMPLETED "a job over its nodes"
is "$(cat "$TMP/two.out")" "n[1-3]" "all three"
use "$one"
silent "the first knows nothing of it" squeue -h -t all

# What has died is started again; what lives is left alone.
DIR=$TMP/two
ctl=$(pid_of ctl1) n2=$(pid_of node-n2)
kill -9 "$n2"
works "up starts what has died" "$SPUR" up --dir "$DIR"
is "$(pid_of ctl1)" "$ctl" "and nothing else"
if [ "$(pid_of node-n2)" != "$n2" ]; then pass "the agent is a new one"; else fail "the agent is a new one"; fi

# Down, and up again: the state is there.
use "$TMP/two"
sub --hold --wrap true
held=$JOB
sub -o "$TMP/long.out" --wrap 'echo begun; sleep 1000'
await_file "$TMP/long.out"
pids=$(cut -d' ' -f1 "$DIR"/run/{ctl,node-}*.pid)
like "$("$SPUR" down --dir "$DIR")" "4 daemons, 1 running step " "down tells what it stopped"
# shellcheck disable=SC2086
is "none$(ps -o pid= -p ${pids//$'\n'/ } 2>/dev/null |
	while read -r p; do grep -q '^State:.Z' "/proc/$p/status" || echo "$p"; done)" none "its daemons are gone"
silent "no socket and no pid file is left" find "$DIR/run" -mindepth 1 ! -name lock
left() {
	pgrep -f 'sleep 1000' -u "$(id -u)" | while read -r p; do
		tr '\0' '\n' <"/proc/$p/environ" | grep -x "SLURM_CONF=$DIR/etc/slurm.conf"
	done 2>/dev/null
}
comes "" "nor what the job had started" left
like "$("$SPUR" down --dir "$DIR")" "not running" "down twice is no failure"
works "up again" "$SPUR" up --dir "$DIR"
is "$(squeue -h -j "$held" -o '%T %r')" "PENDING JobHeldUser" "the waiting job is still there"

# A site's own slurm.conf.
conf 6 'DebugFlags=NO_CONF_HASH' 'SlurmUser=nosuchuser' 'StateSaveLocation=/nonexistent/state' 'SlurmdTimeout=77'
sed -i "s/CPUs=4/Sockets=2 CoresPerSocket=8 Gres=gpu:4/; 1i GresTypes=gpu" "$CONF"
cluster site --conf "$CONF"
is "$(sinfo -h -o '%D %c %G')" "6 16 gpu:4" "six nodes as the file declares them, hardware and all"
is "$(scontrol show config | awk '$1 == "SlurmdTimeout" { print $3 }')" 77 "its settings count"
conf 2
sed -i 's/NodeHostname=[^ ]*/NodeHostname=elsewhere/' "$CONF"
like "$("$SPUR" up --dir "$TMP/none" --conf "$CONF" 2>&1)" "no node .* nothing would run here" \
	"a file of other hosts is refused"
echo "Nonsense=1" >>"$CONF"
like "$("$SPUR" up --dir "$TMP/none" --conf "$CONF" 2>&1)" "${CONF##*/}:[0-9]+" \
	"a mistake is told by the file's own line"
refused "a missing file" "$SPUR" up --dir "$TMP/none" --conf "$TMP/missing"

# What cannot be.
long=$TMP/$(printf 'long%.0s' {1..30})
like "$("$SPUR" up --dir "$long" 2>&1)" "shorter --dir" "a folder too long for sockets is refused"
absent "$long" "before anything is made"
like "$("$SPUR" env --dir "$TMP/nothing" 2>&1)" "there is no cluster" "env without a cluster"
like "$("$SPUR" down --dir "$TMP/nothing" 2>&1)" "there is no cluster" "down without a cluster"
refused "an unknown option" "$SPUR" up --bogus
refused "no nodes" "$SPUR" up --nodes 0
refused "an argument" "$SPUR" down now
cluster broken
"$SPUR" down --dir "$DIR" >/dev/null
rm -rf "$DIR/state/ctl1" && echo junk >"$DIR/state/ctl1"
said=$("$SPUR" up --dir "$DIR" 2>&1)
is $? 1 "a start that cannot work fails"
like "$said" "controller 1 ended with exit code" "it tells which daemon is to blame"
like "$said" "ctl1.log:" "and shows its log"
silent "what it had started is stopped again" find "$DIR/run" -name "*.pid"
