# What sdiag tells: its lines, without the numbers; and what it refuses.
sub --wrap true -o /dev/null
wait_end "$JOB"
# means are shown once there is something to take them from
labels() { sed -nE '/^Remote/q; s/at .*|since .*|:.*//; /Latency|Cycles per minute|Mean|mean/d; /./p'; }
sdiag | labels
sdiag -r >/dev/null 2>&1
sdiag | grep -E '^Jobs (submitted|started|completed|canceled|failed)'
show sdiag --nosuch
