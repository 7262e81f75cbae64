# Reservations of GPUs.
R='scontrol create reservation Users=root'
off() { empty_queue; local r; for r in "$@"; do scontrol delete reservation="$r"; done; }

scene GPUs in all
show $R ReservationName=a StartTime=now Duration=60 TRES=gres/gpu=6
show scontrol show reservation
job out -w n1 -n1 --gres=gpu:2 -t10
job in --reservation=a -n1 --gres=gpu:4 -t10
job none -w n1 -n1 -t10
table
off a

scene GPUs of each node
show $R ReservationName=a StartTime=now Duration=60 TRESPerNode=gres/gpu=2 NodeCnt=2
show scontrol show reservation
job out -w n1 -n1 --gres=gpu:3 -t10
job some -w n1 -n1 --gres=gpu:2 -t10
job in --reservation=a -N2 --gres=gpu:2 -t10
table
off a

scene more than there are
show $R ReservationName=a StartTime=now Duration=60 TRES=gres/gpu=17
show $R ReservationName=a StartTime=now Duration=60 TRES=gres/nosuch=1
show $R ReservationName=a StartTime=now Duration=60 TRESPerNode=gres/gpu=5 NodeCnt=1
off
