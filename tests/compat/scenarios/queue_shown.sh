# What scontrol and squeue tell of jobs that wait.
field() { show_keys 'JobState|Reason|NumNodes|NumCPUs|NumTasks|CPUs/Task|ReqTRES|AllocTRES|MinCPUsNode|MinMemoryNode|MinMemoryCPU|MinTmpDiskNode|ReqNodeList|ExcNodeList|NodeList|SchedNodeList|Features|OverSubscribe|Exclusive|Contiguous|Licenses|Network|Nice|TimeLimit|TimeMin|Requeue|Restarts|BatchFlag|Dependency|TresPerNode|StdOut|KillOInInvalidDependent' "$@"; }
mask 's,StdOut=.*,StdOut=FILE,'
scene one that waits for room
runs x -N4 --exclusive -t 30
job a -n1 -t 20
settle
field scontrol show job "$a"
show_keys 'StartTime|EndTime|EligibleTime' scontrol show job "$a" | sed 's/=2.*T.*/=TIME/'
scene of several nodes
runs x -N4 --exclusive -t 30
job a -N3 -t 20
settle
field scontrol show job "$a"
scene tasks
runs x -N4 --exclusive -t 30
job a -n6 -c2 -t 20
settle
field scontrol show job "$a"
scene many wishes
runs x -N4 --exclusive -t 30
job a -N2 --ntasks-per-node=2 --mem=500 -x n4 --contiguous --nice=7 --time-min=5 -t 20 --no-requeue -L lic:2
settle
field scontrol show job "$a"
scene named nodes
runs x -N4 --exclusive -t 30
job a -w n2,n3 -t 20 --exclusive
settle
field scontrol show job "$a" | grep -v NumNodes
scene the expected start
runs x -N4 --exclusive -t 30
job a -N4 -t 20
job b -N4 -t 20
settle
for i in $(seq 100); do squeue -h -j "$a" -o %S | grep -q N/A || break; sleep 0.1; done
show squeue -h --start -j "$a" -o '%j %T %D %Y %r'
at() { date -d "$(squeue -h -j "$1" -o %S)" +%s; }
echo "the first begins $((($(at "$a") - $(date -d "$(squeue -h -j "$x" -o %e)" +%s) + 5) / 60)) minutes after the end"
scene times
show sbatch --test-only -N4 -t 10 --wrap true 2>&1 | sed -E \
	's/to start at \S+ using ([0-9]+) .*nodes (\S+) .*/to start at TIME using \1 on \2/; s/Job [0-9]+/Job N/'
