# Magnets, flexible ones, several of them, their partition.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene a magnet
$R ReservationName=a StartTime=now Duration=60 Nodes=n3 Flags=MAGNETIC
job one -n1 -t10
job long -n1 -t100
job must -w n3 -n1 -t10
table
show squeue -h -o '%j %v' -S j
off a

scene a flexible one
$R ReservationName=a StartTime=now Duration=60 Nodes=n3 Flags=FLEX
job long --reservation=a -n1 -t100
job wide --reservation=a -N2 -t100
job out -w n3 -n1 -t10
table
off a

scene a flexible one before it begins
$R ReservationName=a StartTime=now+1hour Duration=60 Nodes=n3 Flags=FLEX
job early --reservation=a -n1 -t100
table
off a

scene two of them
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
$R ReservationName=b StartTime=now Duration=60 Nodes=n3
job one --reservation=b,a -n8 -t10
job two --reservation=b,a -n8 -t10
table
off a b

scene its partition
$R ReservationName=a StartTime=now Duration=60 NodeCnt=1 PartitionName=half
job one --reservation=a -n1 -t10
table
show squeue -h -o '%j %P'
off a

