# shellcheck shell=bash
# lib.sh - the library of the command tests: private clusters, and TAP.
#
# A test is NAME.t, a bash script that sources this file, says how many checks it has (`plan N`), starts clusters in
# folders of its own and drives them by the commands.  SPUR names the program under test.  The clusters are stopped when
# the test ends.  A test with another number of checks than planned has failed: a check that was not reached is no
# success.
set -uo pipefail

SPUR=$(command -v "${SPUR:-spur}") || { echo "Bail out! no spur program: set SPUR"; exit 1; }
SPUR=$(readlink -f "$SPUR")
unset SLURM_CONF "${!SBATCH_@}" "${!SLURM_@}" "${!SQUEUE_@}" "${!SINFO_@}"
export LC_ALL=C TZ=UTC # words, the order of words and hours are the same everywhere
exec </dev/null # a shell without it gives commands the wrong one
TMP=$(mktemp -d /tmp/spur-t.XXXXXX)
chmod 755 "$TMP"
HOST=$(hostname -s)
CLUSTERS=()
tests=0 failures=0 planned=

keep_plan() {
	[ "${planned:-none}" = "$tests" ] || fail "as many checks as planned: ${planned:-none}, and there were $tests"
}
finish() {
	local status=$? dir
	keep_plan
	for dir in "${CLUSTERS[@]}"; do "$SPUR" down --dir "$dir" >/dev/null 2>&1; done
	if [ "$failures" != 0 ]; then
		for dir in "${CLUSTERS[@]}"; do
			for log in "$dir"/log/*.log; do
				printf '# %s\n' "$log"
				tail -n 20 "$log" | sed 's/^/#   /'
			done
		done
	fi
	cd / && rm -rf "$TMP"
	[ "$failures" = 0 ] || exit 1
	exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

# ---- telling ----

# plan N: how many checks there will be; before the first one.
plan() {
	planned=$1
	echo "1..$planned"
}
# pass NAME, fail NAME [WHY...]: for the words below, which always say one or the other.
pass() { tests=$((tests + 1)) && echo "ok $tests - $1"; }
fail() {
	tests=$((tests + 1)) failures=$((failures + 1))
	echo "not ok $tests - $1"
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
	return 1
}
# is GOT WANT NAME, like GOT REGEX NAME.  Nothing equals nothing where a command has failed, too: see `silent`.
is() {
	if [ -z "$1$2" ]; then fail "$3" "an empty text was compared with an empty one: this cannot fail, use silent";
	elif [ "$1" = "$2" ]; then pass "$3"; else fail "$3" "got:  $1" "want: $2"; fi
}
like() { if [[ $1 =~ $2 ]]; then pass "$3"; else fail "$3" "got:  $1" "want: $2"; fi; }
# works NAME CMD..., refused NAME CMD...: by exit status
works() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1 </dev/null); then pass "$name"; else fail "$name" "$* ended with $?" "$said"; fi
}
refused() {
	local name=$1 said status
	shift
	said=$("$@" 2>&1 </dev/null)
	status=$?
	if [ $status != 0 ] && { [ $status -lt 126 ] || [ $status = 255 ]; }; then
		pass "$name"
	else
		fail "$name" "$* ended with $status" "$said"
	fi
}
# silent NAME CMD...: it ends well and prints nothing.
silent() {
	local name=$1 said status
	shift
	said=$("$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" = 0 ] && [ -z "$said" ]; then pass "$name"; else fail "$name" "$* ended with $status" "$said"; fi
}
# lacks REGEX NAME CMD...: it ends well, and nothing of what it prints matches.
lacks() {
	local regex=$1 name=$2 said status
	shift 2
	said=$("$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" = 0 ] && ! [[ $said =~ $regex ]]; then
		pass "$name"
	else
		fail "$name" "$* ended with $status" "$said"
	fi
}
# absent PATH NAME: there is no such file, and its folder is there.
absent() {
	if [ -d "$(dirname "$1")" ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then
		pass "$2"
	else
		fail "$2" "$(ls -ld "$(dirname "$1")" "$1" 2>&1)"
	fi
}
# skip COUNT WHY: so many checks that this machine cannot make.
skip() {
	local i
	for ((i = 0; i < $1; i++)); do
		tests=$((tests + 1))
		echo "ok $tests # SKIP $2"
	done
}
skip_all() {
	echo "1..0 # SKIP $*"
	planned=0
	exit 0
}

# ---- clusters ----

# cluster NAME OPTION...: start one in $TMP/NAME and use it; its folder is in DIR.
cluster() {
	DIR=$TMP/$1
	shift
	CLUSTERS+=("$DIR")
	"$SPUR" up --dir "$DIR" "$@" >"$DIR.up" 2>&1 || { fail "a cluster comes up ($*)" "$(cat "$DIR.up")"; exit 1; }
	use "$DIR"
}
use() { eval "$("$SPUR" env --dir "$1")"; }

# ports COUNT: that many consecutive ports without a listener; the first is in PORT.  They lie below the ports that the
# kernel gives to connections, the ports of tests/fault and the ports that `spur up` tries.  The process id chooses the
# first one, so that tests that run at the same time choose different ports.
ports() {
	local tries=0 taken i
	taken=" $(awk '$4 == "0A" { sub(/.*:/, "", $2); print $2 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		paste -sd' ' -) "
	PORT=$((10001 + ($$ * 37 + ${#CLUSTERS[@]} * 9) % 4500))
	for ((; tries < 500; tries++)); do
		for ((i = 0; i < $1; i++)); do [[ $taken != *" $(printf %04X $((PORT + i))) "* ]] || break; done
		[ $i -lt "$1" ] || return 0
		PORT=$((10001 + RANDOM % 4500))
	done
}

# conf NODES LINE...: a slurm.conf of n1 to nNODES on this host with these lines; its path is in CONF.
conf() {
	local nodes=$1
	shift
	ports "$nodes"
	CONF=$TMP/conf.$RANDOM
	{
		echo "ClusterName=test"
		echo "SlurmctldHost=$HOST(127.0.0.1)"
		echo "SlurmdParameters=config_overrides"
		echo "ReturnToService=2"
		printf '%s\n' "$@"
		echo "NodeName=n[1-$nodes] NodeHostname=$HOST NodeAddr=127.0.0.1 Port=[$PORT-$((PORT + nodes - 1))]" \
			"CPUs=4 RealMemory=4000"
		echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
	} >"$CONF"
}

pid_of() { cut -d' ' -f1 "$DIR/run/$1.pid"; } # ctl1, node-n1

# ---- jobs ----

# sub ARG...: submit; the id is in JOB.
# shellcheck disable=SC2034
sub() { JOB=$(sbatch --parsable "$@") || JOB=0; }
state() { squeue -h -t all -r -j "$1" -o %T 2>/dev/null | sort -u | paste -sd, -; }
field() { scontrol show job "$1" | tr -s ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }

# until_is WANT SECONDS CMD...: until the command prints that; for a minute at least (LEAST_S), as machines may be slow.
LEAST_S=60
until_is() {
	local want=$1 end=$((SECONDS + ($2 > LEAST_S ? $2 : LEAST_S))) got
	shift 2
	while :; do
		got=$("$@" 2>&1)
		[ "$got" != "$want" ] || return 0
		[ $SECONDS -le $end ] || { echo "# waited in vain for '$want' from: $*; it is: $got"; return 1; }
		sleep 0.05
	done
}
# becomes JOB STATE NAME [SECONDS]: a test that it gets there.
becomes() {
	if until_is "$2" "${4:-30}" state "$1"; then pass "$3"; else fail "$3" "$(scontrol show job "$1" 2>&1)"; fi
}
# comes WANT NAME CMD...: a test that the command prints that sooner or later.
comes() {
	local want=$1 name=$2
	shift 2
	if until_is "$want" 60 "$@"; then pass "$name"; else fail "$name" "got:  $("$@" 2>&1)" "want: $want"; fi
}
until_file() { until_is yes "${2:-30}" eval "[ -s '$1' ] && echo yes"; }
# await WANT SECONDS CMD..., await_file FILE [SECONDS]: the same as a precondition: not a check, but a failure if the
# wait is in vain.
await() { until_is "$@" || fail "waited for '$1' from: ${*:3}"; }
await_file() { until_file "$@" || fail "waited for the file $1"; }
