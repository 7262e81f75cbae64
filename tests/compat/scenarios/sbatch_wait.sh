# sbatch --wait: its exit code is the job's.
show sbatch -W --wrap true
show sbatch --wait --wrap 'kill -9 $$'
show sbatch --wait --array=1-3 --wrap 'exit $SLURM_ARRAY_TASK_ID'
(job_named waited >/dev/null; sleep 0.6; scancel -n waited) &
show sbatch --wait -J waited --begin=now+1hour --wrap true
