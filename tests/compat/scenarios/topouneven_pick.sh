# Blocks that have more nodes than they count for, and one more block than there are pairs.
show scontrol show topology
for n in 2 3 4 5; do
	scene "$n nodes of uneven blocks"
	job a -N"$n"
	table
done
for a in '-N6 --segment=3' '-N6 --segment=2' '-N8 --segment=2' '-N4 --segment=2' '-N3 -w n1' '-N4 -w n1,n6' \
	'-N5 -w n6'; do
	scene "$a"
	# shellcheck disable=SC2086
	job a $a
	table
done
scene one node is taken
runs a -w n1 -N1 --exclusive
job b -N2 --exclusive
job c -N3 --exclusive
table
scene light nodes
scontrol update nodename=n[1-8] weight=10
scontrol update nodename=n1,n4 weight=1
job a -N2
job b -N1-2
job c -N4
table
scontrol update nodename=n[1-8] weight=1
