# What a suspended job looks like.
scene shown
job a -w n1 -n 2 -t 10
table
scontrol suspend "$a"
show squeue -h -j "$a" -o '%t %Q %r %l'
show_keys 'JobState|Priority|Reason|TimeLimit|NumCPUs' scontrol show job "$a"
show scontrol update jobid="$a" timelimit=20
show scontrol requeue "$a"
table
