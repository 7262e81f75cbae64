# The order in which waiting jobs start: priority, then age; small ones may pass when they delay no other job.
sub -J fill -N 4 --exclusive -t 5 --wrap 'sleep 300'
fill=$JOB
wait_state "$fill" RUNNING
for p in 10 30 20; do sub -J "p$p" -N 4 --exclusive -t 5 --priority=$p --wrap 'echo $SLURM_JOB_NAME >>order'; done
sub -J low -N 4 --exclusive -t 5 --priority=5 --nice=3 --wrap "echo low >>order"
low=$JOB
show squeue -h -S -p -o '%j %Q %y' -t PD
show_keys 'Priority|Nice' scontrol show job "$low"
scancel "$fill"
wait_end "$low" 30
cat order
