# Nodes drained, draining, down, failing: state words and reasons.
show_nodes() { show_sorted sinfo -N -p main -o '%N %t %T %E'; }
sub -w n1 -n 8 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
show scontrol update NodeName=n1 State=DRAIN Reason='fan noise'
show scontrol update NodeName=n2 State=DRAIN Reason='bad disk'
show scontrol update NodeName=n3 State=DOWN Reason='it burns'
show_nodes
show sinfo
show sinfo -s
show sinfo -l
show_sorted sinfo -R
show_unordered sinfo -R -h
show_sorted sinfo -lR
show sinfo -t drain -h -o '%N %t'
show sinfo -t drng -h -p main -o '%N %t'
show sinfo -t drained -h -p main -o '%N %t'
show sinfo -t down -h -p main -o '%N %t'
show sinfo -d -h -p main -o '%N %t'
show sinfo -r -h -p main -o '%N %t'
show_keys 'NodeName|State|Reason' scontrol show node n1
show_keys 'NodeName|State|Reason' scontrol show node n2
show_keys 'NodeName|State|Reason' scontrol show node n3
mask 's/uid=[0-9]+/uid=0/'
scancel "$JOB"
wait_end "$JOB"
show scontrol update NodeName=n1 State=RESUME
show scontrol update NodeName=n2 State=UNDRAIN
show scontrol update NodeName=n3 State=IDLE
nodes_idle
show_nodes
show scontrol update NodeName=n[1-2] State=DRAIN
show scontrol update NodeName=n1 State=NOSUCH
show scontrol update NodeName=n9 State=RESUME
show scontrol update NodeName=n1 Weight=5
show sinfo -N -h -p half -o '%N %w'
show scontrol update NodeName=n1 Weight=1
show scontrol update NodeName=n2 State=RESUME
for n in 1 2 3 4; do scontrol update NodeName=n$n State=RESUME 2>/dev/null; done
nodes_idle
show_nodes
