#!/usr/bin/env bash
# users: with root, each job runs as its user, and no user may change or read another user's job.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "needs root, to be two users"
getent passwd nobody daemon >/dev/null || skip_all "needs the accounts nobody and daemon"
plan 34
cluster users
cd "$TMP" || exit 1
as() { # as USER CMD...
	local user=$1
	shift
	setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups env HOME="$TMP/$user" "$@"
}
for user in nobody daemon; do
	mkdir -m 700 "$user" && chown "$user:$(id -g "$user")" "$user"
done

cat >secret.sh <<'S'
#!/bin/sh
# a secret of nobody's: ALADDIN
echo $$ >pid
id -un; id -gn; echo "word=$WORD"; touch made; sleep 300
S
chmod 755 secret.sh
JOB=$(cd nobody && as nobody env WORD=SESAME sbatch --parsable -D "$TMP/nobody" -o "$TMP/nobody/job.out" \
	"$TMP/secret.sh" 2>&1)
becomes "$JOB" RUNNING "an ordinary user's job runs"
await nobody 5 stat -c %U nobody/made
is "$(head -n 3 nobody/job.out | paste -sd, -)" "nobody,$(id -gn nobody),word=SESAME" \
	"as that user, with that user's environment"
is "$(stat -c %U nobody/made nobody/job.out | sort -u)" nobody "its files are that user's"
is "$(squeue -h -j "$JOB" -o %u)" nobody "squeue names the user"

like "$(as daemon scancel "$JOB" 2>&1)" "Access|permission" "another user may not cancel it"
is "$(state "$JOB")" RUNNING "it goes on"
for op in hold requeue suspend; do
	refused "another user may not $op it" as daemon scontrol "$op" "$JOB"
done
refused "nor update it" as daemon scontrol update "JobId=$JOB" TimeLimit=5
is "$(state "$JOB")" RUNNING "it still goes on"
refused "nor read its output" as daemon cat "$TMP/nobody/job.out"
said=$(as daemon scontrol write batch_script "$JOB" - 2>&1)
if [[ $said != *ALADDIN* ]]; then pass "nor its script"; else fail "nor its script" "$said"; fi
like "$(as nobody scontrol write batch_script "$JOB" - 2>&1)" ALADDIN "its owner reads the script"
is "$(as daemon grep -rlsE 'SESAME|ALADDIN' "$DIR" 2>/dev/null; as daemon id -un)" daemon \
	"nothing of it is readable in the cluster's folder"
# The process that is looked at must be the job's and hold the secret: a file that is not there cannot be read either.
environ=/proc/$(cat nobody/pid)/environ
is "$(tr '\0' '\n' <"$environ" | grep -x WORD=SESAME)" WORD=SESAME \
	"root finds it in the environment of the job's process"
refused "another user does not" as daemon cat "$environ"
refused "users are no administrators: reconfigure" as daemon scontrol reconfigure
refused "nor update of nodes" as daemon scontrol update NodeName="$HOST" State=DRAIN Reason=x
lacks drain "the node is as it was" sinfo -hN -o %T
refused "nor jobs for others" as daemon sbatch --uid=nobody --wrap true
works "its owner may cancel it" as nobody scancel "$JOB"
becomes "$JOB" CANCELLED "and it ends"
JOB=$(as daemon sbatch --parsable -D /tmp -o "$TMP/daemon/o" --wrap 'sleep 300')
becomes "$JOB" RUNNING "the other's job runs too"
works "root may cancel all" scancel "$JOB"
becomes "$JOB" CANCELLED "and did"

# Over TCP the kernel does not vouch for a client, and without the cluster's socket folder no daemon does.
sed "s,^SpurSocketDir=.*,SpurSocketDir=$TMP/nosockets," "$DIR/etc/slurm.conf" >"$TMP/tcp.conf"
mkdir -p nosockets
refused "no key and no daemon to vouch: no answer over TCP" \
	as daemon env SLURM_CONF="$TMP/tcp.conf" timeout 20 squeue -h
works "with the key TCP works as well" env SLURM_CONF="$TMP/tcp.conf" squeue -h
ln -s "$DIR/run/spurd-$HOST.sock" "nosockets/spurd-$HOST.sock"
works "and with a daemon of this machine that vouches" as daemon env SLURM_CONF="$TMP/tcp.conf" squeue -h
JOB=$(as daemon env SLURM_CONF="$TMP/tcp.conf" sbatch --parsable -D /tmp -o /dev/null --wrap 'sleep 60')
is "$(squeue -h -j "$JOB" -o %u)" daemon "it vouches for the user that asked"
scancel "$JOB"

# A user listens where other users' commands look: a script goes to no daemon but the cluster's.
cat >listen.py <<'S'
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
s.listen(8)
print("listens", flush=True)
while True:
    c, _ = s.accept()
    sys.stdout.write(c.recv(65536).decode(errors="replace") + "\n")
    sys.stdout.flush()
S
false_daemon() { # false_daemon FOLDER: user nobody listens there as controller 1
	as nobody python3 "$TMP/listen.py" "$1/ctl1.sock" >"$TMP/nobody/heard" &
	await listens 30 cat "$TMP/nobody/heard"
	sed "s,^SpurSocketDir=.*,SpurSocketDir=$1,; s,^SpurControllers=.*,SpurControllers=1@127.0.0.1:9," \
		"$DIR/etc/slurm.conf" >"$TMP/false.conf"
}
as nobody mkdir -m 755 "$TMP/nobody/false" && chmod 711 nobody
false_daemon "$TMP/nobody/false"
like "$(as daemon env SLURM_CONF="$TMP/false.conf" timeout 60 sbatch --wrap 'echo OPEN' 2>&1)" \
	'belongs to user [0-9]+.*not used' "a socket folder of another user is not used"
is "$(cat nobody/heard)" listens "and its owner hears nothing"
kill $!
mkdir -m 1777 sticky
false_daemon "$TMP/sticky"
chown root sticky/ctl1.sock # its name can be trusted: the process behind it cannot
like "$(as daemon env SLURM_CONF="$TMP/false.conf" timeout 60 sbatch --wrap 'echo OPEN' 2>&1)" \
	'user [0-9]+ listens at .*not used' "the kernel names the user that listens: it is not used"
is "$(cat nobody/heard)" listens "and that user hears nothing"
kill $!
