# Partitions that require a reservation, jobs that are changed, users without permission, what a task is told.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene a partition that wants one
show scontrol update PartitionName=short ReqResv=YES
job none -p short -n1 -t5
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
job some -p short --reservation=a -n1 -t5
table
show scontrol update PartitionName=short ReqResv=NO
off a

scene it is changed
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
job one -w n1 -n1 -t10 -H
show scontrol update JobId="$one" ReservationName=nosuch
show scontrol update JobId="$one" ReservationName=a
show_keys Reservation scontrol show job "$one"
show scontrol release "$one"
table
off a

scene who may not
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
scontrol update ReservationName=a Users=daemon
job root --reservation=a -n1 -t10
show su -s /bin/sh bin -c 'cd /tmp; sbatch --reservation=a -n1 --wrap true'
show su -s /bin/sh bin -c 'scontrol delete reservation=a'
show su -s /bin/sh bin -c 'scontrol create reservation StartTime=now Duration=60 Users=bin Nodes=n2'
table
off a

scene what a task is told
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
show srun --reservation=a -n1 -t5 sh -c 'env | grep RESERV; true'
show srun --reservation=nosuch -n1 true
off a

scene exclusive beside a part of a node
$R ReservationName=a StartTime=now Duration=60 Nodes=n1 CoreCnt=2
job alone -w n1 -N1 --exclusive -t10
job all -N4 --exclusive -t10
job some -N3 --exclusive -t10
table
off a
