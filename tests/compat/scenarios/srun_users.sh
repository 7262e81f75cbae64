# An ordinary user's srun: the task's user, the owner of its files, what it may not.
chmod 777 .
mkdir -m 700 closed
as() { setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games LOGNAME=games "$@"; }
show as srun sh -c 'id -u; id -g; id -G'
show as srun -o hers.txt sh -c 'echo mine'
stat -c '%U %G %a' hers.txt
show_unordered as srun -o closed/x echo x
show_unordered as srun -D "$PWD/closed" pwd
show_unordered as srun -i closed/in cat
show as srun --mem=100 --nice=-5 true
show as salloc -Q sh -c 'id -un; srun id -un'
sub -o /dev/null --wrap 'sleep 20'
wait_state "$JOB" RUNNING
show as srun --jobid="$JOB" id -un
show as scancel "$JOB.batch"
mask_steps
mask_nodes
