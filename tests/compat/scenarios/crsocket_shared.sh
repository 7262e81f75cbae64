# Sockets are given, and shared.
scene twice
job a -p two -w n1 -n 1
job b -p two -w n1 -n 1
job c -p two -w n1 -n 1
job d -p two -w n1 -n 1
job e -p two -w n1 -n 1
table
cores a b c d
