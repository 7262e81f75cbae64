# How it is told.
for p in main two yes alone mine few; do show_keys 'OverSubscribe|Exclusive|MaxCPUsPerNode' scontrol show partition \
	$p; done
show sinfo -h -o '%R %h %B'
scene jobs
job a -p two -w n1 -n 1
job b -p yes -w n2 -n 1 -s
job c -p yes -w n2 -n 1
table
show squeue -h -S i -o '%j %h'
show_keys 'OverSubscribe|Exclusive' scontrol show job "$a"
show_keys 'OverSubscribe|Exclusive' scontrol show job "$b"
show_keys 'OverSubscribe|Exclusive' scontrol show job "$c"
show sinfo -h -n n1,n2 -p main -o '%N %C %t'
scene a node that carries more than it has
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
table
show_keys 'CPUAlloc|AllocMem|State' scontrol show node n1
