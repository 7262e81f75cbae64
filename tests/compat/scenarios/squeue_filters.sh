# squeue's filters: states, partitions, names, users, nodes, job lists.
sub -J run -n 8 -w n1 --wrap 'sleep 300'
run=$JOB
sub -J held -H --wrap true
held=$JOB
sub -J held2 -p short -H --wrap true
sub -J fine --wrap true
fine=$JOB
sub -J bad --wrap 'exit 1'
bad=$JOB
sub -J cut -H --wrap true
cut=$JOB
scancel "$cut"
wait_state "$run" RUNNING
wait_end "$fine"
wait_end "$bad"
mine=$run,$held,$((held + 1)),$fine,$bad,$cut
f='%A %j %t %T'
show squeue -h -o "$f" -S i
for t in PD PENDING pending R RUNNING running R,PD pd,r S CD F CA all ALL COMPLETED,FAILED,CANCELLED TO OOM NF PR BF \
	DL RQ SE SI ST CG CF; do
	show squeue -h -o "$f" -S i -j "$mine" -t "$t"
done
show squeue -h -o "$f" -t nosuch
show squeue -h -o "$f" -t ''
show squeue -h -o "$f" -S i -p short
show squeue -h -o "$f" -S i -p main,short
show squeue -h -o "$f" -S i -p nosuch
show squeue -h -o "$f" -S i -n held
show squeue -h -o "$f" -S i -n held,run
show squeue -h -o "$f" -S i -n nosuch
show squeue -h -o "$f" -S i -u root
show squeue -h -o "$f" -S i -u 0
show squeue -h -o "$f" -S i -u daemon
show squeue -h -o "$f" -S i -u nosuchuser
show squeue -h -o "$f" -S i -u root,daemon
show squeue -h -o "$f" -S i --me
show squeue -h -o "$f" -S i -w n1
show squeue -h -o "$f" -S i -w n[2-4]
show squeue -h -o "$f" -S i -w nosuch
show squeue -h -o "$f" -S i -A nosuch
show squeue -h -o "$f" -S i -q nosuch
show squeue -h -o "$f" -j "$fine"
show squeue -h -o "$f" -j "$fine" -t all
show squeue -h -o "$f" -j 999999
show squeue -j 999999
show squeue -h -o "$f" -j "$held,999999"
show squeue -h -o "$f" -j nosuch
show squeue -h -o "$f" -j 0
show squeue -h -o "$f" -j -1
show squeue -h -o "$f" -j "$held" -j "$run"
show squeue nosuch
show squeue -h -o "$f" --states=R
show env SQUEUE_STATES=R squeue -h -o "$f"
show env SQUEUE_PARTITION=short squeue -h -o "$f"
show env SQUEUE_USERS=daemon squeue -h -o "$f"
