# Reservations that come again, change their nodes, make room for each other, or keep people out.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }
keys='ReservationName|Duration|Nodes|NodeCnt|CoreCnt|Features|PartitionName|Flags|TRES|Users|Groups|Accounts|Licenses|State|BurstBuffer|MaxStartDelay'

scene they come again
for f in HOURLY DAILY WEEKLY WEEKDAY WEEKEND; do
	show $R ReservationName=r$f StartTime=now+2hours Duration=30 Nodes=n1 Flags=$f,OVERLAP
	show_keys "$keys" scontrol show reservation r$f
done
off rHOURLY rDAILY rWEEKLY rWEEKDAY rWEEKEND

scene two ways to come again
show $R ReservationName=a StartTime=now+2hours Duration=30 Nodes=n1 Flags=DAILY,WEEKLY
show $R ReservationName=a StartTime=now+2hours Duration=30 Nodes=n1 Flags=DAILY
show scontrol update ReservationName=a Flags=WEEKLY
show scontrol update ReservationName=a Flags-=DAILY
show_keys Flags scontrol show reservation a
off a

scene tomorrow, too
$R ReservationName=a StartTime=now+1hour Duration=30 Nodes=n1 Flags=DAILY
job short -w n1 -n1 -t30
job long -w n1 -n1 -t20:00:00
table
off a

scene only the next one is left out
$R ReservationName=a StartTime=now Duration=30 Nodes=n1 Flags=DAILY
show scontrol update ReservationName=a Skip
show_keys State scontrol show reservation a
off a

scene another node for one that is used
$R ReservationName=a StartTime=now Duration=60 NodeCnt=1 Flags=REPLACE
show_keys 'Nodes|Flags' scontrol show reservation a
runs one --reservation=a -n1 -t10
for i in 1 2 3 4 5 6 7 8 9; do scontrol show reservation a | grep -q 'Nodes=n2' || sleep 0.5; done
show_keys 'Nodes|NodeCnt' scontrol show reservation a
table
off a

scene another node for one that is down
$R ReservationName=a StartTime=now Duration=60 NodeCnt=1 Flags=REPLACE_DOWN
show_keys 'Nodes|Flags' scontrol show reservation a
show scontrol update NodeName=n1 State=DRAIN Reason=x
for i in 1 2 3 4 5 6 7 8 9; do scontrol show reservation a | grep -q 'Nodes=n2' || sleep 0.5; done
show_keys 'Nodes|NodeCnt' scontrol show reservation a
scontrol update NodeName=n1 State=RESUME
off a

scene on top of another
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
show $R ReservationName=b StartTime=now Duration=60 Nodes=n1
show $R ReservationName=b StartTime=now Duration=60 Nodes=n1 Flags=OVERLAP
show $R ReservationName=c StartTime=now Duration=60 Nodes=n1 Flags=MAINT
show_keys 'ReservationName|Nodes|Flags' scontrol show reservation
scontrol delete reservation=c
job one --reservation=a -n1 -t10
job two --reservation=b -n1 -t10
settle
squeue -h -j "$JOBS" -S j -o '%j %T %N'
off a b

scene all but some
show scontrol create reservation ReservationName=a StartTime=now Duration=60 Nodes=n1 Users=-root
show scontrol create reservation ReservationName=b StartTime=now Duration=60 Nodes=n2 Users=root,-games
show scontrol create reservation ReservationName=c StartTime=now Duration=60 Nodes=n3 Groups=games
show_keys 'ReservationName|Users|Groups' scontrol show reservation
job one --reservation=a -n1 -t10
job two --reservation=c -n1 -t10
table
off a c

scene changed while it is there
$R ReservationName=a StartTime=now Duration=60 Nodes=n1
show scontrol update ReservationName=a Users+=games
show scontrol update ReservationName=a Users-=root
show scontrol update ReservationName=a Nodes=n[1-2]
show scontrol update ReservationName=a Nodes+=n3
show scontrol update ReservationName=a Nodes-=n1
show scontrol update ReservationName=a Flags=+MAGNETIC
show scontrol update ReservationName=a NodeCnt=1
show scontrol update ReservationName=a Duration=90
show_keys "$keys" scontrol show reservation a
off a

scene gone when nobody uses it
show $R ReservationName=a StartTime=now Duration=60 Nodes=n1 Flags=PURGE_COMP=00:01
show_keys Flags scontrol show reservation a
for i in $(seq 60); do scontrol show reservation a >/dev/null 2>&1 || break; sleep 1; done
show scontrol show reservation a

scene as sinfo tells it
$R ReservationName=a StartTime=now Duration=60 Nodes=n[1-2]
$R ReservationName=maint StartTime=now+2hours Duration=60 Nodes=n4 Flags=MAINT
show sinfo -T
show sinfo -h -T -o '%i'
off a maint

scene the whole record
$R ReservationName=a StartTime=now Duration=60 Nodes=n[1-2] Comment=why
show scontrol show reservation a
show scontrol -o show reservation a
off a
