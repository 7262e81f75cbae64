# scancel by id: pending, running, finished, missing, several, wrong words.
sub -J a -H --wrap true
a=$JOB
sub -J b -H --wrap true
b=$JOB
sub -J c --wrap 'exec sleep 300'
c=$JOB
sub -J d -H --wrap true
d=$JOB
wait_state "$c" RUNNING
show scancel "$a"
show_keys 'JobState|Reason|ExitCode|EndTime' scontrol show job "$a"
show scancel -v "$b"
show scancel "$c" "$d"
wait_end "$c"
show_keys 'JobState|Reason|ExitCode' scontrol show job "$c"
show squeue -h
show scancel "$a"
show scancel -v "$a"
show scancel 999999
show scancel -v 999999
show scancel -Q 999999
show scancel nosuch
show scancel
show scancel 0
show scancel -- -1
show scancel 1.2.3
show scancel "$a,$b"
show scancel --nosuch
show scancel -V
show scancel --usage
sub -H --wrap true
show scancel "$JOB.0"
show scancel "$JOB.batch"
show squeue -h -o %t
mask 's/^! scancel: (Terminating|Signal).*J/&/'
