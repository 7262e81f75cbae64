# Jobs inside and outside of reservations.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

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

