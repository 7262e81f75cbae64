# --exclusive, --oversubscribe and what they leave for others.
sub -J alone -w n1 --exclusive -n 1 --wrap 'sleep 300'
alone=$JOB
wait_state "$alone" RUNNING
show squeue -h -j "$alone" -o '%C %D %h'
show_keys 'NumCPUs|ReqTRES|AllocTRES|OverSubscribe|Exclusive' scontrol show job "$alone"
sub -J wants -w n1 -n 1 --wrap true
for i in $(seq 1200); do [ "$(squeue -h -j "$JOB" -o %r)" = None ] || break; sleep 0.05; done
show squeue -h -j "$JOB" -o '%T %r'
show sinfo -h -p main -o '%t %N'
sub -J share -w n2 -s -n 1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show squeue -h -j "$JOB" -o '%C %h'
show_keys 'OverSubscribe|Exclusive' scontrol show job "$JOB"
