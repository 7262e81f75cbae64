# A job that waits for a shared CPU is told when.
scene planned
job a -p two -w n1 -n 8 -t 10
job b -p two -w n1 -n 8 -t 20
job c -p two -w n1 -n 8 -t 5
table
mask 's/2[0-9]{3}-[0-9T:-]+/TIME/g'
show squeue -h --start -j "$c" -o '%j %S %Y'
scancel "$a"
table
