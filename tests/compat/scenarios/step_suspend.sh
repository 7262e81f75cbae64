# scontrol suspend and resume of a job with a step.
rm -f count
sub -n 1 -o out.txt --wrap \
	'srun sh -c "i=0; while [ \$i -lt 200 ]; do i=\$((i+1)); echo \$i >count; sleep 0.05; done; echo counted"'
wait_state "$JOB" RUNNING
wait_file count
show scontrol suspend "$JOB"
sleep 0.3
before=$(cat count)
sleep 0.5
[ "$before" = "$(cat count)" ] && echo stands still
show squeue -h -j "$JOB" -o %T
show scontrol resume "$JOB"
wait_end "$JOB"
show_file out.txt
