#!/usr/bin/env bash
# The streams of a step: whole lines, the tasks that read stdin, readers and tasks that end early, several programs,
# processes that are left behind.
. "$(dirname "$0")/lib.sh"
plan 37
cluster srun --nodes 2
cd "$TMP" || exit 1
head -c 20000000 /dev/urandom >big
sum=$(md5sum <big)

is "$(srun cat <big | md5sum)" "$sum" "20 MB through one task, both ways"
is "$(srun -N 2 -n 2 md5sum <big | sort -u)" "$sum" "the same input for two nodes"
is "$(srun -n 3 -O -i 1 sh -c 'wc -c' <big | sort -n | tr '\n' ' ')" "0 0 20000000 " "or for one task alone"
is "$(srun -n 2 -O -l -i none wc -c </dev/zero | sort)" $'0: 0\n1: 0' "or for none"
is "$(srun -n 8 -O sh -c 'for i in $(seq 200); do printf "%s" "line $SLURM_PROCID "; echo "of $i"; done' |
	awk '/^line [0-7] of [0-9]+$/ { good++; next } { bad++ } END { print good, bad + 0 }')" "1600 0" \
	"lines of several tasks do not mix"
is "$(srun sh -c 'printf a; sleep 0.1; printf b >&2; sleep 0.1; echo c' 2>&1)" $'ac\nb' \
	"a line is shown when it is whole"
# each waits until the one before was seen here
srun -u sh -c 'seen() { until [ "$(cat seen)" = "$1" ]; do sleep 0.02; done; }
	printf a; seen a; printf b >&2; seen ab; echo c' >seen 2>&1
is "$(cat seen)" "abc" "or at once, with -u"
is "$(timeout 60 srun yes 2>err | head -1)" y "a reader that leaves ends the tasks that write"
like "$(cat err)" "Broken pipe" "of a broken pipe, as anywhere"
is "$(timeout 60 srun head -c 1 </dev/zero | wc -c)" 1 "input that no task reads holds up nothing"
timeout 100 srun sh -c 'touch reading; exec sleep 200' </dev/zero 2>err &
await reading 60 ls reading
sleep 1
kill -TERM $!
wait $!
is $? 137 "input that waits does not keep a signal from getting through"

# several programs
printf '0 echo zero %%t %%o\n# none\n1-2 sh -c '"'"'echo "$0" $SLURM_PROCID'"'"' x%%o\n' >conf
is "$(srun -O -l --multi-prog conf | sort)" $'0: zero 0 0\n1: x0 1\n2: x1 2' \
	"--multi-prog counts its tasks and tells each what to run"
is "$(srun -n 3 -O --multi-prog conf extra 2>&1 | sort | head -1)" "x0 1" "arguments of the command line follow"
printf '0 echo a\n' >conf
like "$(srun -n 2 -O --multi-prog conf 2>&1)" "no record for task id 1" \
	"a task without a program is refused before anything runs"

# left behind
before=$(date +%s)
is "$(srun sh -c '(sleep 0.5; echo late) & echo done')" $'done\nlate' "a process that holds the output is waited for"
is "$(srun sh -c 'sleep 200 >/dev/null 2>&1 & echo done')" "done" "a process that does not is not waited for"
is "$(srun --wait-for-children sh -c '(sleep 0.7; touch late) >/dev/null 2>&1 & echo done'; ls late)" $'done\nlate' \
	"unless --wait-for-children says so"
is "$(( $(date +%s) - before < 150 ))" 1 "none of this took long"

# around the step
printf '#!/bin/sh\necho "$SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID"\nexit ${RC:-0}\n' >hook
chmod +x hook
is "$(srun --prolog="$PWD/hook" --epilog="$PWD/hook" echo main | cut -d' ' -f1 | tr '\n' ' ')" \
	"prolog_srun main epilog_srun " "--prolog and --epilog run around the step"
said=$(RC=3 srun --prolog="$PWD/hook" touch ran 2>&1)
is "$?" 1 "a prolog that fails ends it"
like "$said" "srun prolog failed rc = 3" "which is said"
absent ran "and nothing runs"
printf '#!/bin/sh\necho "$0"\n' >prog
chmod +x prog
is "$(srun -N 2 --bcast="$PWD/copy" ./prog | sort -u)" "$PWD/copy" "--bcast copies the program and runs the copy"
is "$(SLURM_NTASKS=5 srun -n 2 -O -E sh -c 'echo $SLURM_NTASKS' | sort -u)" 5 "-E passes counts through"

# endings
srun -n 2 -O sh -c '[ $SLURM_PROCID = 1 ] && exit 200; kill -9 $$' >/dev/null 2>&1
is $? 137 "to be killed is worse than any exit code"
said=$(srun -n 2 -O -K sh -c '[ $SLURM_PROCID = 0 ] && exit 5; exec sleep 200' 2>&1)
is $? 143 "-K ends the others"
like "$said" "DUE TO TASK FAILURE" "and the node says why"
said=$(srun --ignore-signals=TERM sh -c 'touch deaf; until [ -e go ]; do sleep 0.05; done; echo done' &
	await deaf 60 ls deaf; kill -TERM $!; sleep 0.5; touch go; wait $!)
is "$said" "done" "--ignore-signals"
for bad in KILL foo; do refused "--ignore-signals=$bad is refused" srun --ignore-signals=$bad true; done
rm -f err
srun -n 2 -O sh -c 'touch up.$SLURM_PROCID; exec sleep 200' 2>err &
await yes 60 eval '[ -e up.0 ] && [ -e up.1 ] && echo yes'
sleep 1
kill -INT $!
await yes 60 eval 'grep -q "one more within 1 sec" err && echo yes'
kill -INT $!
wait $!
is $? 130 "^C twice ends the step"
like "$(cat err)" "one more within 1 sec.*tasks 0-1: running.*sending Ctrl-C.*forcing job termination" \
	"after telling how it stands"

# salloc
salloc sh -c 'touch up; sleep 2; echo on >on' >out 2>&1 &
pid=$!
await up 60 ls up
scancel -u "$(id -un)"
wait $pid
is "$? $(cat on)" "0 on" "a command outlives its allocation"
like "$(cat out)" "has been revoked" "which salloc tells at once"
rm up
salloc -K sh -c 'touch up; exec sleep 60' >out 2>&1 &
pid=$!
await up 60 ls up
scancel -u "$(id -un)"
wait $pid
is $? 1 "-K ends the command with it"
rm up
salloc sh -c 'touch up; exec sleep 60' >out 2>&1 &
pid=$!
await up 60 ls up
kill -HUP $pid
wait $pid
is $? 1 "a hangup ends command and allocation"
comes "" "nothing is left" squeue -h
