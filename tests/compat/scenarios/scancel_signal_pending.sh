# slow: a signal to a job that does not run yet; Slurm's scancel tries again for a minute and a half.
sub -H --wrap true
show scancel -s USR1 "$JOB"
show squeue -h -j "$JOB" -o %T
