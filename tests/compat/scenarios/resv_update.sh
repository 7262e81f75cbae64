# What may be changed of a reservation.
seen() { show_keys 'ReservationName|Nodes|NodeCnt|CoreCnt|PartitionName|Flags|Duration|Users|Groups|Accounts|State' \
	scontrol show reservation "$@"; }
change() { show scontrol update ReservationName="$@"; }

scene who
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
change a Users+=daemon
seen a
change a Users-=root
seen a
change a Users-=root
change a Users-=daemon
change a Users=
change a Accounts=x,y
change a Users=
seen a
change a Groups=daemon
change a Users=root
seen a
scontrol delete reservation=a

scene when
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
change a Duration=30
seen a
change a Duration+=30
change a EndTime=now+1
change a Duration=bogus
change a StartTime=now+30minutes
seen a
scontrol delete reservation=a
scontrol create reservation ReservationName=a StartTime=now Duration=60 Users=root Nodes=n1
change a StartTime=now+1hour
change a Duration=2:00:00
seen a
scontrol delete reservation=a

scene where
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
scontrol create reservation ReservationName=b StartTime=now+1hour Duration=60 Users=root Nodes=n4
change a Nodes+=n3
seen a
change a Nodes=n1,n2
change a Nodes+=n4
change a Nodes=n9
change a NodeCnt=1
seen a
change a NodeCnt=3
seen a
change a NodeCnt=4
change a Nodes-=n3
seen a
scontrol delete reservation=a
scontrol delete reservation=b

scene flags
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root NodeCnt=1
change a Flags=FLEX
change a Flags+=MAINT
change a Flags=DAILY
seen a
change a Flags-=MAINT
change a Flags-=OVERLAP
change a Flags-=DAILY
seen a
change a skip
scontrol delete reservation=a

scene what is not known
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root NodeCnt=1
change nosuch Duration=30
change a Bogus=1
change a PartitionName=nosuch
change a
seen a
scontrol delete reservation=a

scene cores
scontrol create reservation ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1 CoreCnt=4
change a Duration=30
seen a
scontrol delete reservation=a
