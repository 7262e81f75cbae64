# --pty: a terminal for task 0, its size, the exit code, typed words.
p() { local n=$#; "$COMPAT/pty" "$@"; echo "= $?"; }
say the size
p 33 101 -- srun --pty stty size
say a tty on all three
p 24 80 -- srun --pty sh -c 'test -t 0 && test -t 1 && test -t 2 && echo tty'
say the exit code
p 24 80 -- srun --pty sh -c 'exit 7'
say typed words
p 24 80 'name?' 'peter\n' -- srun --pty sh -c 'echo "name?"; read x; echo "hello $x"'
say an interrupt typed
p 24 80 'ready' '\x03' -- srun --pty sh -c 'trap "echo int; exit 9" INT; echo ready; while :; do sleep 0.1; done'
say end of file typed
p 24 80 'ready' '\x04' -- srun --pty sh -c 'echo ready; cat; echo done'
say a window that grows
p 24 80 'ready' 'size 40 120' -- srun --pty bash -c \
	'trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.1; done'
say two tasks
p 24 80 -- srun -n 2 --pty sh -c 'echo $SLURM_PROCID'
say without a terminal
show srun --pty echo x
p 24 80 -- srun --pty sh -c 'echo $TERM $SLURM_PTY_WIN_ROW $SLURM_PTY_WIN_COL'
mask_steps
