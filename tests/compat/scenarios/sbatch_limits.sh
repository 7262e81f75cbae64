# Requests that can never or not now be met: what sbatch says, and the reason of those that are taken.
one() {
	show sbatch --parsable "$@" --wrap true
	[ "$rc" != 0 ] || { sleep 0.1; squeue -h -j "$(cat "$QUIET.out")" -o '  %t %r' | sed -E \
		's,(None|BeginTime|PartitionConfig)$,waits,'; scancel "$(cat "$QUIET.out")"; }
}
one --begin=now+1hour -N 5
one --begin=now+1hour -n 33
one --begin=now+1hour -n 100
one --begin=now+1hour -c 9
one --begin=now+1hour -N 1 -n 9
one --begin=now+1hour --mem=5000
one --begin=now+1hour --mem-per-cpu=5000
one --begin=now+1hour --gres=gpu:5
one --begin=now+1hour --gres=nosuch:1
one --begin=now+1hour --gres=gpu:tesla:1
one --begin=now+1hour -w nosuch
one --begin=now+1hour -w n1,nosuch
one --begin=now+1hour -x nosuch
one --begin=now+1hour -x 'n[1-4]'
one --begin=now+1hour -p nosuch
one --begin=now+1hour -p main,nosuch
one --begin=now+1hour -p half -w n3
one --begin=now+1hour -C nosuch
one --begin=now+1hour -t 0
one --begin=now+1hour -A nosuch
one --begin=now+1hour -q nosuch
one --begin=now+1hour --reservation=nosuch
one --begin=now+1hour -L nosuch
one --begin=now+1hour -N 0
one --begin=now+1hour -n 0
one --begin=now+1hour --mincpus=9
one --begin=now+1hour --tmp=100000
one --begin=now+1hour --switches=1
