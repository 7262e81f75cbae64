# Begin, deadline, dependencies, arrays.
scene begin later
job a -b now+1hour
job b -b now
job c -b 2099-01-01
table
scene a deadline
job a --deadline=now+2hours -t 60
job b --deadline=now+30minutes -t 60
job c --deadline=now-1hour
table
scene a deadline that can be met no more
runs a -N4 --exclusive -t 60
job b -N4 --deadline=now+90minutes -t 60
table
scene after another
runs a
job b -d after:$a
job c -d afterany:$a
job d -d afterok:$a
job e -d afternotok:$a
table
scancel "$a"
wait_end "$a"
table
scene after a success
runs a
scancel "$a"
wait_end "$a"
job b -d afterok:$a
job c -d afternotok:$a
job d -d afterany:$a
table
scene after a success, never
job a -H
job b -d afterok:$a --kill-on-invalid-dep=yes
job c -d afterok:$a --kill-on-invalid-dep=no
scancel "$a"
table
scene after several
runs a
job b -H
job c -d afterany:$a:$b
job d -d afterany:$a,afterany:$b
job e -d "afterany:$a?afterany:$b"
scancel "$a"
table
scene after some minutes
runs a
job b -d after:$a+5
job c -d after:$a
table
scene one at a time
job s -d singleton
job t -d singleton
sub -J s -d singleton -o /dev/null --wrap 'sleep 90'
JOBS+=,$JOB
table
scene an array with a limit
job a --array=1-5%2
table
scene an array waits for room
runs a -N4 --exclusive
job b --array=1-3 -N2 --exclusive
table
scontrol hold "$b"
scancel "$a"
wait_end "$a"
scontrol release "$b"
table
scene an array one by one
job a --array=0-6:3 -n4
table
scontrol update JobId="$a" ArrayTaskThrottle=1
table
scene after each of an array
runs a --array=1-2
job b --array=1-2 -d aftercorr:$a
job c -d afterok:${a}_1
scancel "${a}_1"
wait_end "${a}_1"
table
scene an array that is held
job a --array=1-3
job b --array=1-2 -H
table
scene suspended
runs a -N4 --exclusive
settle
scontrol suspend "$a"
job b -n1
table
scontrol resume "$a"
table
scene requeued and held
runs a -n1
scontrol requeuehold "$a"
table
