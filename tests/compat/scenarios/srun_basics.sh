# srun on its own: output, exit codes, several tasks, labels.
show srun true
show srun echo hello
show srun sh -c 'exit 3'
show srun sh -c 'echo out; echo err >&2'
show_unordered srun nosuchcommand
show srun -n 2 echo two
show_unordered srun -N 2 sh -c 'echo $SLURMD_NODENAME' 
show_unordered srun -n 4 -l echo x
show_unordered srun -N 2 -l sh -c 'echo line1; echo line2'
show_unordered srun -n 3 sh -c 'exit $SLURM_PROCID'
show_in 'some words' srun cat
show srun -w n3 sh -c 'echo $SLURMD_NODENAME'
show srun -J named sh -c 'echo $SLURM_JOB_NAME'
show srun -p short sh -c 'echo $SLURM_JOB_PARTITION'
show srun -c 2 sh -c 'echo $SLURM_CPUS_PER_TASK'
show srun -Q sh -c 'exit 2'
show srun -D /tmp pwd
show srun
show srun --nosuch true
show srun -p nosuch true
show srun -n 0 true
show srun -V
show squeue -h
mask 's/error: n[1-4]: task/error: N: task/; s/task(s:)? [0-9-]+/task\1 N/; s/^(! srun: (Terminating|StepId).*)$/\1/'
