#!/usr/bin/env bash
# queries: many clients read at once while jobs come and go: each reply is complete, is not older than its request and
# holds only what was asked for.
. "$(dirname "$0")/lib.sh"
plan 8
cluster queries --nodes 8 --emulate
printf '#!/bin/sh\ntrue\n' >"$TMP/job.sh"

for i in $(seq 150); do
	sbatch -Q -H -o /dev/null -J "held-$i" "$TMP/job.sh" >/dev/null || echo "# held-$i was refused"
done
is "$(squeue -h | wc -l)" 150 "a single client sees all jobs"

# ---- many clients, and one that changes the queue all the time ----

# look N: what each kind of reader sees, in its own file
look() {
	case $(($1 % 4)) in
	0 | 1) squeue -h -o %j ;;
	2) squeue -h -t R,CG -o %j ;;
	3) squeue -h -u nobody -o %j && sinfo -h -N -o %N ;;
	esac >"$TMP/seen.$1" 2>&1
	echo $? >"$TMP/status.$1"
}
# Jobs come and go until the file is gone.
churn() {
	local id
	while [ -e "$TMP/go" ]; do
		id=$(sbatch --parsable -o /dev/null -J churn --array=1-20 "$TMP/job.sh")
		scancel "$id"
	done
}
touch "$TMP/go"
churn &
churned=$!
# A client sees its own change at once, however many other clients ask the same.
mine() {
	local i id missed=0 stale=0
	for i in $(seq 12); do
		id=$(sbatch --parsable -H -o /dev/null -J mine "$TMP/job.sh")
		squeue -h -o %i | grep -qx "$id" || missed=$((missed + 1))
		scancel "$id"
		squeue -h -o %i | grep -qx "$id" && stale=$((stale + 1))
	done
	echo "missed=$missed stale=$stale" >"$TMP/mine"
}
mine &
pids=$!
for i in $(seq 0 59); do
	look "$i" &
	pids+=" $!"
done
# shellcheck disable=SC2086 # a list of words
wait $pids
rm "$TMP/go"
wait $churned

bad=0 short=0 strangers=0 nodes=0
for i in $(seq 0 59); do
	[ "$(cat "$TMP/status.$i")" = 0 ] || bad=$((bad + 1))
	case $((i % 4)) in
	0 | 1) [ "$(grep -cx 'held-[0-9]*' "$TMP/seen.$i")" = 150 ] || short=$((short + 1)) ;;
	2) grep -q held "$TMP/seen.$i" && strangers=$((strangers + 1)) ;;
	3) [ "$(paste -sd, "$TMP/seen.$i")" = n1,n2,n3,n4,n5,n6,n7,n8 ] || nodes=$((nodes + 1)) ;;
	esac
done
is "$bad" 0 "sixty at once: all are answered"
is "$short" 0 "a query for all jobs shows all"
is "$strangers" 0 "a query for running jobs shows no other"
is "$nodes" 0 "a query for a user without jobs shows none, and sinfo shows the nodes"
is "$(cat "$TMP/mine")" "missed=0 stale=0" "a client that submitted or cancelled a job sees that at once"
comes 150 "in the end the untouched jobs are left" bash -c 'squeue -h | wc -l'

# ---- what is counted ----
like "$(sdiag | grep -w JOBS)" 'count:[1-9]' "the questions are counted"
