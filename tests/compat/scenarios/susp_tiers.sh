# Suspended by a higher tier, and resumed.
scene suspended and resumed
runs a -N2 --exclusive
job b -p high -N2
table
scancel "$b"
table
scene one node of two
runs a -w n1 -n4
runs b -w n2 -n4
job c -p high -n4
table
scancel "$c"
table
scene room enough
runs a -n2
job b -p high -n2
table
scene the waiting ones wait
runs a -N2 -n8
job b -p high -N2 -n8
job c -N2 -n8
table
