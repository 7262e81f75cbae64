# salloc with a command: what it says, the exit code, and that the allocation is gone after.
show salloc true
show salloc sh -c 'exit 5'
show salloc -Q echo quiet
show salloc sh -c 'echo $SLURM_JOB_NUM_NODES $SLURM_JOB_NODELIST'
show salloc -N 2 -J mine sh -c 'squeue -h -o "%j %t %D"'
show salloc nosuchcommand
show salloc /nosuch/command
show salloc sh -c 'kill -9 $$'
show salloc sh -c 'kill -TERM $$'
show salloc --bell true
show salloc --no-bell true
show salloc -v -Q true
show squeue -h
show_keys 'JobState|ExitCode|Command|JobName' scontrol show job "$(squeue -h -t all -o %A | sort -n | tail -1)"
mask '/salloc: (debug|launch|select|cons_tres|NODE|defined options|---|---|.*: *set|jobid|verbose|quiet)/d; /^! salloc: *[a-z-]+ +: /d; /^! salloc: -+/d'
mask '/has been revoked/d'
