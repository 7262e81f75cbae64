# Light nodes come first, whatever the switches.
scontrol update nodename=n[1-8] weight=10
scontrol update nodename=n1,n4,n7 weight=1
for n in 1 2 3 4 5 6; do
	scene "$n nodes, three of all are light"
	job a -N"$n"
	table
done
scene tasks, three nodes are light
job a -n 9
table
scontrol update nodename=n[1-8] weight=1
