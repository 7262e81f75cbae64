sub -o /dev/null -a 1-6 -L ansys --wrap 'sleep 300'
a=$JOB
sleep 2
show squeue -h -r -o '%K %t %r' -S K
show scontrol show licenses ansys
