# Whole nodes.
scene plain
job a -n 1
job b -n 9
job c -w n1 -n 1
table
show_keys 'NumCPUs|AllocTRES|OverSubscribe|Exclusive' scontrol show job "$a"
scene shared
job a -p two -w n1 -n 1
job b -p two -w n1 -n 8
job c -p two -w n1 -n 1
table
scene asked
job a -p yes -w n1 -n 1 -s
job b -p yes -w n1 -n 1 -s
job c -p yes -w n1 -n 1
job d -p yes -w n2 -n 1
table
