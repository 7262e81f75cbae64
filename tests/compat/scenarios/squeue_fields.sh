# Every one-letter field of squeue -o, for a running, a held and a finished job: header and value.
sub -J run -N 2 -n 4 -c 1 -t 1:30:00 --gres=gpu:1 -A acct --comment 'some words' --wrap 'sleep 300'
run=$JOB
sub -J held -H -p short,main -t 10 -n 3 -c 2 --mem=200 --nice=50 -x n4 -w n1 --begin=now+1hour --wrap true
held=$JOB
sub -J gone -o gone.%j --wrap 'exit 3'
gone=$JOB
wait_state "$run" RUNNING
wait_end "$gone"
mask 's/^(L: .*)[0-9]:[0-9]+:[0-9]+$/\1H:MM:SS/; s/^(A?[LMeS] .*)1:(30|29):[0-9][0-9]/\11:30:00/'
for f in a A b B c C d D e E f F g G h H i I j J k K l L m M n N o O p P q Q r R S t T u U v V w W x X y Y z Z; do
	for id in $run $held $gone; do
		printf '%s: ' "$f"
		squeue -t all -j "$id" -o "[%$f]" 2>&1 | paste -sd' ' | sed \
			's/1:2[5-9]:[0-5][0-9]/1:30:00/; s/\[TIME\] \[[0-9]:[0-9][0-9]\]/[TIME] [0:00]/'
	done
done
