#!/usr/bin/env bash
# sstat: what running steps use, live and by their owner alone; scontrol listpids; usage at the end.
. "$(dirname "$0")/lib.sh"
plan 25
cluster sstat --nodes 2
cd "$TMP" || exit 1
export SLURM_CPU_BIND=none

# One task works and holds memory, the other reads a lot; both wait then.
cat >work.sh <<'S'
#!/bin/bash
if [ "$SLURM_PROCID" = 0 ]; then
	big=$(head -c 30000000 /dev/zero | tr '\0' x)
	# until it has had more than a second of the CPU, however long that takes
	while read -r s </proc/$$/stat; set -- ${s#*) }; [ $((${12} + ${13})) -lt 120 ]; do
		for i in {1..5000}; do :; done
	done
else
	cat "$0" >/dev/null; dd if=/dev/zero of=/dev/null bs=1M count=300 2>/dev/null
fi
touch ready.$SLURM_PROCID
read -r _ <block
S
chmod +x work.sh
mkfifo block
JOB=$(sbatch --parsable -N2 -n2 --ntasks-per-node=1 -o job.out --wrap 'srun ./work.sh')
await yes 30 eval '[ -e ready.0 ] && [ -e ready.1 ] && echo yes'
row() { sstat -n -P -j "$1" -o "$2"; }
is "$(row "$JOB" jobid,ntasks)" "$JOB.0|2" "a job means its lowest step"
is "$(row "$JOB.batch" jobid,ntasks,nodelist)" "$JOB.batch|1|n1" "the batch script is a step, too"
is "$(row "$JOB.0" maxrssnode,maxrsstask)" "n1|0" "which task holds most memory, and where"
rss=$(sstat -n -P --noconvert -j "$JOB.0" -o maxrss)
is $((rss > 25000000 && rss < 400000000)) 1 "as much as it holds" || echo "# $rss"
is "$(row "$JOB.0" maxdiskreadnode,maxdiskreadtask)" "n2|1" "which task read most, and where"
read_bytes=$(sstat -n -P --noconvert -j "$JOB.0" -o maxdiskread)
if [ "$read_bytes" -gt 300000000 ]; then pass "as much as it read"; else fail "as much as it read" "$read_bytes"; fi
like "$(row "$JOB.0" mincpunode,mincputask,mincpu)" '^n2\|1\|00:00:0' "which task worked least"
like "$(row "$JOB.0" tresusageinmax)" 'cpu=00:00:0[1-9],' "and the time of the task that worked most"
is "$(sstat -n -P -a -j "$JOB" -o jobid | paste -sd, -)" "$JOB.batch,$JOB.0" "-a: all steps"
is "$(sstat -n -P -i -j "$JOB" | cut -d'|' -f1,2 | paste -sd, -)" "$JOB.0|n1,$JOB.0|n2" "-i: node by node"
pid=$(sstat -n -P -i -j "$JOB" | sed -n 1p | cut -d'|' -f3 | cut -d, -f1)
like "$(tr '\0' ' ' <"/proc/$pid/cmdline")" work.sh "with the processes it has"
like "$(sstat -n -j "$JOB.7" 2>&1)" "StepId=$JOB.7 not found running" "a step that is not there"
like "$(sstat -n -j 99999 2>&1)" "couldn't get steps for JobId=99999" "a job that is not there"

listed=$(scontrol listpids "$JOB.0" n1)
like "$listed" "^PID +JOBID +STEPID" "listpids has a head"
is "$(echo "$listed" | awk -v p="$pid" '$1 == p { print $2, $3, $4, $5 }')" "$JOB 0 0 0" "and says whose a process is"
is "$(scontrol listpids "$JOB" n2 | awk '$3 == 0 && $5 == 1' | wc -l)" 1 "on the other node the other task"
like "$(scontrol pidinfo "$pid" 2>&1)" "JobId=$JOB" "pidinfo: the job of a process"
refused "of a process that is no job's" scontrol pidinfo $$

# An sstat that waits for a supervisor gets a reply also if the supervisor ends meanwhile.
(sleep 0.3; scancel "$JOB.0") & works "sstat while it ends" sstat -j "$JOB" ; wait $!

if [ "$(id -u)" = 0 ] && getent passwd nobody >/dev/null; then
	JOB2=$(sbatch --parsable -o /dev/null --wrap 'srun sleep 100')
	await 1 20 eval "squeue -h -s -j $JOB2 -o %i | grep -c '[.]0$'"
	as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
	said=$("${as[@]}" sstat -n -j "$JOB2" 2>&1)
	like "$said" "Invalid user id" "another user learns nothing"
	lacks "${JOB2}[.]0 " "not a number" echo "$said"
	refused "nor the processes" "${as[@]}" scontrol listpids "$JOB2"
	is "$("${as[@]}" scontrol listpids | wc -l)" 1 "of none of them"
	scancel "$JOB2"
else
	skip 4 "needs root"
fi

# Looked at from time to time: what was at its most between two questions is known.
cat >peak.sh <<'S'
#!/bin/bash
x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 3; x=; touch over; exec sleep 100
S
chmod +x peak.sh
JOB=$(sbatch --parsable --acctg-freq=task=1 -o /dev/null --wrap 'srun ./peak.sh')
await over 60 ls over
rss=$(sstat -n -P --noconvert -j "$JOB" -o maxrss)
works "--acctg-freq: the peak between two questions is known" test "${rss:-0}" -gt 35000000
scancel "$JOB"
like "$(sbatch --acctg-freq=foo --wrap true 2>&1)" "Invalid --acctg-freq specification: foo" \
	"a frequency that is none is refused"
