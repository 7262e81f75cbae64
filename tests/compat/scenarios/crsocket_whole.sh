# Sockets are given.
scene one each
job a -w n1 -n 1
job b -w n1 -n 1
job c -w n1 -n 1
table
cores a b
scene more than one
job a -w n1 -n 5
job c -w n2 -n 4
job d -w n2 -n 4
table
scene memory by cpu
job a -w n1 -n 1 --mem-per-cpu=500
table
show_keys 'NumCPUs|AllocTRES' scontrol show job "$a"
