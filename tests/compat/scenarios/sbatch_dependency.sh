# Dependencies: each type against jobs that end well, badly, are cancelled, or have not begun.
sub -J good --wrap true
good=$JOB
sub -J bad --wrap 'exit 1'
bad=$JOB
sub -J cut -H --wrap true
cut=$JOB
scancel "$cut"
sub -J wait -H --wrap true
wait=$JOB
sub -J arr --array=1-2 -H --wrap true
arr=$JOB
wait_end "$good"
wait_end "$bad"
try() {
	show sbatch --parsable -J dependent -d "$1" --wrap true
	[ "$rc" = 0 ] || return
	JOB=$(cat "$QUIET.out")
	ids="$ids $JOB"
}
ids=
for type in after afterok afternotok afterany aftercorr afterburstbuffer; do
	for job in $good $bad $cut $wait; do try "$type:$job"; done
done
try "after:$wait+5"
try "afterok:$good:$bad"
try "afterok:$good,afternotok:$bad"
try "afterok:$bad?afterok:$good"
try "afterok:$wait?afterany:$cut"
try "afterany:${arr}_1"
try "afterok:$arr"
try "singleton"
try "afterany:$wait,singleton"
try "expand:$wait"
try "afterok:999999"
try "afterany:999999"
try "nosuch:1"
try "afterok"
try "afterok:"
try "afterok:nosuch"
try "afterok:$wait,"
try "afterok:$wait,afterok:$good?afterok:$bad"
try ""
try "$wait"
sleep 2.5
for j in $ids; do squeue -h -t all -j "$j" -o '%A %T %r|%E'; done
