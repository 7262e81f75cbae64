# Partitions' limits and states, and nodes that cannot be used.
scene too many nodes
job a -p few -N3
job b -p few -N1-4
job c -p few -N2
table
scene too few nodes
job a -p many -N1
job b -p many -n1
job c -p many -N2
table
scene too long
job a -p two -t 61
job b -p two -t 60
job c -p few -t 0
job d -p two
table
scene CPUs of each node
job a -p few -n3
job b -p few -n2
job c -p few -n4 -N2
job d -p few -n5
table
scene memory of each node
job a -p few --mem=1001
job b -p few --mem=1000
table
scene partitions that do not start jobs
job a -p down
job b -p drain
job c -p inact
table
scene a partition that goes down
scontrol update PartitionName=two State=DOWN
job a -p two
job b -p two,rest
table
scontrol update PartitionName=two State=UP
table
scene who may not
job a -p group
job b -p accts
job c -p accts -A good
job d -p nosuch
table
scene a drained node
scontrol update NodeName=n1 State=DRAIN Reason=test
job a -w n1
job b -N4
job c -N3
table
scontrol update NodeName=n1 State=RESUME
table
scene all nodes drained
scontrol update NodeName=n[1-2] State=DRAIN Reason=test
job a -p two
job c -n1
table
scontrol update NodeName=n[1-2] State=RESUME
scene a node that is down
scontrol update NodeName=n4 State=DOWN Reason=test
job a -w n4
job b -w n3,n4
job c -N4
job d -p rest
table
scontrol update NodeName=n4 State=RESUME
scene a node that drains while a job runs
job a -w n1 -n1
settle
scontrol update NodeName=n1 State=DRAIN Reason=test
job b -n1
job c -w n1 -n1
table
scontrol update NodeName=n1 State=RESUME
table
scene least loaded nodes
job a -p lln -n1
job b -p lln -n1
job c -p lln -n2
job d -p lln -n1
job e -p lln -n1
table
scene least loaded nodes, several
job a -p lln -w n1 -n2
job b -p lln -N2 -n2
job c -p lln -n3
table
scene limits changed below a waiting job
runs a -N4 --exclusive
job b -p two -t 50
settle
scontrol update PartitionName=two MaxTime=40
table
scontrol update PartitionName=two MaxTime=60
table
