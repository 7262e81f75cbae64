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
scene more nodes than there are
job a -p four -N5
job b -p four -N3-9
job c -N7
table
scene more tasks than there are
job a -p four -n 33
job b -p four -n 32
job c -p four -n 1
table
scene CPUs per task
job a -p four -c3 -n2
job b -p four -c3 -n5
job c -p four -c8
job d -p four -c9
table
cores a b
scene CPUs per task on several nodes
job a -p four -N2 -c4 -n3
job b -p four -N2 -c5 -n2
job c -p four -N2 -n2 -c8
table
scene tasks per node
job a -p four --ntasks-per-node=3 -N2
job b -p four --ntasks-per-node=4 -n8
job c -p four --ntasks-per-node=9 -N1
table
scene tasks per node, nodes from the tasks
job a -p four --ntasks-per-node=2 -n5
job b -p four --ntasks-per-node=3 -n3
table
scene tasks per socket
job a -p four -n4 --ntasks-per-socket=2
job b -p four -n3 --ntasks-per-socket=1
table
cores a
scene tasks per core
job a -p smt -n4 --ntasks-per-core=1
job b -p smt -n8 --ntasks-per-core=2
table
cores a b
scene threads per core
job a -p smt -n4 --threads-per-core=1
job b -p smt -n4 --hint=nomultithread
table
cores a b
scene a task of two threads
job a -p smt -n1
job b -p smt -n3
job c -p smt -c3
table
cores a b c
scene CPUs at least
job a -p four --mincpus=4 -n2
job b -p four --mincpus=9
job c -p four --mincpus=8 -N2 -n2
table
scene sockets and cores
job a -p four -B 2:4
job b -p four -B 2
job c -p four -B 1:8
job d -B 1:4:2
table
scene sockets per node
job a -p four --sockets-per-node=2 -n2
job b --sockets-per-node=1 --cores-per-socket=4 -n1
job c -p four --cores-per-socket=5
table
scene nodes alone
job a -N3
job b -N3
job c -N6
table
scene packed beside one another
job a -p four -n6
job b -p four -n6
job c -p four -n4
job d -p four -n2
job e -p four -n2
table
scene as few nodes as will do
job a -p four -n12 --use-min-nodes
job b -p four -N1-3 -n12
table
scene spread over many nodes
job a -p four -n4 --spread-job
job b -p four -n6 -N2-3 --spread-job
table
scene overcommitted
job a -p four -N1 -n20 -O
job b -p four -N2 -n30 -O
table
