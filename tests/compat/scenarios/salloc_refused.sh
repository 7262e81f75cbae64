# salloc that gets nothing.
show salloc -N 9 -I true
show salloc -p nosuch true
show salloc -w nosuch true
show salloc -I -c 99 true
show salloc --nosuch true
show salloc -N x true
show salloc -p down -I true
sub -N 4 --exclusive -o /dev/null --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show salloc -I true
show salloc --immediate=1 true
(sleep 0.5; scancel "$JOB") &
show salloc echo waited
wait
show salloc --no-shell -I -N 9
mask '/has been revoked/d'
mask 's/J00[0-9]/JOB/g'
mask 's/Nodes n[1-4] are/Nodes N are/'
