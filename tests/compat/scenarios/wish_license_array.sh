sub -o /dev/null -a 1-6 -L ansys --wrap 'sleep 300'
a=$JOB
sleep 2
show_sorted squeue -r -o '%K %t %r'
show scontrol show licenses ansys
