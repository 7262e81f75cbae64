# Where nothing is shared no job takes turns.
scene plain
job a -w n1 -n 8
job b -w n1 -n 8
table
scene asked
job a -p yes -w n1 -n 8 -s
job b -p yes -w n1 -n 8 -s
job c -p yes -w n1 -n 8
table
