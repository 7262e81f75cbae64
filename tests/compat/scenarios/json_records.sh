# The structure of what the commands show as JSON and YAML, on a cluster that has every kind of record in it.

file sleeper.sh <<'S'
#!/bin/bash
#SBATCH --comment=words
srun -n2 --gres=gpu:1 sleep 900 &
srun -n1 --mem=50 --overlap sleep 900 &
wait
S
# ended ARG...: a job that has ended.
ended() { sub -o /dev/null "$@"; wait_end "$JOB"; }
# started ARG...: a job that sleeps.
started() { sub -o /dev/null "$@" --wrap 'sleep 900'; wait_state "$JOB" RUNNING; }

resv() { scontrol create reservation ReservationName="$@" >/dev/null; }
resv daily StartTime=now+1day Duration=60 Nodes=n4 Users=root,games Flags=DAILY
resv maint StartTime=now+2days Duration=120 Nodes=n5 Accounts=physics Flags=MAINT,IGNORE_JOBS
resv now StartTime=now Duration=600 PartitionName=fine Users=root Nodes=n5 Flags=IGNORE_JOBS
resv cores StartTime=now+3days Duration=60 NodeCnt=1 CoreCnt=2 Users=root
resv lic StartTime=now+1hour Duration=60 Licenses=ansys:1 Users=root Flags=LICENSE_ONLY
scontrol update NodeName=n6 State=DOWN Reason=broken

ended -J complete --wrap true
ended -J failed --wrap 'exit 3'
ended -J killed --wrap 'kill -9 $$'
sub -J cancelled -H -o /dev/null --wrap true; scancel "$JOB"
started -J stopped -w n1 -n1; scancel "$JOB"; wait_end "$JOB"

sub -J steps -w n1 -n2 --gres=gpu:2 --mem=300 -t 100 -L matlab:1 --mail-type=END --mail-user=root -o out.%j \
	sleeper.sh; STEPS=$JOB
wait_state "$STEPS" RUNNING; wait_step "$STEPS.0"; wait_step "$STEPS.1"
started -J wide -N2 -n4 -c2 -w n[2-3] -A physics --qos=high -C 'intel|amd' --requeue
started -J alone -w n4 --exclusive --mem-per-cpu=100 --gpus=2
scontrol update NodeName=n4 State=DRAIN Reason=soon
started -J reserved --reservation=now -p fine -n1
started -J still -w n2 -n1 --mem=50; scontrol suspend "$JOB"
started -J beside -w n1 -n1 --mem=10
sub -J tasks --array=1-4%2 -w n1 -n1 --mem=10 -o /dev/null --wrap 'sleep 900'; TASKS=$JOB
sub -J more --array=1-9:2 -H -o /dev/null --wrap true; MORE=$JOB
sub -J held -H -n1 -o /dev/null --deadline=now+2days --begin=now+1hour -t 10 --time-min=5 --nice=5 --wrap true; \
	HELD=$JOB
sub -J after -d "afterok:$STEPS,afterany:$HELD" -N1-2 -x n1 --prefer=rack2 --switches=1@5:00 -o /dev/null -e \
	/dev/null -i /dev/null --wrap true
sub -J wants -N4 -n32 --gpus-per-node=4 --mem-per-gpu=100 --ntasks-per-node=8 -o /dev/null --wrap true
sub -J licence -L ansys:2 -t 120 -p main,fine -o /dev/null --wrap 'sleep 900'
sub -J limited --qos=few -n3 -o /dev/null --wrap true
sub -J het -H -n1 -o /dev/null : -N2 --wrap true; HET=$JOB
started -J hetrun -n1 --mem=10 -w n1 : -n1 --mem=10 -w n2
srun -Q -J interactive -n1 --mem=10 -w n1 sleep 900 2>/dev/null & SRUN=$!
wait_step "$(job_named interactive).0"
wait_state "$TASKS" PENDING,RUNNING
pause; pause

shape squeue --json
shape squeue -t all --json
for parser in 42 43 44; do shape squeue -t all --json=v0.0.$parser; done
shape -n held squeue -j "$HELD" --json
shape -n tasks squeue -j "$TASKS" --json
shape squeue -n nosuch --json
shape sinfo --json
shape sinfo -p fine --json
shape sinfo -o '%R %N' --json
shape scontrol show jobs --json
shape -n steps scontrol show job "$STEPS" --json
shape -n more scontrol show job "$MORE" --json
shape -n het scontrol show job "$HET" --json
shape scontrol show job 1 --json
shape scontrol show steps --json
for parser in 42 44; do shape scontrol show steps --json=v0.0.$parser; done
shape -n steps scontrol show step "$STEPS.0" --json
shape scontrol show nodes --json
shape scontrol show node n1 --json
shape scontrol show node n9 --json
shape scontrol show partitions --json
shape scontrol show partition fine --json
shape scontrol show partition nosuch --json
shape scontrol show reservations --json
shape scontrol show reservation daily --json
shape scontrol show reservation nosuch --json
shape scontrol show licenses --json
shape scontrol show license matlab --json
shape scontrol show config --json
shape scontrol show topology --json
shape scontrol ping --json
shape scontrol listjobs --json
shape scontrol liststeps --json
shape -n steps scontrol listpids "$STEPS" --json
shape sdiag --json
shape sshare --json
shape sshare -a --json
shape sprio --json
shape -n steps sstat -a -j "$STEPS" --json

as_yaml squeue
as_yaml sinfo
as_yaml scontrol show nodes
as_yaml scontrol show partitions
as_yaml scontrol show reservations
as_yaml scontrol show licenses
as_yaml scontrol show config
as_yaml sdiag
as_yaml sshare -A physics

values scontrol show node n1 --json
values scontrol show node n4 --json
values scontrol show node n5 --json
values scontrol show node n6 --json
values scontrol show partition main --json
values scontrol show partition fine --json
values scontrol show partition capped --json
values scontrol show partition off --json
values scontrol show reservation daily --json
values scontrol show reservation maint --json
values scontrol show reservation now --json
values scontrol show reservation cores --json
values scontrol show reservation lic --json
values scontrol show license matlab --json
values scontrol show license ansys --json

printf '== the end\n'
kill $SRUN 2>/dev/null
scontrol update NodeName=n[4,6] State=RESUME 2>/dev/null
empty_queue
for r in daily maint now cores lic; do scontrol delete reservation=$r; done
