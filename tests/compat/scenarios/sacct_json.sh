# The structure of what sacct shows as JSON and YAML.
mask '/STARTED_ON_/d'
sub -J used -n2 --gres=gpu:1 --comment=note -o /dev/null --wrap 'srun sleep 3; exit 3'; USED=$JOB; wait_end "$USED"
sub -J cut -o /dev/null --wrap 'srun sleep 100; sleep 100'; CUT=$JOB; wait_step "$CUT.0"
sleep 1; scancel "$CUT"; wait_end "$CUT"
sub -J done -w n1 --exclusive -o /dev/null --wrap true; DONE=$JOB; wait_end "$DONE"
sub -J held -H -a 1-3%2 -o /dev/null --wrap true; HELD=$JOB
sub -J pair -o /dev/null -n1 : -n1 --wrap true; PAIR=$JOB; wait_end "$PAIR"
pause; pause
ALL=$USED,$CUT,$DONE,$HELD,$PAIR
shape -n all sacct -j "$ALL" --json
for parser in 42 43 44; do shape -n "all, v0.0.$parser" sacct -j "$ALL" --json=v0.0.$parser; done
shape -n held sacct -j "$HELD" --json
shape -n none sacct --name=nosuch --json
shape -n 'without steps' sacct -X -j "$USED" --json
