# salloc's own shell, fed by a script or a terminal; a signal to salloc.
show_in 'echo "in $SLURM_JOB_NUM_NODES"; srun hostname >/dev/null && echo ran; exit 4' salloc -N 2
show_in 'exit' salloc -Q
say on a terminal
"$COMPAT/pty" 24 80 '# ' 'echo job $SLURM_JOB_NAME\n' 'interactive' '' '# ' 'exit 3\n' -- salloc
echo "= $?"
say a command on a terminal
"$COMPAT/pty" 24 80 'name?' 'me\n' -- salloc sh -c 'echo "name?"; read x; echo "hello $x"; tty >/dev/null && echo a tty'
echo "= $?"
say a signal to salloc
salloc -J mine sh -c 'touch up; exec sleep 6' >out 2>err &
pid=$!
until [ -e up ]; do sleep 0.05; done
kill -TERM $pid
wait $pid
echo "= $?"
cat out err
mask 's/^.*@[^#]*# /PROMPT /'
