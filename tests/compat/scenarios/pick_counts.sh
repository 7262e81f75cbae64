# How many nodes and CPUs, and where: -N, -n, -c and their kin.
scene one task each
job a -n1
job b -n1
job c -n8
job d -n2
table
cores a b d
scene nodes from to
job a -N2-4 -p four
job b -N2-3 -p four
table
scene nodes from to, with tasks
job a -p four -N2-4 -n 10
job b -p four -N1-2 -n 12
table
