# Which job starts first.
scene first come first served
runs a -N4 --exclusive
job b -N4
job c -N1
job d -N4
table
scene priority
runs a -N4 --exclusive
job b -N4 --priority=100
job c -N4 --priority=300
job d -N4 --priority=200
table
scancel "$a"
table
scene nice
runs a -N4 --exclusive
job b -N4 --exclusive --priority=1000
job c -N4 --exclusive --priority=1000 --nice=-10
table
scene a higher tier goes first
runs a -N4 --exclusive
job b -N4 --exclusive
job c -N4 --exclusive -p high
table
scancel "$a"
table
scene changed priority
runs a -N4 --exclusive
job b -N4 --exclusive
job c -N4 --exclusive
scontrol update JobId="$c" Priority=500
scancel "$a"
table
scene held
job a -H
job b -N4 --exclusive
job c --priority=0
table
scontrol release "$a"
scontrol release "$c"
table
scene held by an administrator
runs a -N4 --exclusive
job b -N2
scontrol hold "$b"
job c -N2
scontrol uhold "$c"
table
scancel "$a"
table
scene another partition is free
runs a -p two -N2 --exclusive
job b -p two
job c -p rest
job d -p two,rest
table
scene several partitions
runs a -p two -N2 --exclusive
job b -p two,rest -N2 --exclusive
job c -p rest,two -N1
job d -p two,rest -N3
table
scene several partitions, the higher tier first
job a -p main,high -N1
job b -p two,main -N3
table
squeue -h -j "$JOBS" -o '%j %P' | sort
