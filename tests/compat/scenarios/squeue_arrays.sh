# Arrays in squeue: folded, unfolded, chosen by task.
sub -J arr --array=1-4 -H --wrap true
a=$JOB
show squeue
show squeue -r
show squeue -a -r -h
show squeue -h -o '%i %F %K %A %j'
show squeue -h -r -o '%i %F %K %j'
show squeue -h -j "${a}_2" -o '%i %K'
show squeue -h -r -j "${a}_2,${a}_3" -o '%i %K'
show squeue -h -r -j "${a}_[1-2]" -o '%i %K'
show squeue -h -r -j "${a}_9" -o '%i %K'
show squeue -h -O jobarrayid,arrayjobid,arraytaskid
sub -J lst --array=1,5,7-9,20-30:5%3 -H --wrap true
show squeue -h -j "$JOB" -o '%i|%K'
show squeue -h -r -j "$JOB" -o '%i|%K'
sub -J big --array=0-999 -H --wrap true
show squeue -h -j "$JOB" -o '%i|%K'
sub -J ragged --array=1,3,4,6,8,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53 -H --wrap true
show squeue -h -j "$JOB" -o '%i|%K'
show env SLURM_BITSTR_LEN=10 squeue -h -j "$JOB" -o '%i|%K'
show env SLURM_BITSTR_LEN=0 squeue -h -j "$JOB" -o '%i|%K'
show env SQUEUE_ARRAY=1 squeue -h -j "$a" -o '%i'
