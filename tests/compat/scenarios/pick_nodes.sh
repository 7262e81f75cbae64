# Which nodes: lists, features, neighbours.
scene these nodes
job a -w n3
job b -w n2,n4
job c -w n2 -N3
job d -w n1,n2,n3 -N2
table
scene these nodes are too few
job a -p two -w n1,n3
job b -w n9
job c -p two -w n1 -N3
table
scene these nodes are busy
runs a -w n2 --exclusive
job b -w n2
job c -w n2,n3
job d -n1
table
scene not these nodes
job a -x n1
job b -p four -x 'n[1-3]'
job c -p two -x n1,n2
job d -p four -x n2 -N4
table
scene both lists
job a -w n1 -x n1
job b -p four -w n2 -x n1,n3 -N2
table
scene from a file
printf 'n3\nn4\n' >list
job a -F list
printf 'n1 n2\n' >list
job b -F list -N1
table
scene one feature
job a -C blue
job b -C green
job c -C black
job d -C red -N2
table
scene features and
job a -C 'red&fast'
job b -C 'blue&fast'
job c -C 'red&blue'
job d -C 'fast&green' -N2
table
scene features or
job a -C 'blue|green'
job b -C 'red|blue' -N4
job c -C 'green|blue' -N3
table
scene all of one feature
job a -C '[red|blue]' -N2
job b -C '[red|blue]' -N2
job c -C '[red|blue|green]' -N3
table
scene features with counts
job a -C '[red*1&blue*1]' -N2
job b -C '[red*2&green*1]' -N3
job c -C 'fast*2' -N4
table
scene features preferred
job a --prefer=green
job b --prefer=black
job c --prefer=blue -p two
table
scene neighbours
runs a -p four -w n2 --exclusive
job b -p four -N2 --contiguous
job c -p four -N3 --contiguous
job d -p four -N2 --contiguous -n16
table
scene neighbours from to
runs a -w n3 --exclusive
job b -N2-4 --contiguous -n 3
table
scene best of gaps
runs a -p four -w n2 --exclusive
job b -p four -N2
job c -p four -N1
table
scene whole nodes
runs a -p four --exclusive -n1
job b -p four -n3
job c -p four --exclusive -n9
job d -p four --exclusive
table
scene whole nodes wait for empty ones
job a -p two -n1
job b -p two -w n2 -n1
job c -p two --exclusive
job d -p two -n1 -t 10
table
scene shared on request
job a -p two -s -n8
job b -p two -s -n8
job c -p two -s -n8
table
