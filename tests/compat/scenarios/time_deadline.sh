# Deadlines, and limits that may be lowered.
scene too near
show sbatch --deadline=now+10 -t 1 --wrap true
scene it cannot be met any more
sub -N4 --exclusive -t 10 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub --deadline=now+70 -t 1 --exclusive --wrap true
wait_state "$JOB" DEADLINE 30
show_keys 'JobState|Reason|ExitCode' scontrol show job "$JOB"
scene a limit that is lowered
sub -N3 --exclusive -t 10 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub -N4 --exclusive -t 10 --wrap true
sub -N1 --exclusive -t 20 --time-min=3 --wrap 'sleep 300'
wait_state "$JOB" RUNNING 30
squeue -h -j "$JOB" -o %l | sed 's/9:00/10:00/'
scene one that is not
sub -N3 --exclusive -t 10 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub -N4 --exclusive -t 10 --wrap true
sub -N1 --exclusive -t 20 --time-min=15 --wrap 'sleep 300'
pause
squeue -h -j "$JOB" -o "%t %r"
scene more than the limit
show sbatch -t 5 --time-min=10 --wrap true
