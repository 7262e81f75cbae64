# srun when nothing is free: --immediate, waiting, what is said; cancelled while it waits.
sub -N 4 --exclusive -o /dev/null --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show srun -I true
show srun --immediate=1 true
srun -J waits true >out 2>&1 &
pid=$!
W=$(job_named waits)
until grep -q queued out; do sleep 0.05; done
show squeue -h -j "$W" -o '%j %t'
scancel "$W"
wait $pid
echo "= $?"
cat out
srun -J waits echo it ran >out 2>&1 &
pid=$!
W=$(job_named waits)
until grep -q queued out; do sleep 0.05; done
scancel "$JOB"
wait $pid
echo "= $?"
LC_ALL=C sort out
mask '/Force Terminated/d; /has been revoked/d'
mask 's/J00[0-9]/JOB/g'
