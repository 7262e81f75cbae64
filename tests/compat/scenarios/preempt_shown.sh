# How it is told.
for p in main again end keep plain high; do show_keys 'OverSubscribe|PreemptMode|PriorityTier' scontrol show \
	partition $p; done
show sinfo -h -o '%R %h %M'
scontrol show config | grep -E '^(Preempt|SchedulerTimeSlice)'
scene times
job a -p main -w n1 -n 8
table
job b -p high -w n1 -n 8
table
show_keys 'JobState|Reason|PreemptTime|PreemptEligibleTime' scontrol show job "$a" | sed 's/=2.*T.*/=TIME/'
