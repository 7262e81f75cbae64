# Arrays: limits of how many run, holds and changes of some tasks.
tasks() { settle; squeue -h -j "$1" -r -o '%3K %T %r' | sort -n; }
scene no more than two at a time
job a -a 0-4%2 -n1
wait_state "$a" RUNNING 4 # which they never all are
tasks "$a"
scancel "${a}_0"
pause
tasks "$a"
scene the limit is changed
job a -a 0-4%1 -n1
wait_state "$a" RUNNING 4 # which they never all are
tasks "$a"
show scontrol update JobId="$a" ArrayTaskThrottle=3
pause
tasks "$a"
show_keys ArrayTaskThrottle scontrol show job "$a" | head -1
show scontrol update JobId="$a" ArrayTaskThrottle=0
pause
tasks "$a"
scene some are held
runs x -N4 --exclusive
job a -a 1-4 -n1
show scontrol hold "${a}_2"
table
show squeue -h -j "$a" -o '%i %r'
scancel "$x"
pause
tasks "$a"
show scontrol release "${a}_2"
pause
tasks "$a"
scene some are cancelled
runs x -N4 --exclusive
job a -a 1-6 -n1
scancel "${a}_[2-3]" "${a}_6"
show squeue -h -j "$a" -o '%i %T'
scene steps and gaps
runs x -N4 --exclusive
job a -a 1-9:3,20 -n1
job b -a 0-15:4%2 -n1
job c -a 5 -n1
job d -a 3,1,2 -n1
show squeue -h -S i -j "$a,$b,$c,$d" -o '%i %K'
show_keys 'ArrayTaskId|ArrayTaskThrottle' scontrol show job "$b"
scene some with another priority
runs x -N4 --exclusive
job a -a 1-3 -n4 -N1
show scontrol update JobId="${a}_3" Priority=500
show scontrol update JobId="${a}_2" TimeLimit=5
squeue -h -r -j "$a" -o '%K %Q %l' | sort
scene wrong ones
job a -a 1-3%0
job b -a 3-1
job c -a 1-
job d -a x
job e -a 1,1
job f -a 1-2000000
