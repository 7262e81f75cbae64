# The job is cancelled from outside while salloc's command runs.
begin() {
	printf '$ salloc %s &\n' "$(quoted "$@")"
	rm -f up err out
	salloc "$@" >out 2>err &
	pid=$!
	until [ -e up ]; do sleep 0.05; done
	JOB=$(job_named mine)
	scancel "$JOB"
	wait $pid
	echo "= $?"
	cat out
	sed 's/^/! /' err
}
begin -J mine sh -c 'touch up; sleep 6; echo went on'
begin -J mine -K sh -c 'touch up; exec sleep 60'
begin -J mine -K sh -c 'trap "echo hup; exit 3" HUP; trap "echo term; exit 4" TERM; touch up; sleep 60 & wait'
begin -J mine -KTERM sh -c 'trap "echo hup; exit 3" HUP; trap "echo term; exit 4" TERM; touch up; sleep 60 & wait'
begin -J mine --kill-command=INT sh -c \
	'trap "echo hup; exit 3" HUP; trap "echo term; exit 4" TERM; touch up; sleep 6 & wait'
mask 's/YYYY.*/TIME/'
