# Jobs inside and outside of reservations.
R='scontrol create reservation Users=root'
off() { scancel -u root -t PD,R,CG >/dev/null 2>&1; empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene inside
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
job one --reservation=a -n1 -t10
job long --reservation=a -n1 -t100
job wide --reservation=a -N2 -t10
job gone --reservation=nosuch -n1
job both --reservation=a,nosuch -n1
job full --reservation=a -n8 -t10
table
show squeue -h -o '%j %v' -R a
show_keys Reservation scontrol show job "$one"
show scontrol delete reservation=a
off a

scene outside
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
job must -w n1 -n1 -t10
job else -n1 -t10
job some -N3 -t10
table
off a

scene before it begins
$R ReservationName=a StartTime=now+1hour Duration=60 Nodes=n2
job in --reservation=a -n1 -t10
job short -w n2 -n1 -t30
job long -w n2 -n1 -t120
job endless -w n2 -n1
table
show scontrol delete reservation=a
off a

scene all nodes later
$R ReservationName=a StartTime=now+1hour Duration=60 Nodes=ALL
job short -N4 -t30
job long -N4 -t120
table
off a

scene on nodes that are in use
runs run -w n3 -n1 -t30
show $R ReservationName=a StartTime=now Duration=60 Nodes=n3
show $R ReservationName=a StartTime=now+20minutes Duration=60 Nodes=n3
show $R ReservationName=a StartTime=now+40minutes Duration=60 Nodes=n3
show $R ReservationName=b StartTime=now Duration=60 Nodes=n3 Flags=IGNORE_JOBS
show $R ReservationName=c StartTime=now Duration=60 NodeCnt=4
show $R ReservationName=c StartTime=now Duration=60 NodeCnt=3
show_keys 'ReservationName|Nodes' scontrol show reservation
off a b c

scene some cores of a node
$R ReservationName=a StartTime=now Duration=60 Nodes=n1 CoreCnt=4
job out -w n1 -N1 -n4 -t10
job in --reservation=a -n4 -t10
job more --reservation=a -n1 -t10
job many -w n1 -N1 -n5 -t10
table
cores out in
off a

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
