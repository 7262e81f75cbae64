# --segment: so many nodes in one block each.
for a in '-N4 --segment=1' '-N4 --segment=2' '-N6 --segment=2' '-N6 --segment=3' '-N8 --segment=4' '-N2 --segment=4'; do
	scene "$a"
	# shellcheck disable=SC2086
	job a $a
	table
done
scene segments around what is taken
runs a -w n1 -N1 --exclusive
job b -N4 --segment=2 --exclusive
job c -N2 --segment=1 --exclusive
table
scene segments that are not there
runs a -w n1 -N1 --exclusive
runs b -w n3 -N1 --exclusive
runs c -w n5 -N1 --exclusive
job d -N4 --segment=2
table
scene more segments than there are blocks
job a -N6 --segment=3
job b -N9 --segment=3
table
scene spread
job a -N4 --segment=1 --spread-segments
table
scene spread over more than there are
job a -N8 --segment=1 --spread-segments
scene consolidated
runs a -w n1 -N1 --exclusive
job b -N4 --segment=2 --consolidate-segments
table
scene consolidated and spread
job a -N2 --segment=1 --consolidate-segments --spread-segments
table
scene segments by name
job a -N4 --segment=2 -w n[1-4]
job b -N4 --segment=2 -w n[1,5-7]
job c -N4 --segment=2 -w n5
table
scene what is refused
for v in -1 x 3; do show sbatch -H -N4 -o /dev/null --segment=$v --wrap true; done
show sbatch -H -N3-5 -o /dev/null --segment=2 --wrap true
scene what is shown
job a -H -N4 --segment=2 --spread-segments
job b -H -N4 --segment=0
show_keys 'SegmentSize|SpreadSegments|ConsolidateSegments' scontrol show job "$a"
show squeue -h -S i -O Name:4,SegmentSize:6
