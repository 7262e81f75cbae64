# --pty in an allocation; with several tasks, -l, a shell, its exit code.
p() { "$COMPAT/pty" "$@"; echo "= $?"; }
say in salloc
p 30 90 -- salloc -Q -n 2 srun --pty sh -c 'echo $SLURM_PROCID of $SLURM_NTASKS; stty size'
say from the shell of salloc
p 24 80 -- salloc -Q sh -c 'srun --pty sh -c "exit 6"; echo "said $?"'
say stderr is the terminal too
p 24 80 -- srun --pty sh -c 'echo err >&2; ls /nosuch-file 2>/dev/null; echo out'
say killed
p 24 80 -- srun --pty sh -c 'kill -9 $$'
say a program that does not exist
p 24 80 -- srun --pty nosuchprogram
say with a label
p 24 80 -- srun --pty -l echo x
say to a file
p 24 80 -- srun --pty -o out.txt echo x
cat out.txt
mask_steps
mask_nodes
mask '/^(0: )?\^\[/d'
