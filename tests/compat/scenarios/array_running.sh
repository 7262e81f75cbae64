# An array half way: some tasks run, some wait, some are done; folded and unfolded.
sub -J arr --array=1-6%2 -o /dev/null --wrap '[ "$SLURM_ARRAY_TASK_ID" = 1 ] || sleep 300'
a=$JOB
for i in $(seq 1200); do
	[ "$(squeue -h -r -j "$a" -t R -o %K | LC_ALL=C sort | paste -sd,)" = 2,3 ] && break
	sleep 0.05
done
wait_reason "${a}_4" JobArrayTaskLimit
show squeue -h -S i -o '%i %T %r' -j "$a"
show_unordered squeue -h -r -o '%F_%K %T' -j "$a"
show_unordered squeue -h -r -t all -o '%F_%K %T' -j "$a" 
show_keys 'ArrayJobId|ArrayTaskId|JobState|ArrayTaskThrottle' scontrol show job "${a}_2"
show_keys 'ArrayJobId|ArrayTaskId|JobState|ArrayTaskThrottle' scontrol show job "${a}_1"
scontrol update JobId="$a" ArrayTaskThrottle=3 2>/dev/null
for i in $(seq 1200); do
	[ "$(squeue -h -r -j "$a" -t R -o %K | LC_ALL=C sort | paste -sd,)" = 2,3,4 ] && break
	sleep 0.05
done
show_unordered squeue -h -r -t R -o '%F_%K %T' -j "$a"
show scancel "${a}_[5-6]"
show_unordered squeue -h -r -o '%F_%K %T' -j "$a"
