# Partitions that share, of different tiers, and no preemption.
scene the lower one second
job a -p high -w n1 -n 8
job b -p two -w n1 -n 8
table
scene the higher one second
job a -p two -w n1 -n 8
job b -p high -w n1 -n 8
job c -p two -w n1 -n 8
table
scene room beside
job a -p high -w n1 -n 4
job b -p two -w n1 -n 4
job c -p two -w n1 -n 4
job d -p two -w n1 -n 4
table
cores a b c
