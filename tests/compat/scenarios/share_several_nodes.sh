# Jobs of several nodes in a partition that shares.
scene all, all, half
job a -p two -N4 -n 32
job b -p two -N4 -n 32
job c -p two -N2 -n 2
table
scene parts
job a -p two -N2 -n 16
job b -p two -N3 -n 24
job c -p two -N3 -n 24
job d -p two -N4 -n 4
table
