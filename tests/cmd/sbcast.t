#!/usr/bin/env bash
# sbcast: a file on every node of a job, whole or not at all, with the user's rights and no more.
. "$(dirname "$0")/lib.sh"
plan 42
cluster sbcast --nodes 4
cd "$TMP" || exit 1
JOB=$(sbatch --parsable -N4 -o /dev/null --wrap 'sleep 300')
becomes "$JOB" RUNNING "a job on four nodes"
left() { find "$1" -name '.*.*' | wc -l; }

head -c 3000000 /dev/urandom >big
chmod 751 big
touch -d '2020-01-02 03:04:05' big
mkdir there
works "a file goes to all nodes" sbcast -f -j "$JOB" big "$TMP/there/big"
works "it is the same" cmp big there/big
is "$(stat -c %a there/big)" 751 "with its mode"
works "-p" sbcast -f -p -j "$JOB" big "$TMP/there/big"
is "$(stat -c '%Y %a' there/big)" "$(stat -c '%Y %a' big)" "with its times, too"
works "small blocks, one child each, packed" sbcast -f -s 10k -F 1 -C -j "$JOB" big "$TMP/there/again"
works "it is the same" cmp big there/again
seq 100000 >text
works "a text, packed" sbcast -f -C -j "$JOB" text "$TMP/there/text"
works "it is the same" cmp text there/text
works "one node alone" sbcast -w n3 -j "$JOB" text "$TMP/there/one"
: >empty
works "an empty file" sbcast -f -j "$JOB" empty "$TMP/there/empty"
works "is there" test -e there/empty
is "$(left there)" 0 "nothing else is left"

sbcast -w n1 -j "$JOB" big "$TMP/there/one" >out 2>&1
is "$? $(cat out)" "17 sbcast: error: REQUEST_FILE_BCAST(n1): File exists" "what is there stays there"
works "as it was" cmp text there/one
ln -s "$TMP/text" there/link
refused "a link is something, too" sbcast -w n1 -j "$JOB" big "$TMP/there/link"
works "-f replaces the link" sbcast -f -w n1 -j "$JOB" big "$TMP/there/link"
is "$(stat -c %F there/link) $(wc -l <text)" "regular file 100000" "and does not follow it"
like "$(sbcast -w n9 -j "$JOB" big /tmp/x 2>&1)" "Not all nodes in --nodelist/-w 'n9' are in job" \
	"only nodes of the job"
like "$(sbcast -j "$JOB" big /no/such/x 2>&1)" "\(n4\): No such file" "every node is named"
works "--send-libs" sbcast -f --send-libs --exclude=NONE -w n1 -j "$JOB" /bin/ls "$TMP/there/ls"
like "$(ls there/ls_libs)" "libc" "what it needs is beside it"
JOB2=$(sbatch --parsable -o job.out --wrap "sbcast text $TMP/there/inside; echo \$?")
becomes "$JOB2" COMPLETED "inside of a job"
is "$(cat job.out)" 0 "it needs no -j"
scancel "$JOB2" 2>/dev/null
like "$(sbcast -j "$JOB2" text /tmp/x 2>&1)" "already completing or completed" "a job that is over has no nodes"

# A node whose daemon is away: named, and the file is nowhere.
pid=$(pid_of node-n3)
if [ -n "$pid" ] && kill -STOP "$pid"; then
	like "$(timeout 60 sbcast -t 2 -j "$JOB" text "$TMP/there/stopped" 2>&1)" "REQUEST_FILE_BCAST" \
		"a node that does not answer"
	kill -CONT "$pid"
	comes 0 "nothing is left of it" left there
	absent there/stopped "and the file is on none"
else
	fail "found the daemon of n3"
fi

if [ "$(id -u)" = 0 ] && getent passwd nobody daemon >/dev/null; then
	mkdir small && mount -t tmpfs -o size=1m,mode=1777 none small && trap 'umount "$TMP/small"; finish' EXIT
	sbcast -w n1,n2 -j "$JOB" big "$TMP/small/big" >out 2>&1
	is "$?" 28 "a full disk"
	like "$(cat out)" "REQUEST_FILE_BCAST\(n[12]\): No space left on device" "is said, with the node's name"
	comes "" "and nothing is left behind" ls -A small

	as() { local user=$1; shift; setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups env HOME=/tmp "$@"; }
	install -d -m 700 -o nobody theirs && install -d -m 700 mine && cp text readable && chmod 644 readable
	JOB3=$(cd /tmp && as nobody sbatch --parsable -N2 -o /dev/null --wrap 'sleep 300')
	becomes "$JOB3" RUNNING "another user's job"
	works "it sends files" as nobody sbcast -w n2 -j "$JOB3" readable "$TMP/theirs/file"
	is "$(stat -c '%U %a' theirs/file)" "nobody 644" "that are its user's"
	like "$(as nobody sbcast -j "$JOB3" readable "$TMP/mine/file" 2>&1)" "Permission denied" "not where it may not write"
	like "$(as nobody sbcast -j "$JOB3" readable "$TMP/theirs/../mine/file" 2>&1)" "Permission denied" "nor by a detour"
	ln -s "$TMP/mine" theirs/door
	like "$(as nobody sbcast -j "$JOB3" readable "$TMP/theirs/door/file" 2>&1)" "Permission denied" "nor through a link"
	silent "there is nothing" ls -A mine
	like "$(as daemon sbcast -j "$JOB3" readable /tmp/x 2>&1)" "lookup error: Invalid user id" \
		"a third may not send to its nodes"
	refused "nor to nodes without a job" as daemon sbcast -Z -w n1 readable /tmp/x
	works "root may" sbcast -Z -w n1 readable "$TMP/mine/by-root"
	scancel "$JOB3"
else
	skip 13 "needs root"
fi
