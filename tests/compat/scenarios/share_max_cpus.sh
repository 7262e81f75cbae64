# CPUs of a node, or a socket, that a partition may use.
scene node
job a -p few -w n1 -n 2
job b -p few -w n1 -n 1
job c -p few -w n1 -n 1
job d -p main -w n1 -n 5
table
scene too many
job a -p few -w n1 -n 4
table
job b -p few -n 5
table
job c -p few -n 13
table
scene whole
job a -p few -w n1 --exclusive -n 1
table
scene socket
job a -p sock -w n1 -n 2
job b -p sock -w n1 -n 2
job c -p sock -w n1 -n 1
job d -p main -w n1 -n 4
table
cores a b d
scene too many of a socket
job a -p sock -w n1 -n 5
table
