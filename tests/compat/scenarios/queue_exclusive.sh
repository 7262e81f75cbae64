# Nodes alone: by job, by partition, by user, and what is counted then.
scene alone beside others
runs a -w n1 -n1
job b -w n1 --exclusive -t 10
job c -w n2 --exclusive -t 10
job d -w n2 -n1 -t 10
table
scene alone takes all CPUs
runs a --exclusive -n1
show_keys 'NumCPUs|NumNodes|AllocTRES|ReqTRES' scontrol show job "$a"
scene and not all memory
runs a --exclusive -n1 --mem=500
show_keys 'AllocTRES' scontrol show job "$a"
show_keys 'AllocMem|CPUAlloc' scontrol show node n1
scene memory of all CPUs
runs a --exclusive -n1 --mem-per-cpu=200
show_keys 'AllocTRES|MinMemoryCPU' scontrol show job "$a"
scene of one user
runs a -w n1 -n1 --exclusive=user
runs b -w n1 -n1 --exclusive=user
table
scene user and not
runs a -w n1 -n1 --exclusive=user
job b -w n1 -n1
table
scene not and user
runs a -w n1 -n1
job b -w n1 -n1 --exclusive=user
table
scene words
job a --exclusive=nosuch
job b --exclusive=mcs -n1
job c --exclusive=user -n1
job d --exclusive -n1
settle
squeue -h -j "$JOBS" -S j -O 'Name:4,OverSubscribe:10,State:10'
scene shared on request where it is not given
runs a -s -w n1 -n4
job b -s -w n1 -n1
table
scene all nodes but one
runs a -N3 --exclusive
job b -N2 -t 10
job c -n5 -t 10
job d -n4 -t 10
table
