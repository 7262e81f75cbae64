#!/usr/bin/env bash
# sattach: one more client at a step's streams, for its owner; the step does not notice.
. "$(dirname "$0")/lib.sh"
plan 19
cluster sattach --nodes 2
cd "$TMP" || exit 1
mkfifo tell

cat >step.sh <<'S'
#!/bin/bash
touch up.$SLURM_PROCID
until [ -e go ]; do echo beat; sleep 0.05; done
echo "out $SLURM_PROCID"; echo "err $SLURM_PROCID" >&2
until [ -e stop ]; do sleep 0.05; done
exit $((SLURM_PROCID + 3))
S
chmod +x step.sh
begin() {
	rm -f go stop up.*
	srun -N2 -n2 -l --input=none ./step.sh >srun.out 2>&1 &
	await yes 20 eval '[ -e up.0 ] && [ -e up.1 ] && echo yes'
	STEP=$(squeue -h -s -o %i | grep '\.0$' | tail -n 1)
}
begin
like "$(sattach --layout "$STEP")" "2 tasks, 2 nodes \(n\[1-2\]\)" "--layout: how many, and where"
is "$(sattach --layout "$STEP" | grep -c "Node [01] (n[12]), 1 task(s): [01] $")" 2 "and which"
sattach -l "$STEP" >out 2>err </dev/null & first=$!
sattach --output-filter=1 "$STEP" >out2 2>err2 </dev/null & second=$!
(sattach "$STEP" >out3 2>&1 </dev/null & echo $! >third
	until_is yes 60 eval 'grep -q beat out3 && echo yes'; kill "$(cat third)")
# an sattach that prints the beats is attached to that task, and will print what follows them
heard() { grep -q '^0: beat' out && grep -q '^1: beat' out && grep -q '^beat' out2 && echo all; }
await all 60 heard
touch go
comes "0: out 0,1: out 1" "its output, with labels" eval "grep -v beat out | sort | paste -sd, -"
comes "out 1" "--output-filter: one task" eval "grep -v beat out2"
kill -9 $second; wait $second 2>/dev/null
touch stop
wait $first
is "$?" 4 "its exit status is the highest of the tasks'"
is "$(sort err | paste -sd, -)" \
	"0: err 0,1: err 1,$(printf 'sattach: error: task %d exited with exit code %d\n' 0 3 1 4 | paste -sd, -)" \
	"and what went wrong is said"
wait
is "$(grep -c 'out' srun.out)" 2 "srun saw it all, too"

# Input: from srun, and from an sattach.
exec 9<>tell
srun -n1 bash -c 'touch up.in; while read -r x; do echo "got $x"; [ "$x" != end ] || exit 5; done' >srun.out 2>&1 <&9 &
await yes 20 eval '[ -e up.in ] && echo yes'
STEP=$(squeue -h -s -o %i | grep '\.0$' | tail -n 1)
printf 'one\n' | sattach "$STEP" >out 2>&1 &
typist=$!
comes "got one" "what is typed is read" cat out
sleep 0.5
is "$(squeue -h -s -o %i | grep -cx "$STEP")" 1 "and the end here is not the end there"
kill "$typist"
printf 'end\n' | timeout 60 sattach "$STEP" >out 2>&1
is "$?" 5 "until the step ends"
wait
exec 9>&-

for bad in 99999.0 "$STEP" 1; do refused "$bad is no step to attach to" timeout 10 sattach "$bad"; done
like "$(sattach --pty --input-filter=1 1.0 2>&1)" "both --pty and I/O filtering" "--pty has no filters"
JOB=$(sbatch --parsable -o /dev/null --wrap 'sleep 100')
like "$(sattach "$JOB.batch" 2>&1)" "Cannot be used with extern or batch" "a batch script has no streams"
scancel "$JOB"

if [ "$(id -u)" = 0 ] && getent passwd nobody daemon >/dev/null; then
	begin
	as() { local user=$1; shift; setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env HOME=/tmp "$@"; }
	as nobody timeout 10 sattach "$STEP" >out 2>&1 </dev/null
	is "$?" 1 "another user is refused"
	like "$(cat out)" "Node n1: Invalid user id" "by name"
	touch go stop
	wait
	lacks "out|beat" "and saw nothing" cat out
else
	skip 3 "needs root"
fi
comes 0 "no socket is left" eval \
	"find /tmp -maxdepth 1 -user '$(id -un)' -newer '$TMP/tell' -name 'spur-sattach*' | wc -l"
