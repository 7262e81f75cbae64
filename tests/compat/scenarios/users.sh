# Jobs of other users: which users may see, hold, cancel, read.  Root submits for two users.
chmod 777 .
as() { setpriv --reuid="$1" --regid="$1" --clear-groups env HOME=/ USER="$1" LOGNAME="$1" "${@:2}"; }
JOB=$(as games sbatch --parsable -H -J hers -o /dev/null --wrap true)
hers=$JOB
show as games squeue -h -o '%u %j %t'
show as daemon squeue -h -o '%u %j %t'
show as daemon squeue -h --me -o '%u %j'
show as daemon scancel "$hers"
show as daemon scontrol hold "$hers"
show as daemon scontrol release "$hers"
show as daemon scontrol requeue "$hers"
show as daemon scontrol suspend "$hers"
show as daemon scontrol update JobId="$hers" TimeLimit=5
show as daemon scontrol write batch_script "$hers" -
show as daemon scancel -u games
show squeue -h -o '%u %j %t'
show as games scontrol update JobId="$hers" Priority=5
show as games scontrol update JobId="$hers" Nice=-5
show as games scontrol update JobId="$hers" Nice=5
show as games sbatch --parsable -H --nice=-10 --wrap true
show as games scontrol update NodeName=n1 State=DRAIN Reason=no
show as games scontrol update PartitionName=main State=DOWN
show as games scontrol create PartitionName=mine Nodes=n1
show as games scontrol reconfigure
show as games scontrol shutdown
show as games scontrol release "$hers"
wait_end "$hers"
show_keys 'UserId|JobState' scontrol show job "$hers"
JOB=$(as games sbatch --parsable -o who.txt --wrap 'id -un; id -gn; echo $HOME $USER; umask')
wait_end "$JOB"
show_file who.txt
stat -c '%U %a' who.txt
show as games scontrol suspend "$hers"
JOB=$(as games sbatch --parsable -H -o /dev/null --wrap true)
show scontrol hold "$JOB"
show as games scontrol release "$JOB"
show squeue -h -j "$JOB" -o %r
show scancel "$JOB"
