say "more than there are"
put -N3 -C 'rack1*3'
put -N3 -C '[rack1*3]'
put -N4 -C '[rack1*3&rack2*1]'
put -N2 -C 'gpu*2'
say "one is in use"
sub -o /dev/null -w n4 --exclusive --wrap 'sleep 300'
wait_state "$JOB" RUNNING
put -N2 -C 'gpu*1'
put -N2 -C '[rack1*1&rack2*1]'
put -N3 -C '[rack1*1&rack2*2]'
