# A suspended job lends its share of a core, too.
scene shared
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
table
scontrol suspend "$a"
job c -p two -w n1 -n 8
table
scontrol resume "$a"
job d -p two -w n1 -n 1
table
