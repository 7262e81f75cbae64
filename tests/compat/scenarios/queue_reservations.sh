# Reservations: which jobs may use the nodes, and which must end in time.
resv() { scontrol create reservation "$@" >/dev/null; }
gone() { # gone NAME...: the jobs first, as nodes are not idle while a reservation is there
	squeue -h -o %A | sort -u | xargs -r scancel
	while [ -n "$(squeue -h -o %A)" ]; do sleep 0.05; done
	for name in "$@"; do scontrol delete reservation="$name"; done
}
scene nodes of others
resv ReservationName=r1 StartTime=now Duration=60 Users=games Nodes=n[1-2]
job a -N2 -n8
job b -N1 -n1
job c -p two
job d -w n1
table
gone r1
scene inside
resv ReservationName=r1 StartTime=now Duration=60 Users=root Nodes=n[1-2]
job a --reservation=r1 -N2 -t 30
job b --reservation=r1 -N3 -t 30
job c --reservation=r1 -t 90
job d --reservation=nosuch
table
gone r1
scene not for everybody
resv ReservationName=r1 StartTime=now Duration=60 Users=games Nodes=n1
job a --reservation=r1
table
gone r1
scene gone before it begins
resv ReservationName=r1 StartTime=now+1hour Duration=60 Users=games Nodes=ALL
job a -N4 -t 30
job b -N1 -t 90
job c -N1 -t 10
table
gone r1
scene beside it
resv ReservationName=r1 StartTime=now+1hour Duration=60 Users=games Nodes=n[1-3]
job a -N1 -t 90
job b -N2 -t 90
job c -N2 -t 30
table
gone r1
scene for a time to come
resv ReservationName=r1 StartTime=now+1hour Duration=60 Users=root Nodes=n1
job a --reservation=r1 -t 10
table
gone r1
scene maintenance
resv ReservationName=r1 StartTime=now Duration=60 Users=root Nodes=n[1-2] Flags=MAINT
job a -N3
job b -N2
job c -w n1
table
gone r1
scene further than its nodes
resv ReservationName=r1 StartTime=now Duration=60 Users=root Nodes=n1 Flags=FLEX
job a --reservation=r1 -N2 -t 30
job b --reservation=r1 -N1 -t 90
table
gone r1
scene drawn in
resv ReservationName=r1 StartTime=now Duration=60 Users=root Nodes=n4 Flags=MAGNETIC
job a -N1 -t 10
job b -N2 -t 10
table
gone r1
scene over a running job
runs a -w n1 -t 30
scontrol create reservation ReservationName=r1 StartTime=now Duration=60 Users=games Nodes=n1 2>&1
resv ReservationName=r1 StartTime=now Duration=60 Users=games Nodes=n1 Flags=IGNORE_JOBS
job b -w n1
job c -n4 -N1
table
gone r1
scene so many nodes
runs a -w n1 --exclusive -t 90
resv ReservationName=r1 StartTime=now Duration=60 Users=root NodeCnt=2
scontrol show reservation r1 | grep -oE '(Nodes|NodeCnt|CoreCnt)=[^ ]*'
job b --reservation=r1 -N2 -t 10
table
gone r1
scene so many cores
resv ReservationName=r1 StartTime=now Duration=60 Users=root Nodes=n1 CoreCnt=2
job a --reservation=r1 -n2 -t 10
job b --reservation=r1 -n1 -t 10
job c -w n1 -n2 -t 10
job d -w n1 -n1 -t 10
table
gone r1
scene licences
resv ReservationName=r1 StartTime=now Duration=60 Users=root Licenses=lic:3 Flags=LICENSE_ONLY
job a -L lic:2
job b -L lic:3 --reservation=r1
job c -n1
table
gone r1
