# Reservations of licences, and of nodes with features.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene licences
show $R ReservationName=a StartTime=now Duration=60 Licenses=matlab:3
show $R ReservationName=a StartTime=now Duration=60 Licenses=matlab:3 Flags=ANY_NODES
show $R ReservationName=b StartTime=now Duration=60 Licenses=matlab:2 Flags=ANY_NODES
show $R ReservationName=c StartTime=now Duration=60 Licenses=matlab:9 Flags=ANY_NODES
show scontrol show reservation
job two -L matlab:2 -n1 -t10
job in -L matlab:3 --reservation=a -n1 -t10
job long -L matlab:1 --reservation=a -n1 -t100
table
off a

scene licences later
show $R ReservationName=a StartTime=now+1hour Duration=60 Licenses=matlab:4 Flags=ANY_NODES
job short -L matlab:2 -n1 -t30
job long -L matlab:2 -n1 -t90
table
off a

scene licences with a node
show $R ReservationName=a StartTime=now Duration=60 Licenses=ansys:1 NodeCnt=1
show_keys 'ReservationName|Nodes|Licenses|TRES|Flags' scontrol show reservation
off a

scene features
show $R ReservationName=a StartTime=now Duration=60 NodeCnt=1 Features=amd
show $R ReservationName=b StartTime=now Duration=60 NodeCnt=1 Features='rack2&intel'
show $R ReservationName=c StartTime=now Duration=60 NodeCnt=2 Features='amd|fast'
show $R ReservationName=d StartTime=now Duration=60 NodeCnt=1 Features=nosuch
show_keys 'ReservationName|Nodes|Features' scontrol show reservation
off a b c

scene so many of each
show $R ReservationName=a StartTime=now Duration=60 NodeCnt=3 Features='[rack1*1&rack2*2]'
show_keys 'ReservationName|Nodes|NodeCnt|Features' scontrol show reservation
off a
