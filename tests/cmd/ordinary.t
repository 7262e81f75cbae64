#!/usr/bin/env bash
# ordinary: a cluster of an ordinary user, without root anywhere.
. "$(dirname "$0")/lib.sh"
plan 9
if [ "$(id -u)" = 0 ]; then
	user=nobody
	as() { setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups env HOME="$TMP/home" XDG_STATE_HOME= "$@"; }
else
	user=$(id -un)
	as() { env HOME="$TMP/home" XDG_STATE_HOME= "$@"; }
fi
mkdir -m 700 "$TMP/home" && chown "$user" "$TMP/home"
DIR=$TMP/home/.local/state/spur
trap 'as "$SPUR" down >/dev/null 2>&1; finish' EXIT
cd / || exit 1
works "an ordinary user's cluster comes up" as "$SPUR" up || exit
is "$(stat -c %U "$DIR/etc/slurm.conf")" "$user" "in that user's home"
use() { eval "$(as "$SPUR" env)"; }
use
is "$(ps -o user= -p "$(pid_of ctl1),$(pid_of "node-$HOST")" | sort -u | tr -d ' ')" "$user" \
	"its daemons are that user's"
JOB=$(as sbatch --parsable -D "$TMP/home" --wrap 'id -un; pwd')
await COMPLETED 20 as squeue -h -t all -j "$JOB" -o %T
is "$(as cat "$TMP/home/slurm-$JOB.out" | paste -sd, -)" "$user,$TMP/home" "jobs run as that user"
is "$(as srun id -un 2>&1)" "$user" "srun too"
works "that user is its administrator" as scontrol update NodeName="$HOST" State=DRAIN Reason=test
if [ "$(id -u)" = 0 ]; then
	refused "root's jobs would not run there: refused, or they wait" timeout 5 srun true
	scancel -u root 2>/dev/null
else
	skip 1 "needs root"
fi
works "and stops it" as "$SPUR" down
left() {
	pgrep -u "$user" -f "$DIR/etc/slurm.conf" | while read -r p; do
		grep -q '^State:.Z' "/proc/$p/status" 2>/dev/null || [ ! -d "/proc/$p" ] || echo "$p"
	done
}
comes "" "nothing is left" left
