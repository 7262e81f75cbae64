# Jobs of every fate, then what sacct tells of them: filters, selections, forms.
mask 's/SchedBackfill/SchedMain/; s/SchedSubmit/SchedMain/'
batch() { sub -o /dev/null "$@"; }
last() { wait_end "$JOB"; }
# acct ARG...: what sacct says of jobs without their steps.
acct() { show sacct -X "$@"; }
# ours ARG...: the same, of jobs that this scenario submitted.
ours() { acct --name="$NAMES" "$@"; }
NAMES=ok,fail,signal,steps,arr,het,third,gpu,gone,never,fast,forever,signals,direct,bad,alloc,held,tasks,stop,run
# tick: the next second begins; jobs of one second are sorted by other things than their time.
tick() { local s; s=$(date +%s); while [ "$(date +%s)" = "$s" ]; do command sleep 0.05; done; }

# The usual window begins at midnight: not while the scenario runs.
while [ "$(date +%H%M)" -ge 2357 ]; do command sleep 5; done
FIRST=$(date +%s)
batch -J ok -n2 --comment=note --extra=more --wrap 'srun true'; OK=$JOB; last
batch -J fail --wrap 'exit 3'; FAIL=$JOB; last
batch -J signal --wrap 'kill -9 $$'; SIGNAL=$JOB; last
batch -J steps -N2 -n2 --ntasks-per-node=1 --wrap 'srun -n1 -N1 true; srun -n2 false; srun -J named sleep 1; exit 0'
STEPS=$JOB; last
tick; batch -J arr -a 0-3 --wrap 'exit $((SLURM_ARRAY_TASK_ID % 2))'; ARR=$JOB; last; tick
batch -J het -n1 : -n2 --mem=50 : -J third -p fine --wrap 'srun true'; HET=$JOB; last
batch -J gpu --gres=gpu:2 -q high -A physics --wrap 'srun true'; GPU=$JOB; last
batch -J gone --wrap 'srun sleep 100; sleep 100'; GONE=$JOB; wait_step "$GONE.0"; scancel "$GONE"; last
batch -J never -H --wrap true; NEVER=$JOB; scancel "$NEVER"; last
batch -J fast -C fast --mem=1G -t 2:30 --wrap true; CONS=$JOB; last
batch -J forever -t UNLIMITED --mem-per-cpu=1536 -c2 --wrap 'srun -c2 true; srun -n1 -c1 --mem=100 true'
UNLIM=$JOB; last
batch -J signals --wrap 'srun bash -c "kill -11 \$\$"; srun bash -c "kill -15 \$\$"; exit 2'; SIGS=$JOB; last
srun -Q -J direct -n2 true
srun -Q -J bad -n1 false 2>/dev/null
salloc -Q -J alloc -n2 bash -c 'srun true; srun -n1 true' >/dev/null 2>&1
batch -J held -H --wrap true; HELD=$JOB
tick; batch -J tasks -H -a 1-5%2 --wrap true; TASKS=$JOB; tick
batch -J stop -w n2 --wrap 'sleep 900'; STOP=$JOB; wait_state "$STOP" RUNNING; scontrol suspend "$STOP"
batch -J run -w n1 --wrap 'srun sleep 900'; RUN=$JOB; wait_step "$RUN.0"
pause; pause

printf '== usual columns\n'
show sacct -j "$OK"
show sacct -j "$OK,$FAIL,$SIGNAL,$STEPS"
show sacct -j "$ARR"
show sacct -j "$HET"
show sacct -j "$GPU,$GONE,$NEVER"
show sacct -j "$SIGS,$UNLIM"
show sacct --name=direct,bad,alloc
show sacct -j "$HELD,$TASKS,$STOP,$RUN"

printf '== jobs alone\n'
ours
acct -j "$OK,$FAIL,$SIGNAL,$STEPS,$ARR"
acct -j "$HET"
show sacct --allocations --jobs="$GPU"

