# YES: a job that asks for it shares.
scene both ask
job a -p yes -w n1 -n 8 -s
job b -p yes -w n1 -n 8 -s
job c -p yes -w n1 -n 8 -s
table
scene one asks
job a -p yes -w n1 -n 8
job b -p yes -w n1 -n 8 -s
table
scene the other asks
job a -p yes -w n1 -n 4 -s
job b -p yes -w n1 -n 4
job c -p yes -w n1 -n 4
table
cores a b
scene asking where it is not given
job a -p main -w n1 -n 8 -s
job b -p main -w n1 -n 1 -s
table
