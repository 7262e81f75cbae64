sub -H -o /dev/null -L matlab:2,one --wrap 'sleep 300'
a=$JOB
sub -H -o /dev/null -L ansys --wrap 'sleep 300'
sub -H -o /dev/null --wrap 'sleep 300'
show squeue -h -o '%A %W' -S i
show squeue -h -L matlab -o '%A %W'
show squeue -h -L one,ansys -o '%A %W' -S i
show squeue -h -L matlab:2 -o '%A %W'
show squeue -h -L nosuch -o '%A %W'
show squeue -j "$a" -O Licenses,LicensesAlloc
show squeue -j "$a" -o '%.10W|%W'
