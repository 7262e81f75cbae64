# Which job starts first, and what becomes of a place in the queue when it is changed.
order() { settle; squeue -h -j "$JOBS" -S '-p,i' -o '%j %Q %y %r'; }
scene nice
runs x -N4 --exclusive -t 30
job a -N4 -t 10 --nice=5
job b -N4 -t 10
job c -N4 -t 10 --nice=-5
scancel "$x"
wait_state "$c" RUNNING
settle
squeue -h -j "$JOBS" -S j -o '%j %T'
scene raised
runs x -N4 --exclusive -t 30
job a -N4 -t 10
job b -N4 -t 10
show scontrol update JobId="$b" Priority=1000
order
scancel "$x"
wait_state "$b" RUNNING
scene to the top
runs x -N4 --exclusive -t 30
job a -N4 -t 10
job b -N4 -t 10
job c -N4 -t 10
show scontrol top "$c"
scancel "$x"
wait_state "$c" RUNNING
settle
squeue -h -j "$JOBS" -S j -o '%j %T'
scene given with the job
runs x -N4 --exclusive -t 30
job a -N4 -t 10 --priority=100
job b -N4 -t 10 --priority=200
order
scancel "$x"
wait_state "$b" RUNNING
scene held, and what is left of the place
runs x -N4 --exclusive -t 30
job a -N4 -t 10
job b -N4 -t 10
scontrol hold "$a"
pause
squeue -h -j "$JOBS" -S j -o '%j %T %r'
scontrol release "$a"
settle
scancel "$x"
wait_state "$a" RUNNING
scene a hold by name
runs x -N4 --exclusive -t 30
job byname -N4 -t 10
job b -N4 -t 10
show scontrol hold jobname=byname
settle
squeue -h -j "$byname,$b" -S j -o '%j %r'
show scontrol release jobname=byname
