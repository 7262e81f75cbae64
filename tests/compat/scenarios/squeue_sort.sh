# Orders: by id, name, state, user, time; ascending and descending; several keys; ties.
sub -J m -t 30 -n 32 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
sub -J c -H -t 5 --wrap true
sub -J a -p short -H -t 20 --wrap true
sub -J b -n 32 -t 7 --wrap true
sub -J b -n 32 -t 6 -p half --wrap true
sub -J d -t 40 -n 32 --wrap true
wait_reason "$JOB" Priority
for s in i -i j,i -j,i t,i -t,i P,i P,-i -P,i l,i -l,i p,i -p,i j,-i -j,-i t,-i P,-i,j D,i -D,i C,i u,i V,i r A \
	nosuch; do
	printf '%s: ' "$s"
	squeue -h -S "$s" -o %A:%j:%t | paste -sd' '
done
show squeue -h -S nosuch -o %A
show squeue -h -S '?' -o %A
show squeue -h --sort=i -o %A
show env SQUEUE_SORT=i squeue -h -o %A
show env SQUEUE_SORT=i squeue -h -S -i -o %A
