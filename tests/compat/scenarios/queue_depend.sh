# Dependencies of all kinds, and what becomes of those that cannot be met any more.
ends() { sbatch --parsable -J "$1" -o /dev/null "${@:3}" --wrap "$2"; }
scene all of several
runs a -n1
runs b -n1
job c -d "afterany:$a:$b"
table
scancel "$a"
wait_end "$a"
table
scancel "$b"
wait_end "$b"
table
scene any of several
runs a -n1
runs b -n1
job c -d "afterok:$a?afternotok:$b"
table
scancel "$b"
wait_end "$b"
table
scene each of several kinds
runs a -n1
runs b -n1
job c -d "after:$a,afternotok:$b"
table
scancel "$b"
wait_end "$b"
table
scene after it began, one that waits
runs a -N4 --exclusive
job b -N4
job c -d "after:$b" -n1
table
scancel "$a"
wait_state "$b" RUNNING
table
scene one that failed
x=$(ends x 'exit 3')
wait_end "$x"
job b -d "afternotok:$x"
job c -d "afterok:$x"
job d -d "afterany:$x"
table
scene one that failed later
x=$(ends x 'until [ -e go ]; do sleep 0.1; done; exit 3')
wait_state "$x" RUNNING
job b -d "afternotok:$x"
job c -d "afterok:$x"
job d -d "afterok:$x" --kill-on-invalid-dep=yes
job e -d "afterok:$x" --kill-on-invalid-dep=no
table
touch go
wait_end "$x"
table
scene tasks of an array
runs a -a 1-2 -n1
job b -d "afterany:${a}_1"
job c -d "afterany:$a"
table
job d -a 1-2 -d "aftercorr:$a"
scancel "${a}_1"
for i in 1 2 3 4 5 6 7 8 9; do [ "$(squeue -h -t R -n a -r -o %K)" = 2 ] || sleep 0.3; done
table
scene singleton
runs a -J same
show sbatch -o /dev/null -J same -d singleton --wrap 'sleep 60'
show sbatch -o /dev/null -J other -d singleton --wrap 'sleep 60'
JOBS=$(squeue -h -o %A | paste -sd,)
settle
squeue -h -S i -o '%j %T %r'
scene changed while it waits
runs a -n1
job b -d "afterok:$a"
show_keys Dependency scontrol show job "$b"
show scontrol update JobId="$b" Dependency="afterany:$a"
show squeue -h -j "$b" -o '%E'
show scontrol update JobId="$b" Dependency=nonsense
show scontrol update JobId="$b" Dependency=
table
scene of itself
job a -H
show scontrol update JobId="$a" Dependency="afterok:$a"
job b -H -d "afterok:$a"
show scontrol update JobId="$a" Dependency="afterok:$b"
scene what is shown
runs a -n1
job b -d "afterok:$a,afterany:$a,afternotok:$a,after:$a,afterburstbuffer:$a"
job c -d "after:$a+5"
job d -d "afterok:$a?afterok:$a"
show squeue -h -j "$b,$c,$d" -S j -o '%j %E'
