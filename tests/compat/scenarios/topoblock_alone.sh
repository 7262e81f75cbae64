# --exclusive=topo and Exclusive=TOPO: a block for one job.
scene a block alone
job a -N1 --exclusive=topo
job b -N1
job c -N2
table
scene where nobody is
job a -n1
job b -n1 --exclusive=topo
job c -N3 --exclusive=topo
job d -n1
table
scene no block is empty
runs a -w n1 -n1
runs b -w n3 -n1
runs c -w n5 -n1
runs d -w n7 -n1
job e -N1 --exclusive=topo
table
scene by partition
job a -p alone -N1
job b -p alone -N1
job c -n1
table
scene it holds no more than it asked for
job a -N2 --exclusive=topo
settle
show_keys 'NumCPUs|Exclusive|AllocTRES' scontrol show job "$a"
