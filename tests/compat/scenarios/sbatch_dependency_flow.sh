# Chains that run, chains that never will, --kill-on-invalid-dep, and the words meanwhile.
sub -J first --wrap 'until [ -e go ]; do sleep 0.1; done'
a=$JOB
sub -J second -d afterok:"$a" --wrap 'exit 2'
b=$JOB
sub -J third -d afterok:"$b" --wrap true
c=$JOB
sub -J fourth -d afternotok:"$b" --wrap true
d=$JOB
sub -J killed -d afterok:"$b" --kill-on-invalid-dep=yes --wrap true
e=$JOB
show squeue -h -S i -o '%A %t %r %E' -j "$b,$c,$d"
touch go
wait_end "$d"
wait_end "$e"
wait_reason "$c" DependencyNeverSatisfied
for j in $a $b $c $d $e; do squeue -h -t all -j "$j" -o '%A %j %T %r|%E'; done
show_keys 'JobState|Reason|Dependency' scontrol show job "$c"
sub -J solo --wrap 'until [ -e on ]; do sleep 0.1; done'
sub -J solo -d singleton --wrap true
show squeue -h -j "$JOB" -o '%T %r %E'
touch on
wait_end "$JOB"
show squeue -h -t all -j "$JOB" -o '%T %r %E'