printf '== selections by id\n'
show sacct -j "$OK.batch"
show sacct -j "$OK.0"
show sacct -j "$OK.7"
show sacct -j "$OK.0,$FAIL"
show sacct -j "$OK" -j "$FAIL" -X
acct -j "$OK,"
acct -j 4999
show sacct -j "${ARR}_1"
show sacct -j "${ARR}_1.batch"
show sacct -j "${ARR}_9"
show sacct -j "$((HET + 1))"
show sacct -j "$HET+1"
acct -j "$HET+9"
acct -j "$HET" --whole-hetjob=no
acct -j "$((HET + 1))" --whole-hetjob
acct -j "$((HET + 1))" --whole-hetjob=yes
acct -j "$TASKS"
acct -j "$TASKS" --array
show env SLURM_BITSTR_LEN=3 sacct -X -j "$TASKS"

printf '== filters\n'
acct --name=ok,fail
acct --name=nosuch
ours -A physics
ours -A physics,nosuch
ours -q high
acct --qos=high,normal --name=ok,gpu
ours -r fine
acct --partition=fine,main --name=third,ok
ours -u games
acct -u root --name=ok
acct -u 0 --name=ok
acct -g root --name=ok
acct --gid=0 --name=ok
acct -a --name=ok
ours -W nosuch
ours -C fast
ours -C nosuch
acct -N n1 --name=run
acct -N n2 --name=run
acct -N 'n[1-2]' --name=run,stop
ours -N nosuch
ours -i 2
ours -i 2-4
ours -I 4
ours -k 3
ours -k 2 -K 10
acct -K 10 --name=ok
acct -M compat --name=ok
acct -M all --name=ok
ours -M nosuch
acct -L --name=ok
acct --local --name=ok
acct --federation --name=ok
acct -R None --name=ok
acct -F StartReceived -j "$OK,$HELD"

printf '== states\n'
show sacct -s R --name=run
ours -s R,S
ours -s PD
ours -s F
ours -s F -S midnight
ours -s F -S midnight -E now
ours -s failed,CA -S 00:00 -E now
ours -s cd -S 00:00 -E now --name=ok,steps,arr
ours -s TO -S 00:00 -E now
ours -s NF,BF,DL,OOM,PR -S 00:00 -E now
ours -s PD -S 00:00 -E now
acct -s F -j "$OK,$FAIL"
acct -s CA -j "$NEVER,$GONE"
ours -s RQ -S 00:00 -E now

printf '== times\n'
acct -S now-2hours --name=ok
ours -S now
ours -S "$(date -d "@$((FIRST - 3600))" +%Y-%m-%dT%H:%M:%S)" -E "$(date -d "@$FIRST" +%Y-%m-%dT%H:%M:%S)"
ours -S 1971-01-01 -E 1971-01-02
acct -S 0101 --name=ok
acct -S 01/01 --name=ok
acct -S 01.01 -E now --name=ok
acct -S 2020-01-01T10:00 --name=ok
acct -S today --name=ok
acct -S midnight --name=ok
acct -E now+1hour --name=ok
acct -T -S now-1days --name=ok

printf '== forms\n'
show sacct -b -j "$OK"
show sacct -p -j "$OK"
show sacct -P -j "$OK"
show sacct -P -p -X -j "$OK"
show sacct -p -P -X -j "$OK"
show sacct -P --delimiter=XX -j "$OK"
show sacct -P --delimiter= -X -j "$OK"
show sacct --parsable2 --delimiter='\t' -X -j "$OK"
show sacct -n -j "$OK"
show sacct -n -P -X -j "$OK" -o jobidraw,state,exitcode
show sacct -j "$OK" -o jobid%30,jobname%-20,state%3
show sacct -j "$OK" -o jobid,job
show sacct -j "$OK" -o jobid%,state%0,user%x
show sacct -X -j "$OK" -o user -o jobid
show sacct -X -b -j "$OK" -o user
show sacct -P -X -j "$OK" -o 'jobid%20,state%3'
show env SACCT_FORMAT=user,jobid sacct -X -j "$OK"
show env SACCT_FORMAT=user,jobid sacct -X -j "$OK" -o state
show sacct -X -l -n -P -j "$HELD"
show sacct -X -b -l -j "$HELD"
show sacct --helpformat
show sacct -e
show sacct --helpstate
show sacct --usage

printf '== scripts\n'
show sacct -B -j "$OK"
show sacct -B -j "$OK,$FAIL"
show sacct --batch-script -j 4999
show sacct -X --env-vars -j 4999
