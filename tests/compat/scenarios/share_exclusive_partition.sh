# A partition that gives whole nodes.
scene two jobs
job a -p alone -w n1 -n 1
job b -p alone -w n1 -n 1
table
show squeue -h -j "$a" -o '%h %C'
show_keys 'OverSubscribe|Exclusive|NumCPUs|AllocTRES' scontrol show job "$a"
scene beside others
job a -w n1 -n 1
job b -p alone -w n1 -n 1
job c -p alone -w n2 -n 1
job d -w n2 -n 1
table
