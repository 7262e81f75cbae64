say "all nodes of one kind"
put -N2 -C '[rack1|rack2]'
put -N1 -C '[rack2|rack1]'
put -N3 -C '[rack1|rack2]'
put -N2 -C '[fast|intel]'
put -N2 -C '[gpu|intel]'
put -n9 -C '[rack1|rack2]'
say "the first rack is in use"
sub -o /dev/null -w n1 --exclusive --wrap 'sleep 300'
wait_state "$JOB" RUNNING
put -N2 -C '[rack1|rack2]'
put -N1 -C '[rack1|rack2]'
say "both are"
sub -o /dev/null -w n3 --exclusive --wrap 'sleep 300'
wait_state "$JOB" RUNNING
put -N2 -C '[rack1|rack2]'
put -N1 -C '[rack1|rack2]'
