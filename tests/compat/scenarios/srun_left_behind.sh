# Children that a task leaves behind: one that holds the output holds srun, the others do not.
show srun sh -c '(sleep 0.6; echo late) & echo done'
show srun sh -c 'sleep 5 >/dev/null 2>&1 & echo done'
show srun -n 2 sh -c 'sleep 5 >/dev/null 2>&1 & echo done'
in_batch <<'S'
sleep 5 &
srun sh -c 'sleep 5 >/dev/null 2>&1 & echo step done'
echo batch done
S
