# What a job may ask for, by QOS.
scene too large
runs a -q small -n2
job b -q small -n3
job c -q small -N2
table
scene too large for each node
runs a -q pernode -n2 -N1
job b -q pernode -n3 -N1
job c -q pernode -n4 -N2
table
scene too small
job a -q least -n1
job b -q least -n2
table
scene too long
job a -q brief -t 10
job b -q brief -t 11
job c -q brief
table
show squeue -h -S j -o '%j %l'
scene refused at once
job a -q strict -t 10
job b -q strict -t 11
job c -q strict -n3
job d -q strict
table
show squeue -h -S j -o '%j %l'
scene minutes of a job
job a -q jobmins -t 30
job b -q jobmins -t 31
job c -q jobmins -n2 -t 15
job d -q jobmins -n2 -t 16
table
