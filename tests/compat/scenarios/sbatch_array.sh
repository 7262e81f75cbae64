# Arrays: what runs, what each task sees, forms and refusals of --array.
show sbatch --array=1-3 -J arr -o '%A_%a.txt' --wrap 'echo "$SLURM_ARRAY_JOB_ID" "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT" "$SLURM_ARRAY_TASK_MIN" "$SLURM_ARRAY_TASK_MAX" "$SLURM_ARRAY_TASK_STEP"'
JOB=$(sed 's/.* //' "$QUIET.out")
wait_end "$JOB"
for i in 1 2 3; do show_file "${JOB}_$i.txt"; done
show squeue -h -t all -r -j "$JOB" -S i -o '%F_%K %T'
for form in 5 0 1,2 1-5 1-10:3 1,3-5,9 0-6:2%2 1-2%1 1-1 5-3 1-2,2-3 1001 1000 0-1000 -1 1- a 1-3:0 1-3%0 '' ' 1' \
	1,,2 '[1-3]' 1-3x; do
	show sbatch -H --parsable --array="$form" --wrap true
	[ "$rc" != 0 ] || { JOB=$(cat "$QUIET.out"); squeue -h -j "$JOB" -o '  %i'; scancel "$JOB"; }
done
show sbatch --parsable --array=1-2%1 --wrap 'sleep 30'
JOB=$(cat "$QUIET.out")
for i in $(seq 1200); do squeue -h -j "$JOB" -o %T | grep -q RUNNING && break; sleep 0.05; done
show squeue -h -j "$JOB" -S i -o '%i %T %r'
