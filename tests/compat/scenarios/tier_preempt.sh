# A higher tier takes what lower ones have.
scene cancelled
runs a -p scav -N4 --exclusive
job b -p high -N4
table
scene requeued
runs a -p back -N4 --exclusive
job b -p high -N4
settle
squeue -h -j "$JOBS" -o '%j %T %N' | sort # when it may begin again is each system's own
scene not to be taken from
runs a -p main -N4 --exclusive
job b -p high -N1
table
scene no more than needed
runs a -p scav -w n1 --exclusive
runs b -p scav -w n2 --exclusive
runs c -p scav -w n3 --exclusive
runs d -p main -w n4 --exclusive
job e -p high -N3 --exclusive
table
scene only if it helps
runs a -p scav -N2 --exclusive
runs b -p main -N2 --exclusive
job c -p high -N3
table
scene free nodes first
runs a -p scav -w n1 --exclusive
job b -p high -N1 --exclusive
job c -p high -N3 --exclusive
table
scene three tiers
runs a -p scav -N2 --exclusive
runs b -p mid -N2 --exclusive
job c -p high -N2 --exclusive
table
scene the same tier does not
runs a -p scav -N4 --exclusive
job b -p back -N1
table
scene some cores of a node
runs a -p scav -w n1 -n3
runs b -p main -w n1 -n1
runs c -p main -w 'n[2-4]' --exclusive
job d -p high -n2
table
scene those who cannot be requeued
runs a -p back -N4 --exclusive --no-requeue
job b -p high -N4
table
scene the waiting one of a high tier
runs a -p main -N4 --exclusive -t 30
job b -p high -N4 -t 30
job c -p scav -N1 -t 20
table
