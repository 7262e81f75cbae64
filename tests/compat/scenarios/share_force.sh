# A partition whose CPUs carry several jobs, whether they want it or not.
scene twice, and no more
job a -p two -w n1 -n 8
job b -p two -w n1 -n 8
job c -p two -w n1 -n 1
table
cores a b
scene idle ones first
job a -p two -w n1 -n 4
job b -p two -w n1 -n 2
job c -p two -w n1 -n 4
job d -p two -w n1 -n 2
table
cores a b c d
scene idle nodes first
job a -p two -n 8
job b -p two -n 8
job c -p two -n 8
job d -p two -n 8
job e -p two -n 8
table
scene three times
job a -p three -w n1 -n 8
job b -p three -w n1 -n 8
job c -p three -w n1 -n 8
job d -p three -w n1 -n 8
table
