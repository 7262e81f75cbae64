# Features, licences and lists of nodes in corners.
scene counts and tasks
put -n1 -C '[rack1*1&rack2*1]'
scene brackets beside features
put -N2 -C 'intel&[rack1*1&rack2*1]'
put -N2 -C '[rack1*1&rack2*1]&intel'
scene one operator too many
put -C 'intel|'
scene what is preferred, while it waits
sub -H -o /dev/null --prefer fast -C intel --wrap true
scontrol show job "$JOB" | grep -o 'Features=[^ ]*\|Prefer=[^ ]*'
scancel "$JOB"
scene licences of a job that has ended
sub -L matlab:1 -o /dev/null --wrap true
wait_end "$JOB"
show_keys 'Licenses|LicensesAlloc' scontrol show job "$JOB"
scene more names than nodes
show srun -w n1,n2 -N1 sh -c 'echo $SLURM_JOB_NODELIST'
show salloc -Q -w n1,n2 -N1 sh -c 'echo $SLURM_JOB_NODELIST'
