# scontrol listpids: which processes belong to which step.
JOB=$(salloc -Q --no-shell -w n1 -n 2 -J kept 2>/dev/null; job_named kept)
srun --jobid="$JOB" -n 2 sleep 300 2>/dev/null &
wait_step "$JOB.0"
sleep 0.5
listed() { say "scontrol listpids $*"; scontrol listpids "$@" 2>&1 | sed -E 's/^[0-9]+ +/PID      /' | LC_ALL=C sort; }
listed "$JOB" n1
listed "$JOB.0" n1
show scontrol listpids 99999 n1
show scontrol listpids "$JOB.7" n1
show scontrol listpids x n1
