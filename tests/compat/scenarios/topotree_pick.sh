# Which nodes a tree of switches gives.
for n in 1 2 3 4 5 6 7 8; do
	scene "$n nodes of an empty tree"
	job a -N"$n"
	table
done
scene what fits under the smallest switch goes there
job a -N2 --exclusive
job b -N1 --exclusive
job c -N2 --exclusive
job d -N1 --exclusive
table
scene tasks without a number of nodes
job a -n 4
job b -n 9
job c -n 2
table
scene more tasks than a switch has
job a -n 14
table
scene a range of nodes
job a -N2-5
table
scene a range of which less is there
runs a -w n1 -N1 --exclusive
runs b -w n4 -N1 --exclusive
job c -N3-8
table
scene a range, the fewest
job a -N2-5 --use-min-nodes
table
scene nodes by name and some more
job a -w n8 -N2
job b -w n2,n5 -N4
table
scene without some
job a -x n2 -N3
job b -x n2,n5 -N2
table
scene the holes that are left
runs a -w n1 -N1 --exclusive
runs b -w n4 -N1 --exclusive
job c -N2 --exclusive
job d -N3 --exclusive
job e -N1 --exclusive
table
scene contiguous
job a -N4 --contiguous
table
scene spread
job a -n5 --spread-job
table
