# --switches: so many leaf switches at most, or a while of waiting.
scene one switch is there
job a -N3 --switches=1
table
scene one switch is not there now
runs a -w n1 -N1 --exclusive
runs b -w n4 -N1 --exclusive
job c -N3 --switches=1
table
scene two are
runs a -w n1 -N1 --exclusive
job b -N5 --switches=2
table
scene a range takes what one switch has
runs a -w n1 -N1 --exclusive
runs b -w n4 -N1 --exclusive
job c -N2-4 --switches=1
table
scene after the time any will do
runs a -w n1 -N1 --exclusive
runs b -w n4 -N1 --exclusive
job c -N3 --switches=1@0:03
wait_state "$c" RUNNING 20
table
scene more than any switch has, for a while
job a -N4 --switches=1@0:03
settle
wait_state "$a" RUNNING 15
table
scene what is shown of the wish
job a -H -N3 --switches=2
job b -H -N3 --switches=1@0:05
job c -H -N3 --switches=1@60
job d -H -N3 --switches=1@x
job e -H -N3
show squeue -h -S i -O Name:4,ReqSwitch:6,Wait4Switch:10
scene values
for v in 0 -1 x @5 1.5 99999999999; do show sbatch -H -o /dev/null --switches=$v --wrap true; done
