# slow: a step's and an allocation's time limit, what srun and salloc say.
salloc -t 1 sh -c 'srun sh -c "trap : TERM; sleep 100 & wait; exec sleep 100"; echo "srun said $?"; sleep 3' \
	>alloc.out 2>&1 &
in_alloc -n 1 <<'S'
(srun -t 1 sleep 100; echo "= $?") >step.out 2>&1
S
LC_ALL=C sort step.out
wait
LC_ALL=C sort alloc.out
mask_steps
mask_nodes
