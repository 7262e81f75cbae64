# Which jobs may start before earlier ones.
scene a short one beside a big one
runs a -N3 --exclusive -t 30
job b -N4 --exclusive -t 30
job c -N1 -t 20
job d -N1 -t 40
table
scene none may delay the first
runs a -N3 --exclusive -t 10
job b -N4 --exclusive -t 30
job c -N1 -t 11
job d -N1 -t 9
table
scene beside what is kept
runs a -N2 --exclusive -t 10
job b -N3 --exclusive -t 30
job c -N1 --exclusive -t 60
job d -N1 --exclusive -t 5
table
scene small ones fill the holes
job a -N4 -n12 --ntasks-per-node=3 -t 30
job b -N4 -n8 --ntasks-per-node=2 -t 30
job c -n2 -t 20
job d -n4 -t 20
table
scene without a limit
runs a -N3 --exclusive -t 30
job b -N4 --exclusive -t 30
job c -N1 -t 0
table
scene several big ones
runs a -N3 --exclusive -t 20
job b -N4 --exclusive -t 20
job c -N4 --exclusive -t 20
job d -N1 --exclusive -t 15
job e -N1 --exclusive -t 15
table
scene time at least
runs a -N3 --exclusive -t 30
job b -N4 --exclusive -t 30
job c -N1 -t 60 --time-min=10
table
[ "$(squeue -h -j "$c" -o %l | tr -d :)" -lt 10000 ] && echo "less time than it asked for"
scene memory is kept, too
job a -N4 --mem=3000 -t 30
job b -N4 --mem=2000 -t 30
job c -n1 --mem=1500 -t 60
job d -n1 --mem=500 -t 20
table
scene other partitions do not wait
runs a -p two -N2 --exclusive -t 30
job b -p two -N2 --exclusive -t 30
job c -p rest -N1 -t 60
table
scene the one that waits for one node
runs a -w n1 --exclusive -t 30
job b -w n1 --exclusive -t 30
job c -w n1 -n1 -t 20
job d -n1 -t 60
table
scene licences
job a -L lic:3
job b -L lic:2
job c -L lic:1
job d -L lic:5
job e -n1
table
scancel "$a"
table
scene a licence for each
job a -L big
job b -L big
job c -L big,lic:2
job d -L nosuch
table
