#!/usr/bin/env bash
# keys: certificates of machines: issued, refused, revoked; the CA is replaced while jobs run.
. "$(dirname "$0")/lib.sh"
plan 25
cluster keys --controllers 3 --nodes 3
cd "$TMP" || exit 1
keys=$DIR/etc/keys
like "$("$SPUR" key show)" 'roles +controller/\* agent/\*' "one machine makes its keys by itself"
is "$(stat -c %a "$keys/machine.key" "$keys/ca.key" | paste -sd' ')" "600 600" "for their owner alone"
absent "$DIR/etc/spur.key" "there is no key for all machines"
sub -N 3 -o /dev/null --wrap 'srun sleep 300'
long=$JOB
becomes "$long" RUNNING "a job over all nodes"

# ---- a machine of this cluster and of another ----
works "a node's files are made" "$SPUR" key issue agent n9 -o "$TMP/n9"
is "$(cd n9 && ls | paste -sd' ')" "ca.crt machine.crt machine.key" "to be copied there"
refused "a role that there is not" "$SPUR" key issue king n9 -o "$TMP/king"
sed "s,^SpurSocketDir=.*,SpurSocketDir=$TMP/none,; s,^SpurKeyFile=.*,&\nSpurKeyDir=$TMP/n9," "$SLURM_CONF" >away.conf
said=$(SLURM_CONF=$TMP/away.conf sinfo 2>&1)
like "$said" 'slurm_load' "root of a node cannot use the cluster"
comes yes "the refusal is in the log" \
	eval "grep -q 'connection refused from=127.0.0.1:.* says=user:0@.* why=' '$DIR'/log/ctl*.log && echo yes"
serial=$(SLURM_CONF=$TMP/away.conf "$SPUR" key show | sed -n 's/^serial *//p')
works "it is revoked" "$SPUR" key revoke "$serial"
reload() { for d in ctl1 ctl2 ctl3 node-n1 node-n2 node-n3; do kill -HUP "$(pid_of "$d")"; done; }
reload
comes "$serial" "the list is kept" cat "$keys/revoked"

# ---- another CA, while jobs run ----
old=$(sha256sum <"$keys/machine.crt")
for step in add switch drop; do
	works "rotate $step" "$SPUR" key rotate "$step"
	reload
	comes "3 UP" "rotate $step: all controllers answer" eval "echo \$(scontrol ping | grep -c 'is UP') UP"
done
[ "$old" != "$(sha256sum <"$keys/machine.crt")" ] || fail "the machine has the certificate that it had"
is "$(state "$long")" RUNNING "the job of before is running"

# ---- a cluster with one key for all machines changes to certificates, while a job runs ----
conf 2 SpurTransport=plain
cluster plain --conf "$CONF"
like "$(stat -c %s "$DIR/etc/spur.key")" '^32$' "with SpurTransport=plain there is one key for all machines"
absent "$DIR/etc/keys" "and no certificate"
sub -N 2 -o "$TMP/long.out" --wrap 'while [ ! -e '"$TMP"'/enough ]; do sleep 0.2; done; srun -N 2 hostname'
becomes "$JOB" RUNNING "a job runs"
works "the daemons stop, the job goes on" "$SPUR" down --keep-jobs --dir "$DIR"
sed -i 's/^SpurTransport=plain/SpurTransport=tls/' "$SLURM_CONF"
works "with SpurTransport=tls they start again" "$SPUR" up --dir "$DIR"
is "$(state "$JOB")" RUNNING "the job of before runs"
touch "$TMP/enough"
becomes "$JOB" COMPLETED "it starts a step on both nodes and ends"
