# FORCE:1: no sharing within the partition.
scene once
job a -p one -w n1 -n 8
job b -p one -w n1 -n 1
table
scene beside another of its tier
job a -p two -w n1 -n 8
job b -p one -w n1 -n 8
job c -p one -w n1 -n 8
table
