# Which nodes blocks give.
for n in 1 2 3 4 5 6 8; do
	scene "$n nodes of empty blocks"
	job a -N"$n"
	table
done
scene tasks
job a -n 5
job b -n 2
table
scene more tasks than a block has
job a -n 9
table
scene a range of nodes takes the fewest
job a -N1-3
job b -N2-5
table
scene the fullest block that does
runs a -w n1 -N1 --exclusive
job b -N1-2 --exclusive
job c -N2 --exclusive
job d -N3
table
scene room and no block
runs a -w n1 -N1 --exclusive
runs b -w n3 -N1 --exclusive
runs c -w n5 -N1 --exclusive
runs d -w n7 -N1 --exclusive
job e -N2
table
scene room and no larger block
runs a -w n1 -N1 --exclusive -t 60
runs b -w n5 -N1 --exclusive -t 30
job c -N4 -t 60
settle
job d -N3 --exclusive -t 60
table
scene larger than the largest block
runs a -w n1 -N1 --exclusive
job b -N5
table
scene nodes by name of two blocks
job a -w n1,n3
job b -w n1,n3 -N4
table
scene contiguous and spread do not count
job a -N3 --contiguous
job b -n 4 --spread-job
table
