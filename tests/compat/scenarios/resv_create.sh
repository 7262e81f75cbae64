# Reservations are made, refused and shown; nothing runs.
R='scontrol create reservation'
new() { show $R "$@"; }
gone() { local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene none
show scontrol show reservation
show scontrol show reservation nosuch
show sinfo -T

scene what must be said
new StartTime=now Duration=60 Nodes=n1
new StartTime=now Duration=60 Users=root
new StartTime=now Users=root Nodes=n1
new Duration=60 Users=root Nodes=n1
new StartTime=now Duration=60 Users=root Groups=root Nodes=n1

scene what is not known
new StartTime=now Duration=60 Users=root Nodes=n9
new StartTime=now Duration=60 Users=nosuchuser Nodes=n1
new StartTime=now Duration=60 Groups=nosuchgroup Nodes=n1
new StartTime=now Duration=60 Users=root Nodes=n1 Flags=BOGUS
new StartTime=now Duration=60 Users=root Nodes=n1 Bogus=1
new StartTime=now Duration=60 Users=root NodeCnt=1 PartitionName=nosuch
new StartTime=now Duration=60 QOS=normal NodeCnt=1
new StartTime=now Duration=60 Users=root NodeCnt=1 Features=nosuch
new StartTime=now Duration=60 Users=root Licenses=foo:2 Flags=ANY_NODES
new StartTime=now Duration=60 Users=root TRES=bogus=1 NodeCnt=1

scene times and counts that make no sense
new StartTime=bogus Duration=60 Users=root NodeCnt=1
new StartTime=now Duration=bogus Users=root NodeCnt=1
new StartTime=2020-01-01 Duration=60 Users=root NodeCnt=1
new StartTime=now EndTime=2020-01-01 Users=root NodeCnt=1
new StartTime=now Duration=60 Users=root NodeCnt=x
new StartTime=now Duration=60 Users=root NodeCnt=1,2
new StartTime=now Duration=60 Users=root Nodes=n1 CoreCnt=2,4
new StartTime=now Duration=60 Users=root NodeCnt=9
new StartTime=now Duration=60 Users=root CoreCnt=33
new StartTime=now Duration=60 Users=root Nodes=n1,n2 CoreCnt=17

scene flags that do not go together
new StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=REPLACE,STATIC_ALLOC
new StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=DAILY,WEEKLY
new StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=DAILY,TIME_FLOAT
new StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=FORCE_START
new StartTime=now+1hour Duration=60 Users=root Nodes=n1 Flags=REPLACE
new StartTime=now+1hour Duration=60 Users=root Nodes=n1 PartitionName=half Flags=PART_NODES
new StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=MONTHLY

scene nodes by name
new ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
new ReservationName=b StartTime=now+1hour Duration=60 Users=root Nodes=n1
new ReservationName=c StartTime=now+90minutes Duration=60 Users=root Nodes=n[1-2]
new ReservationName=d StartTime=now+2hours Duration=60 Users=root Nodes=n[1-2]
new ReservationName=all StartTime=now+10hours Duration=1:30:00 Users=root Nodes=ALL
show scontrol show reservation
show scontrol -o show reservation a
show scontrol show res=d
show sinfo -T
show sinfo -h -T
gone a d all

scene nodes by count
new ReservationName=a StartTime=now+1hour Duration=60 Users=root NodeCnt=1
new ReservationName=b StartTime=now+1hour Duration=60 Accounts=phys,chem NodeCnt=2
new ReservationName=c StartTime=now+1hour Duration=60 Users=root NodeCnt=2
new ReservationName=d StartTime=now+1hour Duration=60 AllowedPartitions=main NodeCnt=1
new ReservationName=e StartTime=now+2hours Duration=1-0 Users=root NodeCnt=1 PartitionName=half
show scontrol show reservation
gone a b d e

scene a partition
new ReservationName=a StartTime=now+1hour Duration=60 Users=root PartitionName=down
new ReservationName=b StartTime=now+1hour Duration=60 Users=root Nodes=ALL PartitionName=half Flags=PART_NODES
show scontrol show reservation
gone a b

scene cores
new ReservationName=a StartTime=now+1hour Duration=60 Users=root NodeCnt=2 CoreCnt=4
new ReservationName=b StartTime=now+1hour Duration=60 Users=root CoreCnt=4
new ReservationName=c StartTime=now+1hour Duration=60 Users=root Nodes=n1 CoreCnt=2
new ReservationName=d StartTime=now+1hour Duration=60 Users=root TRES=node=2,cpu=6
show scontrol show reservation
show scontrol -o show reservation c
gone a b c d

scene flags as they are shown
new ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1 \
	Flags=OVERLAP,FLEX,MAGNETIC,NO_HOLD_JOBS_AFTER,PURGE_COMP,USER_DELETE,STATIC_ALLOC,WEEKLY,IGNORE_JOBS,MAINT
new ReservationName=b StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=REPLACE,purge_comp=10:00
new ReservationName=c StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=replace_down,weekday
new ReservationName=d StartTime=now+1hour Duration=60 Users=root NodeCnt=1 Flags=TIME_FLOAT
new ReservationName=e StartTime=now+3hours Duration=60 Users=root NodeCnt=1 Flags=hourly,overlap MaxStartDelay=30 \
	Comment='some words'
show_keys 'ReservationName|Flags|MaxStartDelay|Comment' scontrol show reservation
gone a b c d e

scene on top of another one
new ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
new ReservationName=b StartTime=now+1hour Duration=60 Users=root Nodes=n1 Flags=MAINT
new ReservationName=c StartTime=now+1hour Duration=60 Users=root Nodes=n1 Flags=OVERLAP
new ReservationName=d StartTime=now+25hours Duration=60 Users=root Nodes=n1 Flags=DAILY
new ReservationName=e StartTime=now+49hours Duration=60 Users=root Nodes=n1
show_keys 'ReservationName|Nodes|Flags' scontrol show reservation
gone a b c d

scene deleted
new ReservationName=a StartTime=now+1hour Duration=60 Users=root Nodes=n1
new ReservationName=b StartTime=now+1hour Duration=60 Users=root Nodes=n2
show scontrol delete reservation=nosuch
show scontrol delete ReservationName=a
show scontrol delete reservation a
show scontrol delete res b
show scontrol show reservation
