# The keys of scontrol update, of jobs that wait and that run.
try() { for kv in "$@"; do show scontrol update jobid="$JOB" "$kv"; done; }
scene times of one that waits
sub -H -N1 --wrap 'sleep 300'
try timelimit=5 timelimit+=3 timelimit-=2 timemin=2 timemin=99 endtime=now+2hour delayboot=5
show_keys 'TimeLimit|TimeMin|DelayBoot' scontrol show job "$JOB"
scene counts of one that waits
sub -H -N1 --wrap 'sleep 300'
try numcpus=2 numnodes=1-3 numtasks=2 cpuspertask=2 mincpusnode=2 taskspernode=2 reqcores=1 reqsockets=1 reqthreads=1
scene words of one that waits
sub -H -N1 --wrap 'sleep 300'
try comment=c extra=e jobname=j mailuser=me adminComment=hello workdir=/tmp stdout=/tmp/o stderr=/tmp/e \
	stdin=/dev/null nice=5
show_keys 'JobName|Comment|AdminComment|Extra|WorkDir|StdOut|StdErr|StdIn|Nice' scontrol show job "$JOB"
scene refused
sub -H -N1 --wrap 'sleep 300'
try features=nosuch partition=nosuch licenses=foo prefer=x priority=5 dependency=afterok:999999 arraytaskthrottle=2 \
	burstbuffer=x corespec=1 nosuchkey=1 comment+=x requeue=abc contiguous=abc timelimit=abc
scene of one that runs
sub -N1 --wrap 'sleep 300'
wait_state "$JOB" RUNNING
try contiguous=yes cpuspertask=2 dependency=singleton excnodelist=n1 features=x gres=gpu:1 mincpusnode=2 numcpus=2 \
	numtasks=2 partition=short starttime=now stdout=/tmp/o workdir=/tmp
try comment=c extra=e jobname=j nice=5 requeue=0 timelimit=5 timelimit+=3 timemin=2 deadline=now+1hour
show_keys 'JobName|Comment|Extra|Requeue|TimeLimit' scontrol show job "$JOB"
scene by name
sub -H -J aa --wrap 'sleep 300'
sub -H -J aa --wrap 'sleep 300'
show scontrol update jobname=aa comment=xx
squeue -h -o %k
show scontrol update jobname=nosuch comment=yy
show scontrol update jobid=999999 name=x
show scontrol update jobid="$JOB"
