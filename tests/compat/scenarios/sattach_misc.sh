# sattach: other people's steps, steps that have ended, options.
JOB=$(salloc -Q --no-shell -n 2 -J kept 2>/dev/null; job_named kept)
srun --jobid="$JOB" -n 2 sleep 300 2>/dev/null &
wait_step "$JOB.0"
as() { setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games LOGNAME=games "$@"; }
show as sattach --layout "$JOB.0"
show sattach --output-filter=x "$JOB.0"
show sattach -V
show sattach --usage
scancel "$JOB.0"
wait
show sattach "$JOB.0"
show sattach --layout "$JOB.0"
scancel "$JOB"
wait_end "$JOB"
show sattach "$JOB.0"
