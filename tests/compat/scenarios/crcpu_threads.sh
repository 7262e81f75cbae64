# CPUs are given: a core may be two jobs'.
scene odd counts
job a -w n1 -n 1
job b -w n1 -n 3
job c -w n1 -n 4
job d -w n1 -n 1
table
cores a b c
scene a task of two
job a -w n1 -n 1 -c 2
job b -w n1 -n 3
job c -w n1 -n 3
table
scene one thread of each core
job a -w n1 -n 2 --ntasks-per-core=1
job b -w n1 -n 8
table
