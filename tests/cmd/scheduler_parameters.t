#!/usr/bin/env bash
# scheduler_parameters: words of SchedulerParameters that decide something are heeded; words that only tune Slurm's own
# loop are reported.
. "$(dirname "$0")/lib.sh"
plan 13
cd "$TMP" || exit 1
words=max_array_tasks=3,requeue_delay=15,max_submit_line_size=200,disable_hetjob_steps
words+=,ignore_constraint_validation,allow_zero_lic
conf 2 KillWait=1 Licenses=lab:2 "SchedulerParameters=$words,bf_interval=5" \
	PreemptParameters=reclaim_licenses,strict_order
cluster parameters --conf "$CONF"
said=$("${SPUR%/*}/../ctl/spurctld" -t -f "$DIR/etc/slurm.conf" 2>&1)
is "$(grep -c 'not acted on' <<<"$said")" 1 "spurctld -t tells of the one word that nothing acts on"
like "$said" 'SchedulerParameters=bf_interval=5 is not acted on' "by name"

sub -a 0-2 -o /dev/null --wrap true
becomes "$JOB" COMPLETED "max_array_tasks: so many tasks are taken"
refused "and no more" sbatch -a 0-3 -o /dev/null --wrap true
works "whatever their numbers" sbatch -H -a 100-102 -o /dev/null --wrap true
like "$(sbatch -o /dev/null --wrap true --comment "$(printf %0300d 0)" 2>&1)" 'parameter too long' \
	"max_submit_line_size"

sub -o /dev/null --wrap 'sleep 600'
becomes "$JOB" RUNNING "a job runs"
scontrol requeue "$JOB"
await BeginTime 15 squeue -h -j "$JOB" -o %r
is "$(squeue -h -j "$JOB" -o %r)" BeginTime "requeue_delay: put back, it waits for a moment"
becomes "$JOB" RUNNING "and runs again"
scancel "$JOB"

sub -o /dev/null -C tomorrow --wrap true
await PENDING 10 state "$JOB"
is "$(state "$JOB")" PENDING "ignore_constraint_validation: a feature may come later"
scontrol update NodeName=n2 AvailableFeatures=tomorrow ActiveFeatures=tomorrow
becomes "$JOB" COMPLETED "and when it is there the job runs"
sub -o /dev/null -L lab:3 --wrap true
comes Licenses "allow_zero_lic: more licences than there are are waited for" squeue -h -j "$JOB" -o %r
scancel "$JOB"
like "$(salloc -Q -n1 : -n1 srun --het-group=0,1 true 2>&1)" 'disable_hetjob_steps|not supported' \
	"disable_hetjob_steps: no step over several components"
