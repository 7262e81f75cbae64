# scontrol show job for arrays, dependencies, held and missing jobs; several at once; details.
sub -J arr --array=1-5:2%1 -H --wrap true
a=$JOB
show scontrol show job "$a"
show scontrol -o show job "${a}_3"
sub -J dep -d afterok:"$a",afterany:"$a" --wrap true
show_keys 'JobId|JobState|Reason|Dependency' scontrol show job "$JOB"
sub -J late --begin=now+1hour --deadline=now+2hours -t 10 --wrap true
show_keys 'JobId|JobState|Reason|TimeLimit|Deadline|StartTime|EligibleTime|EndTime' scontrol show job "$JOB"
show scontrol show job 999999
show scontrol show job nosuch
show scontrol show jobs "${a}_9"
show scontrol show job "$a,$JOB"
file job.sh <<'S'
#!/bin/sh
#SBATCH -J from_file
sleep 30
S
sub -n 2 -t 10 job.sh with args
wait_state "$JOB" RUNNING
show scontrol show job "$JOB"
show scontrol -d show job "$JOB"
show scontrol -dd show job "$JOB"
show scontrol write batch_script "$JOB" -
show scontrol write batch_script "$JOB"
show_file "slurm-$JOB.sh"
show scontrol show step "$JOB"
mask 's/UserIndex=[0-9]+ //'
