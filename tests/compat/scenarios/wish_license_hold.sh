keep -L matlab:3
a=$JOB
keep -L matlab:2
b=$JOB
wait_reason "$b" Licenses
show scontrol show licenses
show squeue -o '%A %t %r %W' -S i
say "others go on"
put -L matlab
put -L ansys:2
put -n1
say "the first ends"
scancel "$a"
wait_state "$b" RUNNING
show scontrol show licenses matlab
show_keys 'Licenses|LicensesAlloc' scontrol show job "$b"
