# What all together may have, by QOS.
scene cpus
runs a -q grp -n3
job b -q grp -n2
job c -q grp -n1 -A physics
job d -q grp -n5
table
scene gpus
runs a -q grp --gres=gpu:2
job b -q grp --gres=gpu:1
job c -q grp
table
scene jobs
runs a -q grpjobs
runs b -q grpjobs -A physics
job c -q grpjobs
job d -q grpjobs
table
scene cpu minutes that run
runs a -q grprun -t 60
job b -q grprun -t 60
job c -q grprun -t 30
job d -q grprun -n2 -t 60
table
scene cpu minutes
job a -q grpmins -t 90
job b -q grpmins -t 110
table
scene wall time
job a -q grpwall -t 30
job b -q grpwall -t 70
table
scene of a partition
runs a -p capped
job b -p capped -n2
job c -p capped
job d -p capped -n3
table
scene of a partition, and the own
runs a -p capped -q one
job b -p capped -q one
job c -p capped -q grp -n2
table
