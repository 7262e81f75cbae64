# The smaller one goes.
scene one node or two
job a -p end -N2 -w n1,n2 -n 16
table
job b -p end -w n3 -n 8
table
job c -p end -w n4 -n 8
job d -p own -N1 -n 8
table
