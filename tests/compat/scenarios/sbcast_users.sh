# sbcast by an ordinary user: owner, permissions, other people's jobs.
chmod 777 .
as() { setpriv --reuid=games --regid=games --clear-groups env HOME=/ USER=games LOGNAME=games "$@"; }
echo text >source
chmod 644 source
cat >cmds <<'S'
sbcast source $PWD/hers; echo "= $?"
stat -c '%U %G %a' hers
sbcast source /etc/nosuch-by-games; echo "= $?"
sbcast source /root/x; echo "= $?"
sbcast -p source $PWD/kept; echo "= $?"
sbcast -f source $PWD/source; echo "= $?"
sbcast /etc/shadow $PWD/shadow; echo "= $?"
S
as salloc -Q sh cmds 2>&1
ls
sub -o /dev/null --wrap 'sleep 20'
wait_state "$JOB" RUNNING
show as sbcast -j "$JOB" source "$PWD/y"
