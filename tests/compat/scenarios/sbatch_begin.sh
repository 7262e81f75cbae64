# --begin, --deadline: forms and refusals.
one() {
	show sbatch --parsable "$@" --wrap true
	[ "$rc" != 0 ] || { squeue -h -j "$(cat "$QUIET.out")" -o '  %t %S %r' | sed 's/ None$/ BeginTime/'; scancel \
		"$(cat "$QUIET.out")"; }
}
one --begin=now+1hour
one --begin=now+60
one --begin=now+5minutes
one --begin=now+2days
one --begin=now+1weeks
one --begin=2030-01-01
one --begin=2030-01-01T12:30
one --begin=2030-01-01T12:30:15
one --begin=01/01/30
one --begin=0101
one --begin=midnight
one --begin=noon
one --begin=teatime
one --begin=tomorrow
one --begin=2020-01-01 -H
one --begin=nosuch
one --begin=now+nosuch
one --begin=now-1hour -H
one --begin=25:00
one --begin=
one --deadline=now+1hour -t 5 --begin=now+10minutes
one --deadline=now+1minute -t 5
one --deadline=2020-01-01
one --deadline=nosuch
one --deadline=now+1hour --begin=now+2hours -t 1
mask 's/(PD) YYYY-MM-DDTHH:MM:SS/\1 TIME/'
