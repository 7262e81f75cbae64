# A job's record with steps; its exit code is the script's, DerivedExitCode the highest of the steps.
in_batch -n 2 <<'S'
srun -n 1 sh -c 'exit 4'
srun -n 1 sh -c 'exit 9'
srun -n 1 sh -c 'kill -9 $$'
exit 2
S
show_keys 'JobState|ExitCode|Reason|Restarts' scontrol show job "$JOB"
in_batch <<'S'
srun sh -c 'exit 3'
true
S
show_keys 'JobState|ExitCode' scontrol show job "$JOB"
srun -J alone sh -c 'exit 6' 2>/dev/null
JOB=$(squeue -h -t all -n alone -o %A | sort -n | tail -1)
wait_end "$JOB"
show_keys 'JobState|ExitCode|Reason|Command' scontrol show job "$JOB"
scontrol show job "$JOB" | grep -c DerivedExitCode
mask_steps
mask_nodes
