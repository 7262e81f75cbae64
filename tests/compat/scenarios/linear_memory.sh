# Whole nodes, and memory that is counted.
scene memory
job a -p two -w n1 -n 1 --mem=3000
job b -p two -w n1 -n 1 --mem=2000
job c -p two -w n1 -n 1 --mem=1000
table
scene suspended
job a -w n1 -n 1
table
scontrol suspend "$a"
job b -w n1 -n 1
table
