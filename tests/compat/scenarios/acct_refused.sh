# Which users may charge which account, and use which QOS and partition.
scene accounts
job a -A nosuch
job b -A idle
job c -A physics
job d -A below
job e
table
show squeue -h -S j -o '%j %a %q'
scene qos
job a -q nosuch
job b -q part
job c -q high
table
show_keys 'QOS|Account|Priority' scontrol show job "$c" | sed 's/Priority=[0-9]*/Priority=N/'
scene partitions
runs b -p picky -q high
runs d -p closed -A physics
runs f -p shut
settle
squeue -h -j "$JOBS" -S j -o '%j %T %r'

scene changed while it waits
job a -H -n1
show scontrol update JobId="$a" QOS=nosuch
show scontrol update JobId="$a" QOS=high
show scontrol update JobId="$a" Account=nosuch
show scontrol update JobId="$a" Account=idle
show scontrol update JobId="$a" Account=physics
show scontrol update JobId="$a" Partition=closed
show squeue -h -j "$a" -o '%P %a %q'
scene another user
show su -s /bin/sh games -c 'cd /tmp; sbatch -o /dev/null -J g --wrap "sleep 30"; sbatch -o /dev/null -A capped -J h --wrap "sleep 30"; sbatch -o /dev/null -A times --wrap "sleep 30"'
show su -s /bin/sh bin -c 'cd /tmp; sbatch -o /dev/null --wrap "sleep 30"'
for i in 1 2 3 4 5 6 7 8 9; do [ "$(squeue -h -t R -o %j | wc -l)" = 2 ] || sleep 0.3; done
show squeue -h -S j -o '%j %u %a %q %T'
