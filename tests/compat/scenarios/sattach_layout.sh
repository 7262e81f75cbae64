# sattach --layout, and ids that will not do.
sub -N 2 -n 4 -o /dev/null --wrap 'srun sleep 300'
wait_state "$JOB" RUNNING
wait_step "$JOB.0"
show sattach --layout "$JOB.0"
show sattach --layout "$JOB.5"
show sattach --layout "$JOB"
show sattach --layout "$JOB.batch"
show sattach --layout 99999.0
show sattach --layout x.0
show sattach
show sattach --nosuch "$JOB.0"
show sattach 99999.0
show sattach "$JOB.0" extra
mask '/^ *$/d'
