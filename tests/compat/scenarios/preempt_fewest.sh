# No more than needed have to go.
scene none if it would not start
job a -p end -w n1 -n 4
job b -p keep -w n1 -n 4
table
job c -p own -w n1 -n 8
table
