# What is asked for, and what the record then says.
one() {
	show sbatch -H --parsable "$@" --wrap true
	[ "$rc" != 0 ] || show_keys 'NumNodes|NumCPUs|NumTasks|CPUs/Task|ReqTRES|MinCPUsNode|MinMemoryNode|MinMemoryCPU|MinTmpDiskNode|TimeLimit|TresPerNode|TresPerTask|TresPerJob|OverSubscribe|Exclusive|NtasksPerN:B:S:C|Nice|Features|ReqNodeList|ExcNodeList|CpusPerTres|MemPerTres' \
		scontrol -o show job "$(cat "$QUIET.out")" | tail -n +2 | paste -sd' '
}
one
one -N 2
one -n 5
one -N 2 -n 5
one -n 2 -c 3
one --ntasks-per-node=2 -N 2
one --ntasks-per-node=3
one --mem=1G
one --mem=1500K
one --mem=0
one --mem-per-cpu=2G
one --mem-per-cpu=50M -n 4
one --gres=gpu:2
one --gres=gpu
one --gpus=2
one --gpus-per-node=2 -N 2
one --gpus-per-task=1 -n 2
one --exclusive
one -s
one -t 90
one -t 1:30
one -t 1:30:30
one -t 2-3
one -t 2-3:4
one -t 2-3:4:5
one -t 0
one -t UNLIMITED
one -t infinite
one -t 0:20
one --time-min=5 -t 10
one -w n1,n2
one -w n[1-3] -N 3
one -x n[2-3]
one --nice
one --nice=-5
one -p half
one -O -n 4
one --contiguous
