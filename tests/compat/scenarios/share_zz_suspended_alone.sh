# A suspended job that wanted its nodes alone lends them all the same.  (The last of its kind: Slurm does not count
# right after it.)
scene alone
job a -w n1 -n 1 --exclusive
table
scontrol suspend "$a"
job b -w n1 -n 1
job c -w n1 -n 1 --exclusive
table
