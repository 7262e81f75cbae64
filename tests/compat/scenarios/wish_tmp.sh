put --tmp 500
put --tmp 1000
put --tmp 1G
put --tmp 1001
put --tmp 500 -N2
put --tmp 500 -w n1
