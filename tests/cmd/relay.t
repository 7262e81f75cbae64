#!/usr/bin/env bash
# relay: on a machine with a node's daemon and no controller, commands go through the daemon.
. "$(dirname "$0")/lib.sh"
plan 18
cluster relay --nodes 2
cd "$TMP" || exit 1
# Such a machine: the daemon's socket is there, no controller's is, and (for the test) no port of a controller either.
mkdir "$TMP/sockets"
ln -s "$(sed -n 's/^SpurSocketDir=//p' "$SLURM_CONF")/spurd-n1.sock" "$TMP/sockets/"
sed "s,^SpurSocketDir=.*,SpurSocketDir=$TMP/sockets,; s/^\(SpurControllers=1@.*\):[0-9]*/\1:1/
	s/^MessageTimeout=.*//" "$SLURM_CONF" >away.conf
echo MessageTimeout=10 >>away.conf
away() { SLURM_CONF=$TMP/away.conf "$@"; }
is "$(away sinfo -hN -o %N | paste -sd,)" n1,n2 "sinfo through the daemon"
lines() { ss -tnH state established "dport = :$(sed -n 's/^SpurControllers=1@.*://p' "$SLURM_CONF")" | wc -l; }
before=$(lines)
for _ in 1 2 3 4 5 6 7 8 9 10; do away sinfo >/dev/null; done
is $(($(lines) <= before + 3)) 1 "ten commands, one after the other, share connections"
away sbatch -o "$TMP/out" --wrap 'echo it runs' >/dev/null
JOB=$(away squeue -h -t all -o %i)
becomes "$JOB" COMPLETED "a job is submitted"
is "$(cat out)" "it runs" "and runs"
is "$(away srun -N 2 hostname | wc -l)" 2 "srun through the daemon"
is "$(away squeue -h -t all -o %u | sort -u)" "$(id -un)" "the jobs belong to the user of the command"
if [ "$(id -u)" = 0 ] && getent passwd nobody >/dev/null; then
	chmod 755 "$TMP"
	as() { setpriv --reuid nobody --regid "$(id -g nobody)" --init-groups env SLURM_CONF="$TMP/away.conf" "$@"; }
	id=$(as sbatch --parsable -D / -o /dev/null --wrap true)
	is "$(squeue -h -t all -j "$id" -o %u)" nobody "an ordinary user's job is that user's"
	refused "an ordinary user does not administer the cluster" as scontrol update NodeName=n1 State=DRAIN Reason=x
else
	skip 2 "needs root, to be another user"
fi

# ---- commands that wait ----
sub -N 2 --exclusive -o /dev/null --wrap 'sleep 300'
first=$JOB
becomes "$first" RUNNING "a job has all nodes"
SLURM_CONF=$TMP/away.conf salloc -N 2 --exclusive true >salloc.log 2>&1 &
asker=$!
comes 1 "salloc waits" eval "squeue -h -t pending -o %i | wc -l"
away sbatch -N 2 --exclusive -o /dev/null --wrap true >/dev/null
comes 2 "a batch job waits behind it" eval "squeue -h -t pending -o %i | wc -l"
kill -9 "$asker"
comes 1 "a command that is killed takes its own request back" eval "squeue -h -t pending -o %i | wc -l"
scancel "$first"
comes "" "the batch job gets the nodes" squeue -h -t pending -o %i

# ---- many at once ----
pids=()
for _ in $(seq 40); do
	away sinfo -h -o ok >>many.log &
	pids+=($!)
done
for p in "${pids[@]}"; do wait "$p" || echo failed >>many.log; done
is "$(sort -u many.log)" ok "forty commands at once"
is $(($(lines) <= 8)) 1 "few connections are kept"

# ---- the controller goes and comes ----
kill -9 "$(pid_of ctl1)"
refused "without a controller there is no answer" timeout 20 env SLURM_CONF="$TMP/away.conf" sinfo
works "the controller starts again" "$SPUR" up --dir "$DIR"
comes n1,n2 "commands go through the daemon again" eval "away sinfo -hN -o %N 2>/dev/null | paste -sd,"
