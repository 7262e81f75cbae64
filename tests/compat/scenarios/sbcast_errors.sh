# sbcast that cannot: outside of a job, missing files, folders, words.
echo text >source
show sbcast source "$PWD/x"
show sbcast -j 99999 source "$PWD/x"
in_alloc -N 1 <<'S'
show sbcast missing "$PWD/x"
show sbcast source /nosuch/dir/x
show sbcast source
show sbcast
show sbcast source a b
show sbcast . "$PWD/x"
show sbcast --nosuch source x
show sbcast -C bogus source "$PWD/y"
show sbcast -s x source "$PWD/z"
show sbcast -F x source "$PWD/z"
show sbcast source "$PWD"
show sbcast source relative
ls
S
sub -o /dev/null --wrap 'sleep 20'
wait_state "$JOB" RUNNING
show sbcast -j "$JOB" source "$PWD/by-id"
show_file by-id
