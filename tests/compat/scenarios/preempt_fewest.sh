# No more than needed have to go.
scene the smallest that is enough
job a -p end -w n1 -n 2
job b -p end -w n1 -n 6
table
job c -p own -w n1 -n 6
table
scene none if it would not start
job a -p end -w n1 -n 4
job b -p keep -w n1 -n 4
table
job c -p own -w n1 -n 8
table
scene the younger one
job a -p end -w n1 -n 4
table
sleep 1.1
job b -p end -w n1 -n 4
table
job c -p own -w n1 -n 4
table
