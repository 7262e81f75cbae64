# Jobs of several components, and jobs that change their size.
scene components start together
job a -N1 -n2 : -N2 -n4
table
scene components wait together
runs a -N3 --exclusive
job b -N1 : -N3 --exclusive
table
scancel "$a"
table
scene components of several partitions
job a -p two -n1 : -p rest -n1
table
scene smaller
runs a -N3 --exclusive -t 30
job b -N2 -t 30
scontrol update JobId="$a" NumNodes=2 >/dev/null
table
scene smaller while it waits
runs a -N4 --exclusive -t 30
job b -N4 -t 30
settle
scontrol update JobId="$b" NumNodes=2
table
scene moved
runs a -p two -N2 --exclusive
job b -p two -N1
settle
until scontrol update JobId="$b" Partition=rest 2>/dev/null; do sleep 0.2; done # Slurm may be busy with it
table
scene fewer tasks
runs a -N4 -n12 --ntasks-per-node=3
job b -n8
table
scontrol update JobId="$b" NumTasks=2 NumCPUs=2
table
scene to other nodes
runs a -w n1 --exclusive
job b -w n1
settle
scontrol update JobId="$b" ReqNodeList=n2
table
scene top
runs a -N4 --exclusive
job b -N4 --priority=10
job c -N4 --priority=20
settle
scontrol update JobId="$b" Priority=30
table
