#!/usr/bin/env bash
# srun --pty and salloc on a terminal: its size, its keys, its foreground, and that it is left as it was.
. "$(dirname "$0")/lib.sh"
plan 24
cluster srun --nodes 2
pty="$(cd "$(dirname "$0")/../compat" && pwd)/pty"
cd "$TMP" || exit 1

is "$("$pty" 33 101 -- srun --pty stty size)" "33 101" "the task's terminal has the size of srun's"
said=$("$pty" 24 80 'ready' 'size 40 120' -- \
	srun --pty bash -c 'trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.05; done')
is "${said##*$'\n'}" "40 120" "and follows its changes"
is "$("$pty" 24 80 -- srun --pty sh -c 'test -t 0 && test -t 1 && test -t 2 && tty </dev/tty >/dev/null && echo all')" \
	all "all three streams are the terminal, and it controls the session"
"$pty" 24 80 -- srun --pty sh -c 'exit 7' >/dev/null
is $? 7 "the exit code is the task's"
said=$("$pty" 24 80 ready '\x03' -- \
	srun --pty sh -c 'trap "echo int; exit 9" INT; echo ready; while :; do sleep 0.05; done')
is "$?" 9 "^C is the task's affair"
like "$said" "int" "it gets the signal from its own terminal"
# One process: a child that is stopped between vfork and exec blocks its parent, and the parent cannot be stopped then.
# The process prints a word when it continues: the shell has given it the terminal by then.
cat >loop <<'S'
#!/usr/bin/env python3
import signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGCONT, lambda *_: print("again", flush=True))
print("running", flush=True)
while True:
    signal.pause()
S
chmod +x loop
said=$("$pty" 24 80 '$ ' './loop\n' 'running' '\x1a' 'Stopped' 'fg\n' 'again' '\x03' '$ ' 'exit 4\n' -- \
	srun --pty env TERM=dumb PS1='$ ' bash --norc -i)
is $? 4 "job control works in the task's shell" || echo "# $said"
said=$("$pty" 24 80 -- sh -c 'stty -a >before; srun --pty sh -c "stty raw -echo; true"; stty -a >after
	srun --pty sh -c "kill -9 \$\$"; stty -a >killed')
silent "srun's terminal is as it was" eval "cmp before after && cmp before killed && test -s before"
said=$("$pty" 24 80 -- sh -c 'stty -a >before; srun --pty sleep 60 & sleep 1; kill -TERM $!; wait; stty -a >after')
silent "also when srun is terminated" cmp before after
is "$("$pty" 24 80 -- \
	srun -n 2 -O --pty sh -c 'echo $SLURM_PROCID; out=$(readlink /proc/$$/fd/1); echo "$out" >>who')" 0 \
	"only task 0 is heard"
is "$(sort who | sed 's,pts/.*,pts/N,')" $'/dev/null\n/dev/pts/N' "the other's output goes nowhere"
is "$("$pty" 24 80 -- srun -u sh -c 'test -t 1 && echo out; test -t 2 || echo "not err"')" $'out\nnot err' \
	"-u makes stdout a terminal, and nothing else"
is "$(srun -u printf 'a\nb\n' | od -An -c | tr -d ' \n')" 'a\nb\n' "which changes no byte"
is "$(srun -u stat -c %U /proc/self/fd/1 2>/dev/null || true)" "$(id -un)" "and belongs to the user"

# salloc
said=$("$pty" 24 80 -- salloc sh -c 'ps -o pgid=,tpgid= -p $$ | (read a b; [ $a = $b ] && echo front); exit 3')
is $? 3 "the exit code of salloc's command is salloc's"
like "$said" front "it has the foreground"
said=$("$pty" 24 80 'up-now' '\x03' -- \
	salloc sh -c 'trap "echo int; exit 5" INT; echo up-now; while :; do sleep 0.05; done')
is $? 5 "^C goes to the command, not to salloc"
like "$said" "Relinquishing" "and the allocation is given back"
like "$("$pty" 24 80 -- salloc --bell true)" $'\a' "--bell rings"
lacks $'\a' "no bell unasked" "$pty" 24 80 -- salloc true
"$pty" 24 80 -- sh -c 'stty -a >before; salloc sh -c "stty raw -echo; kill -9 \$\$"; stty -a >after' >/dev/null
silent "the terminal is as it was after a command that was killed" cmp before after
comes "" "nothing is left" squeue -h

# LaunchParameters=use_interactive_step: salloc's shell runs on the first node
"$SPUR" down --dir "$DIR" >/dev/null
conf 2 LaunchParameters=use_interactive_step
cluster interactive --conf "$CONF"
cat >"$PWD/sh" <<'S'
#!/bin/sh
echo "on $SLURMD_NODENAME step $SLURM_STEP_ID"
test -t 0 && echo tty
srun -N 2 echo inner
exit 6
S
chmod +x sh
said=$("$pty" 24 80 -- env SHELL="$PWD/sh" salloc -N 2)
is $? 6 "the shell's exit code is salloc's"
like "$said" "on n1 step 4294967290.*tty.*inner.*inner.*n1: task 0: Exited with exit code 6.*Relinq" \
	"it runs as the interactive step, on a terminal, and starts steps beside itself" || echo "$said"
