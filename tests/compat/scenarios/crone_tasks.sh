# A task has a core of its own; cores are of as few sockets as can be.
scene tasks
job a -w n1 -n 2
job b -w n1 -n 2
job c -w n1 -n 1
table
cores a b
scene more threads
job a -w n1 -n 2 --ntasks-per-core=2
job b -w n1 -n 1 -c 3
table
cores a b
scene the other distribution
job a -w n1 -n 2 -m block:cyclic
table
cores a
