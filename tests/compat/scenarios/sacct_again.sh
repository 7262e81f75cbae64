# Records of jobs that ran more than once, that lost their node, that were suspended, and those of another user.
tick() { local s; s=$(date +%s); while [ "$(date +%s)" = "$s" ]; do command sleep 0.05; done; }
batch() { sub -o /dev/null "$@"; }
as_games() { setpriv --reuid=games --regid=games --clear-groups env -u HOME "$@"; }

batch -J again --requeue -w n1 --wrap 'sleep 900'; AGAIN=$JOB
wait_state "$AGAIN" RUNNING; tick; scontrol requeuehold "$AGAIN"; wait_state "$AGAIN" PENDING; tick
batch -J lost --no-requeue -w n4 --wrap 'sleep 900'; LOST=$JOB
wait_state "$LOST" RUNNING; tick
scontrol update NodeName=n4 State=DOWN Reason=test; wait_end "$LOST"; scontrol update NodeName=n4 State=RESUME
batch -J paused -w n2 --wrap 'sleep 2'; PAUSED=$JOB
wait_state "$PAUSED" RUNNING; scontrol suspend "$PAUSED"; tick; tick; scontrol resume "$PAUSED"; wait_end "$PAUSED"
chmod 777 .
GAMES=$(as_games sbatch --parsable -J playing -o /dev/null --wrap 'srun true'); wait_end "$GAMES"
scontrol update JobId="$PAUSED" AdminComment=seen 2>/dev/null
pause; pause

printf '== attempts\n'
show sacct -X -j "$AGAIN" -o jobid,jobname,state,restarts
show sacct -X -D -j "$AGAIN" -o jobid,jobname,restarts
show sacct -X --duplicates --name=again -o jobid,restarts,nnodes
printf '== a lost node\n'
show sacct -X -j "$LOST" -o jobid,state,failednode,nodelist,restarts
show sacct -X -s NF --name=lost -S now-1hours -E now -o jobid,state
printf '== suspended\n'
show sacct -X -j "$PAUSED" -o jobid,state,exitcode
show sacct -n -X -P -j "$PAUSED" -o suspended,elapsed
printf '== another user\n'
show sacct -j "$GAMES" -o jobid,user,uid,group,account
show sacct -X -u games --name=playing -o jobid,user
show sacct -X -u games,root --name=playing,paused -o jobid,user
show sacct -X -g games --name=playing -o jobid,group
show as_games sacct -X --name=playing,paused -o jobid,user
show as_games sacct -X -a --name=playing,paused -o jobid,user
show as_games sacct -X -u root --name=playing,paused -o jobid,user
show as_games sacct -X -j "$PAUSED" -o jobid,user
show as_games sacct -X -a -j "$PAUSED" -o jobid,user
