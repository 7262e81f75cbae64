# Only a job that is in the way is suspended.
scene some
job a -p main -w n1 -n 4
job b -p main -w n1 -n 4
table
job c -p high -w n1 -n 4
table
cores a b c
scene idle ones first
job a -p main -w n1 -n 4
table
job b -p high -w n1 -n 4
table
cores a b
scene idle nodes first
job a -p main -w n1 -n 8
table
job b -p high -n 8
table
