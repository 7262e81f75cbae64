# --no-shell: an allocation without a command, used from outside, ended by scancel.
show salloc --no-shell -N 2 -J kept
JOB=$(job_named kept)
show squeue -h -o '%j %t %D'
show_unordered srun --jobid="$JOB" sh -c 'echo $SLURMD_NODENAME $SLURM_JOB_NAME'
show srun --jobid="$JOB" -N 1 -n 1 echo one
show_keys 'JobState|NumNodes|BatchFlag|Command' scontrol show job "$JOB"
show scancel "$JOB"
wait_end "$JOB"
show_keys 'JobState|ExitCode' scontrol show job "$JOB"
show srun --jobid="$JOB" true
show srun --jobid=99999 true
show salloc --no-shell -N 1 true
