# Partitions of several kinds on the same nodes.
scene sharing beside not sharing
job a -p main -w n1 -n 2
job b -p two -w n1 -n 2
table
scene not sharing beside sharing
job a -p two -w n1 -n 2
job b -p main -w n1 -n 2
table
scene not sharing beside once
job a -p one -w n1 -n 2
job b -p main -w n1 -n 2
table
scene two that share
job a -p two -w n1 -n 8
job b -p three -w n1 -n 8
job c -p two -w n1 -n 8
job d -p three -w n1 -n 8
job e -p three -w n1 -n 8
job f -p three -w n1 -n 8
table
scene two that share, with room
job a -p two -w n1 -n 4
job b -p three -w n1 -n 4
job c -p three -w n1 -n 4
table
cores a b c
