# srun inside a batch job: steps, their environment and exit code.
file job.sh <<'S'
#!/bin/bash
srun echo one step
srun -l sh -c 'echo "$SLURM_STEP_ID $SLURM_PROCID"' | LC_ALL=C sort
srun -n 1 sh -c 'exit 4'
echo "step said $?"
srun -N 1 -n 1 sh -c 'echo $SLURM_NNODES $SLURM_NTASKS $SLURM_STEP_NUM_TASKS $SLURM_STEP_NUM_NODES'
srun -n 99 true
echo "too many said $?"
squeue -h -s -j "$SLURM_JOB_ID" -o '%i %j' | LC_ALL=C sort
exit 6
S
run_job -n 2 -N 2 -o out.txt job.sh
show_file out.txt
show_keys 'JobState|ExitCode' scontrol show job "$JOB"
