say "preferred, when it can be had"
put --prefer gpu
put --prefer rack2 -N2
put --prefer big -C intel
put --prefer gpu -C intel
put --prefer '[rack2|rack1]' -N2
say "not now"
sub -o /dev/null -w n4 --exclusive --wrap 'sleep 300'
wait_state "$JOB" RUNNING
put --prefer gpu
put --prefer gpu -C amd
put --prefer rack2 -N2
