# CPUs are given, and shared.
scene twice
job a -p two -w n1 -n 5
job b -p two -w n1 -n 5
job c -p two -w n1 -n 5
job d -p two -w n1 -n 2
table
