say "without AllowSpecResourcesUsage"
put -S 2
put --thread-spec 2
put -S 0
put -S x
put -S 2 --thread-spec 2
sub -o /dev/null -S 2 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show_keys 'CoreSpec|ThreadSpec|NumCPUs|OverSubscribe|Exclusive' scontrol show job "$JOB"
show squeue -h -j "$JOB" -o '%X %C %h'
