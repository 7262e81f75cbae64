# Several networks: each partition is placed by its own.
scene the network of the cluster is a tree
job a -N2
job b -N4
table
scene a partition of blocks
job a -p blocks -N2
job b -p blocks -N3
table
scene a partition without
job a -p flat -N2
job b -p flat -N4
table
show scontrol show topology
show scontrol show topology fabric
show scontrol show topology pods
show scontrol show topology row
show scontrol show topology nosuch
show scontrol show topology pods block=b2
show scontrol show partition blocks
show_keys 'Topology' scontrol show partition main
show_keys 'Topology' scontrol show node n1
show_keys 'TopologyPlugin|TopologyParam' scontrol show config
in_batch -p blocks -N2 -w n[1-2] <<'X'
env | grep TOPOLOGY | sort
X
in_batch -p flat -N1 -w n3 <<'X'
env | grep TOPOLOGY | sort
X
in_batch -N1 -w n7 <<'X'
env | grep TOPOLOGY | sort
X
