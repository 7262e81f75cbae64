# The fields of jobs and steps, one after another.
mask 's/SchedBackfill/SchedMain/; s/SchedSubmit/SchedMain/'
batch() { sub -o /dev/null "$@"; }
# tick: the next second begins; jobs of one second are sorted by other things than their time.
tick() { local s; s=$(date +%s); while [ "$(date +%s)" = "$s" ]; do command sleep 0.05; done; }
# fields JOBS FIELDS: these fields of these jobs and their steps.
fields() { show sacct -P -j "$1" -o "jobid,$2"; }

batch -J plain -n2 --comment=note --extra=more --wrap 'srun true'; PLAIN=$JOB; wait_end "$JOB"
batch -J wide -N2 -n4 --ntasks-per-node=2 -t 90 --mem-per-cpu=50 \
	--wrap 'srun sleep 2; srun -N1 -n1 -c1 sleep 1; srun -n2 -m cyclic true; exit 4'
WIDE=$JOB
wait_end "$WIDE"
batch -J devices --gres=gpu:2 -q high -A physics -p fine --nice=5 --wrap 'srun true'; GPU=$JOB; wait_end "$JOB"
batch -J whole --exclusive --mem=0 -t UNLIMITED --wrap true; WHOLE=$JOB; wait_end "$JOB"
sub -J 'files here' -o '%x-%j-%u.out' -e err.%A -i /dev/zero --wrap true; FILES=$JOB; wait_end "$JOB"
tick; sub -J defaults -a 3 --wrap true; ARRAY=$JOB; wait_end "$JOB"; tick
batch -J many --mem=3G -c2 -C fast --wrap true; MANY=$JOB; wait_end "$JOB"
batch -J cut --wrap 'srun sleep 100; sleep 100'; CUT=$JOB; wait_step "$CUT.0"; sleep 1; scancel "$CUT"; wait_end "$JOB"
batch -J unborn -H --wrap true; NEVER=$JOB; scancel "$JOB"; wait_end "$JOB"
batch -J kept -H -n3 -t 10 --wrap true; HELD=$JOB
batch -J runs -w n1 --wrap 'srun -n1 sleep 900'; RUN=$JOB; wait_step "$RUN.0"
pause; pause
ALL=$PLAIN,$WIDE,$GPU,$WHOLE,$ARRAY,$MANY,$CUT,$NEVER,$HELD,$RUN

printf '== ids and names\n'
fields "$ALL" jobidraw,jobname,cluster,user,uid,group,gid,account,partition
fields "$FILES" jobname%20
fields "$GPU" account,qos,partition
printf '== resources\n'
fields "$ALL" alloccpus,ncpus,allocnodes,nnodes,ntasks,reqcpus,reqnodes
fields "$PLAIN,$WIDE,$WHOLE,$MANY,$HELD,$RUN" alloctres
fields "$PLAIN,$WIDE,$WHOLE,$MANY,$HELD,$RUN" reqtres,reqmem
show sacct --noconvert -P -j "$MANY,$PLAIN" -o jobid,reqmem,alloctres
show sacct --units=K -P -j "$MANY,$PLAIN" -o jobid,reqmem,alloctres
show sacct --units=M -P -j "$MANY,$PLAIN" -o jobid,reqmem,alloctres
show sacct --units=G -P -j "$MANY,$PLAIN" -o jobid,reqmem,alloctres
show sacct --units=T -X -P -j "$MANY" -o jobid,reqmem
show sacct --units=gg -X -P -j "$MANY" -o jobid,reqmem
fields "$ALL" constraints,exclusive,oversubscribe
fields "$PLAIN,$WIDE,$RUN" layout
fields "$HELD,$NEVER" nodelist
fields "$RUN" nodelist
printf '== state and time\n'
fields "$ALL" state,exitcode,derivedexitcode,reason,restarts,flags
fields "$ALL" submit,eligible,start,end
fields "$PLAIN,$WIDE,$HELD,$NEVER" timelimit,timelimitraw
fields "$WHOLE" timelimit
fields "$PLAIN,$GPU,$HELD" elapsed,suspended,cputime
fields "$HELD,$NEVER" elapsedraw,cputimeraw,totalcpu,usercpu,systemcpu
printf '== texts\n'
fields "$ALL" comment,extra,admincomment,systemcomment,licenses,wckey,mcslabel,container,blockid
fields "$PLAIN,$WIDE" submitline
fields "$PLAIN,$FILES,$ARRAY" stdin,stdout,stderr,workdir
show sacct -X -P --expand-patterns -j "$PLAIN,$FILES,$ARRAY" -o jobid,stdin,stdout,stderr
fields "$ALL" reservation,reservationid,reqreservation,segmentsize,failednode,wckeyid
fields "$ALL" reqcpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov
printf '== usage\n'
# What differs from run to run becomes a letter.
used() { printf '$ sacct %s\n' "$*"; sacct "$@" -n -P | sed -E 's/[0-9]+(\.[0-9]+)?[KM]?(\||$)/N\2/g'; }
used -j "$WIDE.0,$CUT.batch" -o maxrss,averss,maxvmsize,avevmsize
used -j "$WIDE.0,$CUT.batch" -o maxdiskread,avediskread,maxdiskwrite,avediskwrite
fields "$CUT.batch" maxpages,avepages,mincpu,avecpu,maxrsstask,maxvmsizetask,mincputask
printf '== columns\n'
show sacct -j "$PLAIN" -o jobid,alloccpus,allocnodes,associd%3,cluster,comment,cputime,elapsed,exitcode
show sacct -X -j "$HELD" \
	-o jobid,nnodes,nodelist,ntasks,partition,planned,qos,reqcpus,reqmem,state,timelimit,timelimitraw
show sacct -X -j "$PLAIN" -o failednode,reservationid,restarts,uid,gid,user,group,wckeyid
show sacct -X -j "$PLAIN" -o state%-12,user%4,jobname%2,jobid%-8
